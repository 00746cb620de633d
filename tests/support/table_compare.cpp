#include "support/table_compare.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "support/canonical.hpp"

namespace walspout::test {
namespace {

std::vector<ColumnType> column_types(Session& session, const PublishedTable& table,
                                     const std::string& numeric) {
  // The recursion follows domains down to their base type; the first type modifier found counts.
  std::vector<ColumnType> types;
  for (const auto& name : table.columns) {
    const Rows rows = session.query(
        "with recursive base(oid, typmod) as ("
        " select a.atttypid, a.atttypmod from pg_attribute a where a.attrelid = " +
        quote_text(quote_identifier(table.schema) + "." + quote_identifier(table.name)) +
        "::regclass and a.attname = " + quote_text(name) +
        " union all select t.typbasetype, case when b.typmod >= 0 then b.typmod else t.typtypmod "
        "end"
        " from base b join pg_type t on t.oid = b.oid and t.typtype = 'd') "
        "select coalesce(e.typname, t.typname), e.oid is not null,"
        " case when b.typmod >= 4 then ((b.typmod - 4) >> 16) & 65535 else -1 end "
        "from base b join pg_type t on t.oid = b.oid and t.typtype <> 'd' "
        "left join pg_type e on e.oid = t.typelem and t.typcategory = 'A'");
    types.push_back({*rows.at(0)[0], *rows[0][1] == "t", std::stoi(*rows[0][2]), numeric});
  }
  return types;
}

std::string column_list(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ", ") + quote_identifier(name);
  return out;
}

// Fields are kept apart by a byte that PostgreSQL's text cannot hold.
template <typename Row, typename Canonical>
std::vector<std::string> canonical_rows(const std::vector<Row>& rows,
                                        const std::vector<ColumnType>& types, Canonical canonical) {
  std::vector<std::string> out;
  out.reserve(rows.size());
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < types.size(); ++i) line += canonical(types[i], row[i]) + '\0';
    out.push_back(std::move(line));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string sample(const std::vector<std::string>& rows) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 3); ++i)
    for (const char c : rows[i].substr(0, 300)) out += c ? c : '|';
  return out;
}

std::string compare(const std::vector<std::string>& source,
                    const std::vector<std::string>& mirror) {
  if (source == mirror) return "";
  std::vector<std::string> missing, extra;
  std::set_difference(source.begin(), source.end(), mirror.begin(), mirror.end(),
                      std::back_inserter(missing));
  std::set_difference(mirror.begin(), mirror.end(), source.begin(), source.end(),
                      std::back_inserter(extra));
  return "source has " + std::to_string(source.size()) + " rows, mirror " +
         std::to_string(mirror.size()) + "; " + std::to_string(missing.size()) +
         " missing: " + sample(missing) + "; " + std::to_string(extra.size()) +
         " not in the source: " + sample(extra);
}

}  // namespace

std::vector<PublishedTable> published_tables(const PostgresServer& server, const std::string& db,
                                             const std::string& publication) {
  Session session = server.session(db);
  std::vector<PublishedTable> tables;
  // to_jsonb, since attnames and rowfilter exist from PostgreSQL 15 on only.
  for (const auto& row :
       session.query("select schemaname, tablename, coalesce(to_jsonb(p)->>'rowfilter', '') from "
                     "pg_publication_tables p where pubname = " +
                     quote_text(publication) + " order by 1, 2")) {
    PublishedTable table{*row[0], *row[1], *row[2], {}};
    for (const auto& column : session.query(
             "select a.attname from pg_attribute a, pg_publication_tables p where p.pubname = " +
             quote_text(publication) + " and schemaname = " + quote_text(table.schema) +
             " and tablename = " + quote_text(table.name) + " and a.attrelid = " +
             quote_text(quote_identifier(table.schema) + "." + quote_identifier(table.name)) +
             "::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''"
             " and coalesce(to_jsonb(p)->'attnames' ? a.attname::text, true) order by a.attnum"))
      table.columns.push_back(*column[0]);
    tables.push_back(std::move(table));
  }
  return tables;
}

std::string difference(const PostgresServer& server, const std::string& db, const Mirror& mirror,
                       const PublishedTable& table, const std::string& numeric) {
  const std::string name = table.schema + "." + table.name;
  Session session = server.session(db);
  const auto types = column_types(session, table, numeric);
  const std::string where = table.row_filter.empty() ? "" : " where " + table.row_filter;
  const auto source = canonical_rows(
      session.query("select " + column_list(table.columns) + " from " +
                    quote_identifier(table.schema) + "." + quote_identifier(table.name) + where),
      types, canonical_source);

  const std::string mirror_table = mirror.table_name(table.schema, table.name);
  if (mirror_table.empty()) return source.empty() ? "" : name + " is not in the mirror's map";
  const std::string state = mirror.state(table.schema, table.name);
  if (state != "live") return name + " is " + state + " and not live";
  std::vector<std::string> columns;
  for (const auto& column : table.columns) {
    columns.push_back(mirror.column_name(mirror_table, column));
    if (columns.back().empty()) return name + ": the mirror has no column " + column;
  }
  const auto rows = mirror.file().query("select " + column_list(columns) + " from " +
                                        quote_identifier(mirror_table));
  const std::string found = compare(source, canonical_rows(rows, types, canonical_mirror));
  return found.empty() ? "" : name + ": " + found;
}

std::string mirror_difference(const PostgresServer& server, const std::string& db,
                              const std::string& publication, const std::string& mirror_path,
                              const std::vector<std::string>& except, const std::string& numeric) {
  if (!std::filesystem::exists(mirror_path)) return "there is no mirror file";
  const Mirror mirror(mirror_path);
  for (const auto& table : published_tables(server, db, publication)) {
    if (std::count(except.begin(), except.end(), table.schema + "." + table.name)) continue;
    std::string found = difference(server, db, mirror, table, numeric);
    if (!found.empty()) return found;
  }
  return "";
}

std::string difference_in_the_end(Seconds timeout, const std::function<std::string()>& difference) {
  std::string found;
  eventually(timeout, [&] {
    try {
      found = difference();
    } catch (const std::runtime_error& error) {
      found = error.what();
    }
    return found.empty();
  });
  return found;
}

}  // namespace walspout::test
