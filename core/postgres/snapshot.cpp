#include <fmt/format.h>

#include "postgres/copy_reader.hpp"
#include "postgres/quote.hpp"
#include "postgres/rights.hpp"

namespace walspout::postgres {

void begin_snapshot(Connection& ordinary, const std::string& snapshot_name,
                    const Interrupt& interrupt) {
  ordinary.exec("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", interrupt);
  if (snapshot_name.empty()) {
    ordinary.exec("SELECT 1", interrupt);  // the first query takes the snapshot
    return;
  }
  try {
    ordinary.exec("SET TRANSACTION SNAPSHOT " + quote_literal(snapshot_name), interrupt);
  } catch (const SqlError& error) {
    ordinary.exec("ROLLBACK", interrupt);
    // undefined_object from 17 on, invalid_parameter_value before
    if (error.sqlstate != "22023" && error.sqlstate != "42704") throw;
    throw TableChanged(fmt::format("the snapshot {} is gone: {}", snapshot_name, error.what()));
  }
}

namespace {

// pg_class is read under the snapshot, pg_relation_filenode() and to_regclass() see the present.
constexpr const char* kRewritten =
    "WITH RECURSIVE tree(relid) AS (SELECT $1::oid UNION ALL SELECT i.inhrelid FROM tree "
    "JOIN pg_inherits i ON i.inhparent = tree.relid JOIN pg_class p ON p.oid = i.inhrelid "
    "AND p.relispartition) "
    "SELECT coalesce(to_regclass($2)::oid, 0) <> $1::oid OR NOT EXISTS "
    "(SELECT FROM pg_class WHERE oid = $1::oid) OR EXISTS (SELECT FROM tree JOIN pg_class c "
    "ON c.oid = tree.relid WHERE c.relkind = 'r' AND "
    "c.relfilenode IS DISTINCT FROM pg_relation_filenode(c.oid)), row_security_active($1::oid)";

// Parsing sees the present: a column that is gone fails, and pg_typeof() tells what the others are,
// domains as such.
bool has_shape(Connection& conn, const PublishedTable& table, const Interrupt& interrupt) {
  std::string list;
  for (const auto& column : table.columns) {
    list += fmt::format("{}pg_typeof(t.{})::oid", list.empty() ? "" : ", ",
                        quote_identifier(column.name));
  }
  const Result now = conn.exec(fmt::format("SELECT {} FROM (SELECT) one LEFT JOIN {} t ON false",
                                           list, quote_table(table.schema, table.name)),
                               interrupt);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (now.integer(0, static_cast<int>(i)) != table.columns[i].type_oid) return false;
  }
  return true;
}

}  // namespace

void lock_table_name(Connection& ordinary, const PublishedTable& table,
                     const Interrupt& interrupt) {
  try {
    ordinary.exec("LOCK TABLE " + quote_table(table.schema, table.name) + " IN ACCESS SHARE MODE",
                  interrupt);
  } catch (const SqlError& error) {
    // undefined_table, invalid_schema_name
    if (error.sqlstate == "42P01" || error.sqlstate == "3F000")
      throw TableChanged(fmt::format("table {} was dropped or renamed", table.full_name()));
    if (error.sqlstate == "42501") throw missing_select_refusal(ordinary, table, error);
    throw;
  }
}

namespace {

// Everything in it comes from catalogue rows that DDL writes; no statistics.
constexpr const char* kFingerprint =
    "coalesce((WITH RECURSIVE tree(relid) AS (SELECT {0}::oid UNION ALL SELECT i.inhrelid "
    "FROM tree JOIN pg_inherits i ON i.inhparent = tree.relid JOIN pg_class p "
    "ON p.oid = i.inhrelid AND p.relispartition) "
    "SELECT string_agg(concat_ws(' ', c.oid, c.relnamespace, c.relname, c.relfilenode, "
    "c.relreplident, (SELECT string_agg(concat_ws(' ', attnum, attname, atttypid, atttypmod, "
    "attnotnull, attisdropped), ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid "
    "AND attnum > 0), (SELECT string_agg(concat_ws(' ', indexrelid, indisprimary, "
    "indisreplident), ',' ORDER BY indexrelid) FROM pg_index WHERE indrelid = c.oid)), ';' "
    "ORDER BY c.oid) FROM tree JOIN pg_class c ON c.oid = tree.relid), '')";

}  // namespace

std::string table_fingerprint(Connection& ordinary, std::uint32_t oid, const Interrupt& interrupt) {
  return ordinary.exec("SELECT " + fmt::format(kFingerprint, oid), interrupt).string(0, 0);
}

TableSnapshot take_table_snapshot(Connection& ordinary, std::uint32_t oid,
                                  const Interrupt& interrupt) {
  const Result row = ordinary.exec(
      "SELECT pg_current_snapshot(), CASE WHEN pg_is_in_recovery() THEN "
      "pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END, " +
          fmt::format(kFingerprint, oid),
      interrupt);
  TableSnapshot taken;
  taken.xids = row.string(0, 0);
  const auto position = base::parse_lsn(row.string(0, 1));
  if (!position) throw std::runtime_error("the server's WAL position cannot be read");
  taken.position = *position;
  taken.fingerprint = row.string(0, 2);
  return taken;
}

std::string export_snapshot(Connection& ordinary, const Interrupt& interrupt) {
  return ordinary.exec("SELECT pg_export_snapshot()", interrupt).string(0, 0);
}

TableSize table_size(Connection& ordinary, std::uint32_t oid, const Interrupt& interrupt) {
  const Result row = ordinary.exec(
      fmt::format("SELECT pg_relation_size({0}) / current_setting('block_size')::int8, "
                  "pg_table_size({0})",
                  oid),
      interrupt);
  return {static_cast<std::uint64_t>(row.integer(0, 0)),
          static_cast<std::uint64_t>(row.integer(0, 1))};
}

void lock_table(Connection& ordinary, const PublishedTable& table, const Interrupt& interrupt,
                std::chrono::milliseconds lock_timeout) {
  const std::string name = quote_table(table.schema, table.name);
  const auto changed = [&](const std::string& how) {
    return TableChanged(
        fmt::format("table {} {}: it needs a newer snapshot", table.full_name(), how));
  };
  try {
    if (lock_timeout.count() > 0) {
      ordinary.exec(fmt::format("SET LOCAL lock_timeout = {}", lock_timeout.count()), interrupt);
    }
    ordinary.exec(fmt::format("LOCK TABLE {} IN ACCESS SHARE MODE", name), interrupt);
    const Result state =
        ordinary.exec_params(kRewritten, {std::to_string(table.oid), name}, interrupt);
    if (state.boolean(0, 0)) throw changed("was rewritten or made anew after the snapshot");
    if (state.boolean(0, 1)) throw row_security_refusal(ordinary, table);
    if (!has_shape(ordinary, table, interrupt)) throw changed("changed its columns");
  } catch (const SqlError& error) {
    // undefined_table, undefined_column, invalid_schema_name
    if (error.sqlstate == "42P01") throw changed("was dropped or renamed");
    if (error.sqlstate == "42703") throw changed("changed its columns");
    if (error.sqlstate == "3F000") throw changed("lost its schema");
    if (error.sqlstate == "42501") throw missing_select_refusal(ordinary, table, error);
    throw;
  }
}

}  // namespace walspout::postgres
