#include "merger.hpp"

namespace walspout::webhook {
namespace {

// How long a batch that is sent again may wait for the rest of its transactions. They come at once,
// unless the configuration has changed and some come no more.
constexpr std::int64_t kRepeatWaitUs = 10'000'000;

}  // namespace

Merger::Merger(Outbox& outbox, Borders& borders, std::int64_t batch_time_us)
    : outbox_(outbox), borders_(borders), batch_time_us_(batch_time_us) {}

void Merger::take(const Staged& piece, const walspout_txn& txn, bool first, bool last,
                  std::int64_t now_us) {
  if (batch_time_us_ == 0) return take_alone(piece, txn, first, last);
  if (txn.kind == WALSPOUT_TXN_SNAPSHOT) {  // has no position that could say it is not durable yet
    if (first) close();
    return take_alone(piece, txn, first, last);
  }
  if (first) {
    txn_.clear();
    alone_ = false;
  }
  if (alone_) return take_alone(piece, txn, false, last);
  txn_.append(piece);
  if (!borders_.find(txn.commit_lsn) && !fits(txn_.events.size(), txn_.text.size())) {
    close();
    alone_ = true;
    take_alone(txn_, txn, true, last);
    txn_.clear();
    return;
  }
  if (last) join(txn, now_us);
}

void Merger::take_alone(const Staged& piece, const walspout_txn& txn, bool first, bool last) {
  if (first) outbox_.begin();
  outbox_.add(piece);
  if (last) outbox_.end(txn.position);
}

bool Merger::fits(std::size_t events, std::size_t bytes) const {
  const Limits& limits = outbox_.limits();
  return events <= limits.rows * limits.lanes && bytes <= limits.bytes * limits.lanes;
}

void Merger::join(const walspout_txn& txn, std::int64_t now_us) {
  const std::optional<Span> known = borders_.find(txn.commit_lsn);
  const bool room =
      known || fits(open_.events.size() + txn_.events.size(), open_.text.size() + txn_.text.size());
  if (is_open_ && (known != known_ || !room)) close();
  if (txn_.empty() && !is_open_) {  // moves the position only
    outbox_.begin();
    outbox_.end(txn.position);
    return;
  }
  if (!is_open_) {
    is_open_ = true;
    span_.first = txn.commit_lsn;
    known_ = known;
    since_us_ = now_us;
  }
  open_.append(txn_);
  txn_.clear();
  span_.last = txn.commit_lsn;
  position_ = txn.position;
  const Limits& limits = outbox_.limits();
  const bool complete =
      known_ ? span_.last == known_->last : open_.events.size() == limits.rows * limits.lanes;
  if (complete) close();
}

void Merger::close() {
  if (!is_open_) return;
  if (known_ != span_) borders_.add(span_);
  outbox_.begin();
  outbox_.add(open_);
  outbox_.end(position_);
  open_.clear();
  is_open_ = false;
  known_.reset();
}

void Merger::abort() {
  txn_.clear();
  alone_ = false;
  outbox_.abort();
}

std::optional<std::int64_t> Merger::due_us() const {
  if (!is_open_) return std::nullopt;
  return since_us_ + (known_ ? kRepeatWaitUs : batch_time_us_);
}

void Merger::close_due(std::int64_t now_us) {
  if (now_us < since_us_) since_us_ = now_us;  // the clock was set back
  if (const auto due = due_us(); due && now_us >= *due) close();
}

}  // namespace walspout::webhook
