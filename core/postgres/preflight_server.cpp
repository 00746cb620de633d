#include <fmt/format.h>

#include "postgres/identify.hpp"
#include "postgres/preflight_checks.hpp"
#include "postgres/rights.hpp"
#include "postgres/slot.hpp"

namespace walspout::postgres {

namespace {

std::string alter_system(const std::string& setting, const std::string& value) {
  return fmt::format("ALTER SYSTEM SET {} = {}; then restart the server", setting, value);
}

void check_wal_level(const PreflightContext& context) {
  const auto level = context.conn.exec("SHOW wal_level", context.interrupt).string(0, 0);
  if (level == "logical") return;
  context.error("wal_level", fmt::format("is {}: logical replication needs logical", level),
                alter_system("wal_level", "'logical'"));
}

void check_capacity(const PreflightContext& context) {
  const Result now = context.conn.exec(
      "SELECT current_setting('max_replication_slots')::int, "
      "(SELECT count(*) FROM pg_replication_slots), current_setting('max_wal_senders')::int, "
      "(SELECT count(*) FROM pg_stat_replication)",
      context.interrupt);
  const auto max_slots = now.integer(0, 0), slots = now.integer(0, 1);
  const auto max_senders = now.integer(0, 2), senders = now.integer(0, 3);
  const auto slot = context.options.temporary
                        ? std::nullopt
                        : find_slot(context.conn, context.options.slot, context.interrupt);
  if (!slot && slots >= max_slots) {
    context.error("max_replication_slots", fmt::format("all {} are in use", max_slots),
                  alter_system("max_replication_slots", std::to_string(max_slots + 5)) +
                      ", or drop a slot that nobody needs: SELECT slot_name FROM "
                      "pg_replication_slots WHERE NOT active");
  }
  if ((!slot || !slot->active) && senders >= max_senders) {
    context.error("max_wal_senders", fmt::format("all {} are in use", max_senders),
                  alter_system("max_wal_senders", std::to_string(max_senders + 5)));
  }
}

}  // namespace

void check_server(const PreflightContext& context) {
  const int version = context.conn.server_version();
  if (version < 140000) {
    context.warning(
        "server version",
        fmt::format("PostgreSQL {} is older than 14, the oldest that is tested", version / 10000),
        "upgrade the server");
  }
  if (is_in_recovery(context.conn, context.interrupt)) {
    const std::string remedy =
        "connect to the primary: name all hosts in the url and add target_session_attrs=read-write";
    if (version < 160000) {
      context.error("server", "is a standby: before version 16 it cannot decode its log", remedy);
    } else {
      context.warning("server", "is a standby: the publication must be made on the primary",
                      remedy);
    }
  }
  check_wal_level(context);
  check_capacity(context);
  const auto keep =
      context.conn.exec("SHOW max_slot_wal_keep_size", context.interrupt).string(0, 0);
  if (keep == "-1") {
    context.note("max_slot_wal_keep_size",
                 "has no limit: the server keeps its log for a stopped pipeline until the disk is "
                 "full",
                 "ALTER SYSTEM SET max_slot_wal_keep_size = '100GB'; SELECT pg_reload_conf()");
  } else {
    context.note("max_slot_wal_keep_size",
                 fmt::format("is {}: a pipeline that lags more loses its slot", keep));
  }
}

void check_role(const PreflightContext& context) {
  const Result role = context.conn.exec(
      "SELECT rolreplication OR rolsuper FROM pg_roles WHERE rolname = session_user",
      context.interrupt);
  if (role.rows() == 1 && role.boolean(0, 0)) return;
  const std::string name = role_of(context.conn);
  context.error("role " + name, "may not replicate",
                fmt::format("ALTER ROLE {} REPLICATION (on Amazon RDS: GRANT rds_replication TO "
                            "{})",
                            name, name));
}

void check_slot(const PreflightContext& context) {
  if (context.options.temporary) return;
  const auto slot = find_slot(context.conn, context.options.slot, context.interrupt);
  context.result.slot_exists = slot.has_value();
  if (!slot) return;
  const std::string object = "slot " + slot->name;
  const std::string drop =
      fmt::format("SELECT pg_drop_replication_slot('{}'), or name another slot", slot->name);
  if (slot->plugin != "pgoutput") {
    context.error(object,
                  slot->plugin.empty()
                      ? "is a physical slot"
                      : fmt::format("uses the output plugin {}, not pgoutput", slot->plugin),
                  drop);
    return;
  }
  const auto database = context.conn.exec("SELECT current_database()", context.interrupt);
  if (slot->database != database.string(0, 0)) {
    context.error(object, fmt::format("belongs to database {}", slot->database),
                  "name another slot, or that database in the url");
  }
  if (slot->lost()) {
    context.error(
        object,
        fmt::format("is lost (wal_status {}{}{}): changes are missing", slot->wal_status,
                    slot->invalidation_reason.empty() ? "" : ", ", slot->invalidation_reason),
        fmt::format("raise max_slot_wal_keep_size, then SELECT "
                    "pg_drop_replication_slot('{}') and copy the tables anew (resync)",
                    slot->name));
  }
  if (slot->active) {
    context.warning(object, fmt::format("is in use by process {}", slot->active_pid),
                    fmt::format("SELECT * FROM pg_stat_activity WHERE pid = {}", slot->active_pid));
  }
}

}  // namespace walspout::postgres
