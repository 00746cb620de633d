#include "pipeline/source_history.hpp"

namespace walspout {

namespace {

constexpr std::chrono::seconds kNoteEvery{2};

}  // namespace

SourceHistory::SourceHistory(const config::Config& config, progress::StateStore& store)
    : config_(config), store_(store) {}

void SourceHistory::begin(const Source& source, bool fresh) {
  const std::string name = source.identity.system_id + " " + std::to_string(source.timeline()) +
                           " " + source.slot + " " + config_.source.publication;
  if (mark_.source.empty())
    if (auto stored = store_.landmark()) mark_ = std::move(*stored);
  if (!fresh && mark_.source == name) return;
  mark_ = {};
  mark_.source = name;
  changed_ = true;
}

base::Lsn SourceHistory::start(base::Lsn wanted, base::Lsn slot_confirmed) const {
  if (mark_.complete_to <= slot_confirmed) return wanted;
  return std::min(wanted, std::max(slot_confirmed, mark_.commit_lsn));
}

void SourceHistory::connected(base::Lsn start) {
  start_ = start;
  seen_ = mark_.commit_lsn < start;
  passed_ = mark_.complete_to <= start;
  gap_ = mark_.complete_to < start;
}

void SourceHistory::meet(const transaction::Chunk& chunk) {
  for (const transaction::Piece& piece : chunk.pieces()) {
    // Which empty ones are sent is a matter of the server's version.
    const bool whole = piece.flags == (WALSPOUT_FIRST | WALSPOUT_LAST);
    if (piece.txn.xid == 0 || (whole && piece.begin == piece.end)) continue;
    if ((piece.flags & WALSPOUT_FIRST) != 0 && !passed_) check(piece.txn);
    if ((piece.flags & WALSPOUT_LAST) == 0 || !passed_) continue;
    mark_.commit_lsn = piece.txn.commit_lsn;
    mark_.xid = piece.txn.xid;
    mark_.commit_time_us = piece.txn.commit_time_us;
    mark_.complete_to = std::max(mark_.complete_to, piece.txn.end_lsn);
    gap_ = false;
    changed_ = true;
  }
}

void SourceHistory::check(const walspout_txn& txn) {
  if (txn.commit_lsn < mark_.commit_lsn) return;
  if (txn.commit_lsn == mark_.commit_lsn) {
    if (txn.xid != mark_.xid || txn.commit_time_us != mark_.commit_time_us)
      differs("sends another transaction in place of " + known());
    seen_ = true;
    return;
  }
  if (!seen_) differs("does not send " + known() + " again");
  if (txn.commit_lsn < mark_.complete_to)
    differs("sends a transaction at " + base::format_lsn(txn.commit_lsn) +
            " that was not there before");
  passed_ = true;
}

void SourceHistory::reached(base::Lsn position) {
  if (!passed_) {
    if (!seen_ && position > mark_.commit_lsn) differs("does not send " + known() + " again");
    passed_ = position >= mark_.complete_to;
  }
  if (!passed_ || gap_ || position <= mark_.complete_to) return;
  mark_.complete_to = position;
  changed_ = true;
}

void SourceHistory::note(std::chrono::steady_clock::time_point now) {
  if (!changed_ || now - noted_ < kNoteEvery) return;
  noted_ = now;
  note_now();
}

void SourceHistory::note_now() {
  if (!changed_ || config_.source.temporary) return;
  store_.save_landmark(mark_);
  changed_ = false;
}

std::string SourceHistory::known() const {
  return "transaction " + std::to_string(mark_.xid) + " at " + base::format_lsn(mark_.commit_lsn);
}

void SourceHistory::differs(const std::string& how) const {
  throw SlotLost("the source was mirrored up to " + base::format_lsn(mark_.complete_to) +
                 ", but now it " + how +
                 ": its history is another one; it was restored from a backup, or is another copy "
                 "of the cluster; " +
                 resync_all(config_));
}

}  // namespace walspout
