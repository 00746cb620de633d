// How long a slot will last: what it retains of the server's WAL, how fast that grows, and when the
// server would give it up. From samples, about one every ten seconds.
//
// Source: PostgreSQL documentation, "pg_replication_slots" (wal_status, safe_wal_size) and
// max_slot_wal_keep_size.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/lsn.hpp"

namespace walspout::progress {

struct SlotSample {
  std::chrono::steady_clock::time_point at{};
  base::Lsn written = 0;             // the end of the server's WAL
  base::Lsn restart = 0;             // what the slot retains begins here
  std::optional<std::int64_t> safe;  // bytes until the slot may be given up; nothing = no limit
  bool unreserved = false;           // wal_status: the next checkpoint may remove what it needs

  std::uint64_t retained() const { return written > restart ? written - restart : 0; }
};

class SlotOutlook {
 public:
  // Each is worse than the one before. Of what the server allows: half; four fifths. kLosing: it
  // has begun to take the slot's WAL away.
  enum class Level { kFine, kHalf, kUrgent, kLosing };

  // In the order of time.
  void add(const SlotSample& sample);

  std::uint64_t retained() const;
  // Of what the server allows, 0 to 1; nothing where it sets no limit.
  std::optional<double> used() const;
  // Bytes a second by which the retained WAL grows, over the last minutes; 0 when it does not.
  double growth() const;
  // When it will be given up if that goes on; nothing when it does not grow, or has no limit.
  std::optional<std::chrono::seconds> lost_in() const;
  Level level() const;

 private:
  std::deque<SlotSample> samples_;  // of kMemory
};

}  // namespace walspout::progress
