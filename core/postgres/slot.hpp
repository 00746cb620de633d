// Logical replication slots: look up, create, drop.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/lsn.hpp"
#include "postgres/connection.hpp"

namespace walspout::postgres {

struct SlotInfo {
  std::string name;
  std::string plugin;    // empty for a physical slot
  std::string database;  // empty for a physical slot
  bool temporary = false;
  bool active = false;
  int active_pid = 0;
  base::Lsn restart_lsn = 0;
  base::Lsn confirmed_flush_lsn = 0;
  std::string wal_status;                     // reserved, extended, unreserved, lost
  std::optional<std::int64_t> safe_wal_size;  // bytes until it is lost; nothing = no limit
  bool two_phase = false;
  bool conflicting = false;         // 16+: invalidated on a standby
  std::string invalidation_reason;  // 17+

  bool lost() const { return wal_status == "lost" || conflicting || !invalidation_reason.empty(); }
};

std::optional<SlotInfo> find_slot(Connection& ordinary, const std::string& name,
                                  const Interrupt& interrupt = Interrupt());

enum class ExportSnapshot { kNothing, kExport };

struct SlotOptions {
  std::string name;
  bool temporary = false;  // dropped with the connection that made it
  bool two_phase = false;
  ExportSnapshot snapshot = ExportSnapshot::kNothing;
};

struct CreatedSlot {
  base::Lsn consistent_point = 0;
  std::string snapshot_name;  // valid until `replication` runs its next command or closes
};

// Told every 10 s, first after 3 s, which transactions the creation waits for, one line.
using OnWaiting = std::function<void(std::string_view text)>;

// The creation waits until every transaction that writes now has ended, however long that takes.
// Meanwhile a second connection asks whom it waits for; without a callback the log says so. After
// Interrupted the command is cancelled and no slot is left.
CreatedSlot create_slot(Connection& replication, const SlotOptions& options,
                        const Interrupt& interrupt, const OnWaiting& on_waiting = {});

// False when there was none. An active slot raises SqlError 55006.
bool drop_slot(Connection& ordinary, const std::string& name,
               const Interrupt& interrupt = Interrupt());

// "walspout_tail_3f9c0a12b4d5e6f7": for temporary slots and publications. prefix: [a-z0-9_], at
// most 40 characters.
std::string temporary_name(std::string_view prefix);

}  // namespace walspout::postgres
