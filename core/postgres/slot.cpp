#include "postgres/slot.hpp"

#include <fmt/format.h>

#include <random>

#include "log/log.hpp"
#include "postgres/command.hpp"
#include "postgres/quote.hpp"

namespace walspout::postgres {

namespace {

constexpr std::chrono::seconds kFirstReport{3};
constexpr std::chrono::seconds kNextReport{10};

base::Lsn lsn_or_none(const Result& result, int row, int column) {
  return base::parse_lsn(result.text(row, column).value_or("")).value_or(0);
}

std::string create_command(const SlotOptions& options, int server_version) {
  const bool exports = options.snapshot == ExportSnapshot::kExport;
  std::string sql =
      fmt::format("CREATE_REPLICATION_SLOT {}{} LOGICAL pgoutput", quote_identifier(options.name),
                  options.temporary ? " TEMPORARY" : "");
  if (server_version >= 150000) {
    sql += fmt::format(" (SNAPSHOT '{}'{})", exports ? "export" : "nothing",
                       options.two_phase ? ", TWO_PHASE true" : "");
  } else {
    sql += exports ? " EXPORT_SNAPSHOT" : " NOEXPORT_SNAPSHOT";
    if (options.two_phase) sql += " TWO_PHASE";
  }
  return sql;
}

// Whom a backend waits for, seen from a connection of its own that is made when first needed.
class WaitReporter {
 public:
  WaitReporter(const Connection& waiting, const std::string& slot, const OnWaiting& on_waiting,
               const Interrupt& interrupt)
      : options_(waiting.options()),
        pid_(waiting.backend_pid()),
        slot_(slot),
        on_waiting_(on_waiting),
        interrupt_(interrupt) {
    options_.replication = false;
  }

  void report() {
    try {
      if (!watcher_) watcher_.emplace(options_, interrupt_);
      const Result blockers = watcher_->exec_params(kBlockers, {std::to_string(pid_)}, interrupt_);
      if (blockers.rows() == 0) tell("older transactions to end");
      for (int row = 0; row < blockers.rows(); ++row) tell(blockers.string(row, 0));
    } catch (const std::runtime_error& error) {
      watcher_.reset();
      tell(fmt::format("older transactions to end (which ones is unknown: {})", error.what()));
    }
  }

 private:
  // A prepared transaction holds its lock without a process.
  static constexpr const char* kBlockers =
      "SELECT CASE WHEN p.gid IS NOT NULL THEN format('the prepared transaction %s (xid %s, open "
      "for %s, user %s)', quote_literal(p.gid), w.transactionid, "
      "date_trunc('second', now() - p.prepared), p.owner) "
      "ELSE format('transaction %s of process %s (open for %s, user %s, database %s, application "
      "%s, %s)', w.transactionid, h.pid, coalesce(date_trunc('second', now() - "
      "a.xact_start)::text, '?'), coalesce(a.usename, '?'), coalesce(a.datname, '?'), "
      "quote_literal(coalesce(a.application_name, '')), coalesce(a.state, 'state hidden')) END "
      "FROM pg_locks w LEFT JOIN pg_locks h ON h.locktype = 'transactionid' AND h.transactionid = "
      "w.transactionid AND h.granted AND h.mode = 'ExclusiveLock' "
      "LEFT JOIN pg_stat_activity a ON a.pid = h.pid "
      "LEFT JOIN pg_prepared_xacts p ON p.transaction = w.transactionid "
      "WHERE w.pid = $1::int AND w.locktype = 'transactionid' AND NOT w.granted";

  void tell(const std::string& what) {
    const std::string line = fmt::format("the creation of slot {} waits for {}", slot_, what);
    if (on_waiting_) {
      on_waiting_(line);
    } else {
      log::warn(line);
    }
  }

  ConnectOptions options_;
  int pid_;
  const std::string& slot_;
  const OnWaiting& on_waiting_;
  const Interrupt& interrupt_;
  std::optional<Connection> watcher_;
};

}  // namespace

std::optional<SlotInfo> find_slot(Connection& ordinary, const std::string& name,
                                  const Interrupt& interrupt) {
  const int version = ordinary.server_version();
  const Result found = ordinary.exec_params(
      fmt::format("SELECT slot_name, plugin, database, temporary, active, active_pid, restart_lsn, "
                  "confirmed_flush_lsn, wal_status, safe_wal_size, {}, {}, {} "
                  "FROM pg_replication_slots WHERE slot_name = $1",
                  version >= 140000 ? "two_phase" : "false",
                  version >= 160000 ? "coalesce(conflicting, false)" : "false",
                  version >= 170000 ? "invalidation_reason" : "NULL"),
      {name}, interrupt);
  if (found.rows() == 0) return std::nullopt;
  SlotInfo slot;
  slot.name = found.string(0, 0);
  slot.plugin = std::string(found.text(0, 1).value_or(""));
  slot.database = std::string(found.text(0, 2).value_or(""));
  slot.temporary = found.boolean(0, 3);
  slot.active = found.boolean(0, 4);
  if (found.text(0, 5)) slot.active_pid = static_cast<int>(found.integer(0, 5));
  slot.restart_lsn = lsn_or_none(found, 0, 6);
  slot.confirmed_flush_lsn = lsn_or_none(found, 0, 7);
  slot.wal_status = std::string(found.text(0, 8).value_or(""));
  if (found.text(0, 9)) slot.safe_wal_size = found.integer(0, 9);
  slot.two_phase = found.boolean(0, 10);
  slot.conflicting = found.boolean(0, 11);
  slot.invalidation_reason = std::string(found.text(0, 12).value_or(""));
  return slot;
}

CreatedSlot create_slot(Connection& replication, const SlotOptions& options,
                        const Interrupt& interrupt, const OnWaiting& on_waiting) {
  WaitReporter waiting(replication, options.name, on_waiting, interrupt);
  try {
    send_command(replication, create_command(options, replication.server_version()), interrupt);
    auto next_report = deadline_in(kFirstReport);
    while (!await_result(replication, interrupt, next_report)) {
      waiting.report();
      next_report = deadline_in(kNextReport);
    }
    const Result made = collect(replication, interrupt);
    return {lsn_or_none(made, 0, 1), std::string(made.text(0, 2).value_or(""))};
  } catch (const Interrupted&) {
    // It may have been made just before the cancel came.
    if (cancel_and_drain(replication)) {
      replication.exec("DROP_REPLICATION_SLOT " + quote_identifier(options.name));
    }
    throw;
  }
}

bool drop_slot(Connection& ordinary, const std::string& name, const Interrupt& interrupt) {
  const Result dropped = ordinary.exec_params(
      "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots "
      "WHERE slot_name = $1",
      {name}, interrupt);
  return dropped.rows() == 1;
}

std::string temporary_name(std::string_view prefix) {
  std::random_device random;
  return fmt::format("{}_{:08x}{:08x}", prefix, random(), random());
}

}  // namespace walspout::postgres
