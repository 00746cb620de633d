// Which transactions a snapshot of the source sees, told by their xids: exact even while commits
// are under way, when a WAL position alone is not.
//
// Source: documentation, "Transaction ID and Snapshot Information Functions" (pg_current_snapshot).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace walspout::transaction {

class SnapshotXids {
 public:
  // "xmin:xmax:xip,xip,..." as pg_snapshot prints it. Nothing when it is something else.
  static std::optional<SnapshotXids> parse(std::string_view text);

  // xid: of a top-level transaction that has committed, as the stream brings it (without epoch), at
  // most 2^31 away from the snapshot.
  bool sees(std::uint32_t xid) const;

  // Transactions that were under way, without epoch.
  const std::vector<std::uint32_t>& in_progress() const { return in_progress_; }

 private:
  std::uint32_t xmin_ = 0;                  // all before it had ended
  std::uint32_t xmax_ = 0;                  // none from it on had
  std::vector<std::uint32_t> in_progress_;  // sorted
};

}  // namespace walspout::transaction
