#include "route/table_copy.hpp"

#include <algorithm>
#include <utility>

namespace walspout::route {

TableCopy::TableCopy(std::uint64_t id, transaction::RelationPtr relation,
                     std::vector<std::uint32_t> key, bool shadow, bool live)
    : id_(id), relation_(std::move(relation)), key_(std::move(key)), shadow_(shadow), live_(live) {}

TableCopy TableCopy::repair(std::uint64_t id, transaction::RelationPtr relation,
                            std::vector<std::uint32_t> key) {
  TableCopy copy(id, std::move(relation), std::move(key), false, false);
  copy.repair_ = true;
  return copy;
}

void TableCopy::add_range(const transaction::SnapshotXids& snapshot, base::Lsn end, KeyList keys) {
  ranges_.push_back({snapshot, end, std::move(keys)});
}

void TableCopy::passed(base::Lsn position) {
  while (!ranges_.empty() && ranges_.front().end <= position) ranges_.pop_front();
}

std::vector<std::string> TableCopy::take_rereads() { return std::exchange(rereads_, {}); }

TableCopy::Verdict TableCopy::give_up(const char* why) {
  broken_ = why;
  return Verdict::kSkip;
}

bool TableCopy::contained(const std::string& key, std::uint32_t xid) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return range.snapshot.sees(xid) && range.keys.contains(key);
  });
}

TableCopy::Verdict TableCopy::judge(const walspout_change& change, std::uint32_t xid) {
  if (!broken_.empty() || (first_ && first_->sees(xid))) return Verdict::kSkip;
  if (change.relation->version != relation_->version)
    return repair_ ? Verdict::kApply : give_up("its shape changed");
  if (change.op == WALSPOUT_UPDATE) return judge_update(change, xid);
  if (change.op == WALSPOUT_TRUNCATE) {
    // What was read before is gone, what was read after is not: not told apart any more.
    const bool seen = std::any_of(ranges_.begin(), ranges_.end(),
                                  [&](const Range& range) { return range.snapshot.sees(xid); });
    return seen && !repair_ ? give_up("it was truncated") : Verdict::kApply;
  }
  if (ranges_.empty()) return Verdict::kApply;
  const auto key = encode_key(change.op == WALSPOUT_INSERT ? change.new_row : change.old_row, key_);
  return key && contained(*key, xid) ? Verdict::kSkip : Verdict::kApply;
}

TableCopy::Verdict TableCopy::judge_update(const walspout_change& change, std::uint32_t xid) {
  if (key_.empty()) return Verdict::kApply;
  if (ranges_.empty() && change.old_row == nullptr) return Verdict::kApply;
  const auto to = encode_key(change.new_row, key_);
  if (!to) return repair_ ? Verdict::kApply : give_up("an update came without its key");
  const auto from = encode_key(change.old_row, key_).value_or(*to);
  const bool moved = from != *to;
  const bool complete =
      std::none_of(change.new_row, change.new_row + relation_->column_count,
                   [](const walspout_value& v) { return v.state == WALSPOUT_UNCHANGED; });
  // The old row may lie in a part that was not read yet.
  if (moved && !complete && !repair_) rereads_.push_back(*to);
  const bool new_contained = contained(*to, xid);
  if (!moved) return new_contained ? Verdict::kSkip : Verdict::kApply;
  const bool old_contained = contained(from, xid);
  if (old_contained && new_contained) return Verdict::kSkip;
  if (new_contained) return Verdict::kDelete;
  if (old_contained) return complete ? Verdict::kInsert : Verdict::kSkip;
  return Verdict::kApply;
}

}  // namespace walspout::route
