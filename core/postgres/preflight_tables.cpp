#include <fmt/format.h>

#include "postgres/preflight_checks.hpp"
#include "postgres/publication.hpp"
#include "postgres/quote.hpp"
#include "postgres/rights.hpp"

namespace walspout::postgres {

namespace {

// $1: oids, $2: the publication. The identity counts at the leaves of a partition tree; SELECT on
// the published columns is enough.
constexpr const char* kTableChecks =
    "SELECT n.nspname, c.relname, c.relreplident, "
    "has_schema_privilege(n.oid, 'USAGE'), "
    "NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 "
    "AND NOT a.attisdropped AND {} AND NOT has_column_privilege(c.oid, a.attnum, 'SELECT')), "
    "row_security_active(c.oid), "
    "NOT EXISTS (WITH RECURSIVE tree(relid) AS (SELECT c.oid UNION ALL SELECT i.inhrelid "
    "FROM tree JOIN pg_inherits i ON i.inhparent = tree.relid JOIN pg_class p ON p.oid = "
    "i.inhrelid AND p.relispartition) SELECT FROM tree JOIN pg_class l ON l.oid = tree.relid "
    "WHERE l.relkind = 'r' AND l.relreplident <> 'f' AND NOT EXISTS (SELECT FROM pg_index i "
    "WHERE i.indrelid = l.oid AND i.indimmediate AND CASE l.relreplident WHEN 'd' THEN "
    "i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END)), "
    "(SELECT string_agg(a.attname, ', ' ORDER BY k.ord) FROM pg_index i, unnest(i.indkey) WITH "
    "ORDINALITY k(attnum, ord), pg_attribute a WHERE i.indrelid = c.oid AND i.indisprimary AND "
    "i.indimmediate AND a.attrelid = c.oid AND a.attnum = k.attnum AND k.ord <= i.indnkeyatts), "
    "(SELECT string_agg(a.attname, ', ' ORDER BY k.ord) FROM pg_index i, unnest(i.indkey) WITH "
    "ORDINALITY k(attnum, ord), pg_attribute a WHERE i.indrelid = c.oid AND i.indisreplident AND "
    "c.relreplident = 'i' AND a.attrelid = c.oid AND a.attnum = k.attnum AND k.ord <= "
    "i.indnkeyatts) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "LEFT JOIN pg_publication_tables t ON t.pubname = $2 AND t.schemaname = n.nspname "
    "AND t.tablename = c.relname WHERE c.oid = ANY ($1::oid[]) ORDER BY 1, 2";

// The tables that a start would find: those of a publication that others made, else by pattern.
std::string table_oids(const PreflightContext& context) {
  std::vector<std::uint32_t> oids;
  const auto publication =
      find_publication(context.conn, context.options.publication, context.interrupt);
  if (publication && !publication->managed) {
    for (const auto& table :
         published_tables(context.conn, context.options.publication, context.interrupt)) {
      oids.push_back(table.oid);
    }
  } else {
    for (const auto& table :
         matching_tables(context.conn, context.options.patterns, context.interrupt)) {
      oids.push_back(table.oid);
    }
  }
  std::string list;
  for (const auto oid : oids) list += (list.empty() ? "" : ",") + std::to_string(oid);
  return "{" + list + "}";
}

std::string key_text(const Result& rows, int row) {
  if (const auto primary = rows.text(row, 7)) return fmt::format("primary key ({})", *primary);
  if (const auto index = rows.text(row, 8)) {
    return fmt::format("replica identity index ({})", *index);
  }
  return rows.string(row, 2) == "f" ? "replica identity full" : "no key";
}

void check_table(const PreflightContext& context, const Result& rows, int row) {
  const std::string schema = rows.string(row, 0), name = rows.string(row, 1);
  const std::string quoted = quote_table(schema, name);
  const std::string role = role_of(context.conn);
  const std::string object = fmt::format("table {}.{}", schema, name);
  context.result.tables.push_back({schema + "." + name, key_text(rows, row)});
  if (context.options.copies) {
    if (!rows.boolean(row, 3)) {
      context.error(object, fmt::format("its schema is closed to {}", role),
                    fmt::format("GRANT USAGE ON SCHEMA {} TO {}", quote_identifier(schema), role));
    }
    if (!rows.boolean(row, 4)) {
      context.error(object, fmt::format("may not be read by {}", role),
                    fmt::format("GRANT SELECT ON {} TO {}", quoted, role));
    }
    if (rows.boolean(row, 5)) {
      context.error(object, "has row level security, which would hide rows from its copy",
                    fmt::format("ALTER ROLE {} BYPASSRLS", role));
    }
  }
  if (!rows.boolean(row, 6)) {
    context.warning(object,
                    "has no replica identity: once it is published, UPDATE and DELETE on it (or "
                    "on a partition of it) fail at the source",
                    fmt::format("ALTER TABLE {} ADD PRIMARY KEY (...), or ALTER TABLE {} REPLICA "
                                "IDENTITY FULL (of a partitioned table: each partition)",
                                quoted, quoted));
  }
}

void check_existing_publication(const PreflightContext& context, const PublicationInfo& info) {
  const std::string object = "publication " + info.name;
  std::string missing;
  for (const auto& [published, operation] :
       {std::pair(info.inserts, "insert"), std::pair(info.updates, "update"),
        std::pair(info.deletes, "delete"), std::pair(info.truncates, "truncate")}) {
    if (!published) missing += (missing.empty() ? "" : ", ") + std::string(operation);
  }
  if (!missing.empty()) {
    context.warning(object, "does not publish " + missing,
                    fmt::format("ALTER PUBLICATION {} SET (publish = 'insert, update, delete, "
                                "truncate')",
                                quote_identifier(info.name)));
  }
  if (!info.via_partition_root) {
    context.note(object, "publishes partitions as tables of their own",
                 fmt::format("ALTER PUBLICATION {} SET (publish_via_partition_root = true)",
                             quote_identifier(info.name)));
  }
  if (info.table_count == 0) {
    context.warning(object, "has no tables: nothing will arrive",
                    fmt::format("ALTER PUBLICATION {} ADD TABLE ...", quote_identifier(info.name)));
  }
}

// Whether ensure_publication() could make or alter it.
void check_publication_rights(const PreflightContext& context) {
  const std::string object = "publication " + context.options.publication;
  const std::string role = role_of(context.conn);
  if (!context.conn
           .exec("SELECT has_database_privilege(current_database(), 'CREATE')", context.interrupt)
           .boolean(0, 0)) {
    const auto database = context.conn.exec("SELECT current_database()", context.interrupt);
    context.error(object, fmt::format("is missing, and {} may not create it", role),
                  fmt::format("GRANT CREATE ON DATABASE {} TO {}, or let a superuser create it",
                              quote_identifier(database.string(0, 0)), role));
  }
  const Result foreign = context.conn.exec_params(
      "SELECT n.nspname, c.relname, pg_get_userbyid(c.relowner) FROM pg_class c "
      "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = ANY ($1::oid[]) "
      "AND NOT pg_has_role(c.relowner, 'USAGE') ORDER BY 1, 2",
      {table_oids(context)}, context.interrupt);
  for (int row = 0; row < foreign.rows(); ++row) {
    context.error(fmt::format("table {}.{}", foreign.string(row, 0), foreign.string(row, 1)),
                  fmt::format("belongs to {}: {} cannot add it to publication {}",
                              foreign.string(row, 2), role, context.options.publication),
                  fmt::format("GRANT {} TO {}, or let a superuser create the publication",
                              quote_identifier(foreign.string(row, 2)), role));
  }
}

std::string why_unpublishable(const std::string& kind, const std::string& persistence) {
  if (kind == "v") return "is a view: name the tables below it";
  if (kind == "m") return "is a materialized view: name the tables below it";
  if (kind == "f") return "is a foreign table: replicate from its own server";
  if (kind != "r" && kind != "p") return "is no table";
  if (persistence == "u") return "is unlogged: its changes are not in the log";
  if (persistence == "t") return "is a temporary table";
  return "";
}

}  // namespace

void check_publication(const PreflightContext& context) {
  const auto info = find_publication(context.conn, context.options.publication, context.interrupt);
  context.result.publication_exists = info.has_value();
  if (info && !info->managed) {
    check_existing_publication(context, *info);
  } else if (!info) {
    check_publication_rights(context);
  }
}

void check_patterns(const PreflightContext& context) {
  for (const auto& pattern : context.options.patterns.patterns()) {
    const auto dot = pattern.find('.');
    if (pattern.find_first_of("*?!") != std::string::npos || dot == std::string::npos) continue;
    const std::string schema = pattern.substr(0, dot), name = pattern.substr(dot + 1);
    const Result found = context.conn.exec_params(
        "SELECT c.relkind, c.relpersistence FROM pg_class c JOIN pg_namespace n ON n.oid = "
        "c.relnamespace WHERE n.nspname = $1 AND c.relname = $2",
        {schema, name}, context.interrupt);
    if (found.rows() == 0) {
      context.warning("table " + pattern, "does not exist",
                      "create it, or correct `tables` (upper and lower case count)");
      continue;
    }
    const auto why = why_unpublishable(found.string(0, 0), found.string(0, 1));
    if (why.empty()) continue;
    const bool unlogged = found.string(0, 1) == "u";
    context.error("table " + pattern, why,
                  unlogged ? fmt::format("ALTER TABLE {} SET LOGGED", quote_table(schema, name))
                           : "take it out of `tables`");
  }
}

void check_tables(const PreflightContext& context) {
  const bool has_lists = context.conn.server_version() >= 150000;
  const Result rows = context.conn.exec_params(
      fmt::format(kTableChecks,
                  has_lists ? "(t.attnames IS NULL OR a.attname = ANY (t.attnames))" : "true"),
      {table_oids(context), context.options.publication}, context.interrupt);
  for (int row = 0; row < rows.rows(); ++row) check_table(context, rows, row);
  if (rows.rows() == 0) {
    context.warning("tables",
                    "no table can be replicated now: neither the patterns nor the "
                    "publication give any");
  }
}

}  // namespace walspout::postgres
