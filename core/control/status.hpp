// What a running host says of itself: the answer to `status` (control/protocol.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/lsn.hpp"
#include "control/protocol.hpp"

namespace walspout::control {

struct SinkStatus {
  std::string name;
  std::string plugin;
  std::string state;               // opening, running, retrying, paused, failed, finished
  base::Lsn durable = 0;           // 0 = nothing yet
  std::uint64_t behind_bytes = 0;  // of the source's WAL, from durable to what was received
  // How long the oldest of that has been here; nothing when there is none.
  std::optional<std::int64_t> behind_ms;
  std::uint64_t queue_bytes = 0;  // given to it, not yet taken
  std::string error;              // the last one; empty = none since the start
  std::int64_t error_at = 0;      // Unix time in seconds
};

struct SlotStatus {
  std::string name;
  std::string wal_status;  // as the server calls it: reserved, extended, unreserved, lost
  bool active = false;     // somebody streams from it
  base::Lsn confirmed = 0;
  std::uint64_t retained_bytes = 0;        // of WAL, which the server keeps for it
  std::optional<std::int64_t> safe_bytes;  // more, until it may be lost; nothing = no limit
  std::uint64_t growth = 0;                // bytes a second by which retained_bytes grows
  std::optional<std::int64_t> lost_in_s;   // if that goes on; nothing = it does not grow
  std::string held_by;                     // the sink that holds it back; empty = none does
};

struct Status {
  std::string version;
  std::int64_t pid = 0;
  std::int64_t up_seconds = 0;
  bool streaming = false;  // else the source is being connected to, or copied before the stream
  base::Lsn received = 0;
  base::Lsn confirmed = 0;
  std::uint64_t memory_used = 0, memory = 0;  // of [host] memory, in bytes
  std::optional<SlotStatus> slot;             // as it was seen last
  std::vector<SinkStatus> sinks;
};

Reply to_reply(const Status& status);
// Throws std::runtime_error with one line for an answer of another form.
Status parse_status(const Reply& reply);

}  // namespace walspout::control
