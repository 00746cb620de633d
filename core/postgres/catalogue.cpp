#include "postgres/catalogue.hpp"

#include <fmt/format.h>

#include <map>

namespace walspout::postgres {

namespace {

// One row per table and column (one without column for a table that has none). `published` is
// computed here, as a key counts only when all of it is published. Before 18 no generated column
// is published; there pg_publication_tables knows.
constexpr const char* kTables =
    "WITH RECURSIVE published AS (SELECT c.oid, c.relkind, {0} AS attnames, {1} AS rowfilter "
    "FROM pg_publication_tables t JOIN pg_namespace n ON n.nspname = t.schemaname "
    "JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename WHERE t.pubname = $1 "
    "AND ($2 = '0' OR c.oid = $2::oid)), "
    "tree AS (SELECT oid AS root, oid AS relid FROM published UNION ALL "
    "SELECT tree.root, i.inhrelid FROM tree JOIN pg_inherits i ON i.inhparent = tree.relid "
    "JOIN pg_class p ON p.oid = i.inhrelid AND p.relispartition), "
    "size AS (SELECT root, sum(CASE WHEN c.reltuples >= 0 THEN c.reltuples::float8 END) AS rows, "
    "sum(c.relpages::int8 + coalesce(toast.relpages, 0)) AS pages FROM tree "
    "JOIN pg_class c ON c.oid = tree.relid AND c.relkind <> 'p' "
    "LEFT JOIN pg_class toast ON toast.oid = c.reltoastrelid GROUP BY root) "
    "SELECT c.oid, n.nspname, c.relname, c.relkind, c.relreplident, p.rowfilter, c.relfilenode, "
    "coalesce(size.rows, -1), coalesce(size.pages, 0) * current_setting('block_size')::int8, "
    "a.attname, a.attnum, a.atttypid, a.atttypmod, a.attnotnull, a.attgenerated <> '', "
    "(p.attnames IS NULL OR a.attname = ANY (p.attnames)) AND {2}, "
    "(SELECT ord FROM pg_index i, unnest(i.indkey) WITH ORDINALITY k(attnum, ord) "
    "WHERE i.indrelid = c.oid AND i.indisprimary AND i.indimmediate AND k.attnum = a.attnum "
    "AND ord <= i.indnkeyatts), "
    "(SELECT ord FROM pg_index i, unnest(i.indkey) WITH ORDINALITY k(attnum, ord) "
    "WHERE i.indrelid = c.oid AND i.indimmediate AND CASE c.relreplident WHEN 'd' THEN "
    "i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END AND k.attnum = a.attnum "
    "AND ord <= i.indnkeyatts) "
    "FROM published p JOIN pg_class c ON c.oid = p.oid "
    "JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN size ON size.root = c.oid "
    "LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
    "ORDER BY n.nspname, c.relname, a.attnum";

using Key = std::map<std::int64_t, std::string>;  // place -> column

std::vector<std::string> in_order(const Key& key) {
  std::vector<std::string> names;
  for (const auto& [place, name] : key) names.push_back(name);
  return names;
}

PublishedTable table_of(const Result& rows, int row) {
  PublishedTable table;
  table.oid = static_cast<std::uint32_t>(rows.integer(row, 0));
  table.schema = rows.string(row, 1);
  table.name = rows.string(row, 2);
  table.relkind = rows.string(row, 3).at(0);
  table.replica_identity = rows.string(row, 4).at(0);
  if (const auto filter = rows.text(row, 5)) table.row_filter = std::string(*filter);
  table.relfilenode = static_cast<std::uint32_t>(rows.integer(row, 6));
  table.estimated_rows = std::stod(rows.string(row, 7));
  table.bytes = rows.integer(row, 8);
  return table;
}

PublishedColumn column_of(const Result& rows, int row, char replica_identity) {
  PublishedColumn column;
  column.name = rows.string(row, 9);
  column.attnum = static_cast<std::int16_t>(rows.integer(row, 10));
  column.type_oid = static_cast<std::uint32_t>(rows.integer(row, 11));
  column.type_mod = static_cast<std::int32_t>(rows.integer(row, 12));
  column.not_null = rows.boolean(row, 13);
  column.generated = rows.boolean(row, 14);
  column.in_identity = replica_identity == 'f' || rows.text(row, 17).has_value();
  return column;
}

// oid 0: all tables.
std::vector<PublishedTable> look_up(Connection& ordinary, const std::string& publication,
                                    std::uint32_t oid, const Interrupt& interrupt) {
  const int version = ordinary.server_version();
  const bool has_lists = version >= 150000;
  const Result rows =
      ordinary.exec_params(fmt::format(kTables, has_lists ? "t.attnames" : "NULL::name[]",
                                       has_lists ? "t.rowfilter" : "NULL::text",
                                       version >= 180000 ? "true" : "a.attgenerated = ''"),
                           {publication, std::to_string(oid)}, interrupt);
  std::vector<PublishedTable> tables;
  for (int row = 0; row < rows.rows();) {
    PublishedTable table = table_of(rows, row);
    const std::string same = rows.string(row, 0);
    Key primary, identity;
    bool primary_published = true;
    for (; row < rows.rows() && rows.string(row, 0) == same; ++row) {
      if (!rows.text(row, 9)) continue;  // a table without columns
      const bool published = rows.boolean(row, 15);
      const std::string name = rows.string(row, 9);
      if (rows.text(row, 16)) primary[rows.integer(row, 16)] = name;
      if (rows.text(row, 17)) identity[rows.integer(row, 17)] = name;
      if (rows.text(row, 16) && !published) primary_published = false;
      if (published) table.columns.push_back(column_of(rows, row, table.replica_identity));
    }
    if (primary_published) table.primary_key = in_order(primary);
    table.identity_index = in_order(identity);
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace

std::vector<PublishedTable> published_tables(Connection& ordinary, const std::string& publication,
                                             const Interrupt& interrupt) {
  return look_up(ordinary, publication, 0, interrupt);
}

std::optional<PublishedTable> published_table(Connection& ordinary, const std::string& publication,
                                              std::uint32_t oid, const Interrupt& interrupt) {
  auto found = look_up(ordinary, publication, oid, interrupt);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::optional<TableKey> table_key(Connection& ordinary, std::uint32_t oid,
                                  const Interrupt& interrupt) {
  const Result rows = ordinary.exec_params(
      "SELECT c.relreplident, i.indisprimary, CASE c.relreplident WHEN 'd' THEN i.indisprimary "
      "WHEN 'i' THEN i.indisreplident ELSE false END, a.attname, "
      "(SELECT oid FROM pg_constraint WHERE conrelid = c.oid AND contype = 'p') "
      "FROM pg_class c LEFT JOIN (pg_index i "
      "CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY k(attnum, ord) "
      "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum) "
      "ON i.indrelid = c.oid AND i.indimmediate AND (i.indisprimary OR i.indisreplident) "
      "AND k.ord <= i.indnkeyatts WHERE c.oid = $1::oid ORDER BY i.indexrelid, k.ord",
      {std::to_string(oid)}, interrupt);
  if (rows.rows() == 0) return std::nullopt;
  TableKey key;
  key.replica_identity = rows.string(0, 0).at(0);
  if (rows.text(0, 4)) key.primary_constraint = static_cast<std::uint32_t>(rows.integer(0, 4));
  for (int row = 0; row < rows.rows(); ++row) {
    if (!rows.text(row, 3)) continue;  // no index
    if (rows.boolean(row, 1)) key.primary_key.push_back(rows.string(row, 3));
    if (rows.boolean(row, 2)) key.identity_index.push_back(rows.string(row, 3));
  }
  return key;
}

}  // namespace walspout::postgres
