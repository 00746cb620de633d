#include "storm/catalogue.hpp"

#include <algorithm>

#include "support/sqlite_file.hpp"

namespace walspout::test::storm {
namespace {

std::vector<Column> read_columns(Session& session, const std::string& table) {
  std::vector<Column> columns;
  for (const auto& row : session.query(
           "select a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,"
           " bool_or(i.indisprimary) is true, bool_or(i.indisunique) is true, a.attgenerated <> ''"
           " from pg_attribute a left join pg_index i on i.indrelid = a.attrelid"
           " and a.attnum = any(i.indkey) where a.attnum > 0 and not a.attisdropped"
           " and a.attrelid = " +
           quote_text(table) + "::regclass group by a.attnum, 1, 2, 3, 6 order by a.attnum"))
    columns.push_back(
        {*row[0], *row[1], row[2] == "t", row[3] == "t", row[4] == "t", row[5] == "t"});
  return columns;
}

std::vector<std::string> read_identity_indexes(Session& session, const std::string& table) {
  std::vector<std::string> names;
  for (const auto& row : session.query(
           "select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid"
           " where i.indisunique and i.indimmediate and i.indisvalid and i.indpred is null"
           " and i.indexprs is null and i.indrelid = " +
           quote_text(table) +
           "::regclass and not exists (select from pg_attribute a where a.attrelid = i.indrelid"
           " and a.attnum = any(i.indkey) and not a.attnotnull) order by 1"))
    names.push_back(quote_identifier(*row[0]));
  return names;
}

}  // namespace

std::string Column::sql() const { return quote_identifier(name); }

std::string Table::sql() const { return quote_identifier(schema) + "." + quote_identifier(name); }

bool Table::has(const std::string& column) const {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const Column& c) { return c.name == column; });
}

std::vector<Table> read_tables(Session& session) {
  std::vector<Table> tables;
  for (const auto& row : session.query(
           "select n.nspname, c.relname, coalesce('\"' || pn.nspname || '\".\"' || p.relname"
           " || '\"', ''), c.relkind = 'p',"
           " c.relreplident, exists (select from pg_index i where i.indrelid = c.oid and"
           " i.indisprimary)"
           " from pg_class c join pg_namespace n on n.oid = c.relnamespace"
           " left join pg_inherits h on h.inhrelid = c.oid"
           " left join pg_class p on p.oid = h.inhparent"
           " left join pg_namespace pn on pn.oid = p.relnamespace"
           " where c.relkind in ('r', 'p') and c.relpersistence = 'p' and n.nspname !~ '^pg_' and"
           " n.nspname <> 'information_schema' order by n.nspname, c.relname collate \"C\"")) {
    Table table{*row[0], *row[1], *row[2], row[3] == "t", row[4]->at(0), row[5] == "t", {}, {}};
    table.columns = read_columns(session, table.sql());
    table.identity_indexes = read_identity_indexes(session, table.sql());
    tables.push_back(std::move(table));
  }
  return tables;
}

std::vector<std::string> read_labels(Session& session, const std::string& type) {
  std::vector<std::string> labels;
  for (const auto& row : session.query("select enumlabel from pg_enum where enumtypid = " +
                                       quote_text(type) + "::regtype order by enumsortorder"))
    labels.push_back(*row[0]);
  return labels;
}

}  // namespace walspout::test::storm
