#include "postgres/publication.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "log/log.hpp"
#include "postgres/quote.hpp"

namespace walspout::postgres {

namespace {

constexpr std::string_view kMark = "managed by walspout: ";
constexpr std::size_t kSqlShown = 1500;  // characters of SQL in a message

std::string comment_for(const base::TablePatterns& patterns) {
  std::string text(kMark);
  if (patterns.all()) return text + "*";
  for (const auto& pattern : patterns.patterns()) {
    text += (&pattern == &patterns.patterns().front() ? "" : ", ") + pattern;
  }
  return text;
}

using Name = std::pair<std::string, std::string>;  // schema, table

std::set<Name> names_of(const std::vector<MatchingTable>& tables) {
  std::set<Name> names;
  for (const auto& table : tables) names.emplace(table.schema, table.name);
  return names;
}

std::set<Name> listed_tables(Connection& conn, std::uint32_t publication,
                             const Interrupt& interrupt) {
  const Result rows = conn.exec_params(
      "SELECT n.nspname, c.relname FROM pg_publication_rel r JOIN pg_class c ON c.oid = r.prrelid "
      "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE r.prpubid = $1::oid",
      {std::to_string(publication)}, interrupt);
  std::set<Name> names;
  for (int row = 0; row < rows.rows(); ++row)
    names.emplace(rows.string(row, 0), rows.string(row, 1));
  return names;
}

std::string sql_list(const std::set<Name>& names) {
  std::string list;
  for (const auto& [schema, table] : names) {
    // ONLY: a child of an inheritance tree is published by its own pattern.
    list += (list.empty() ? "ONLY " : ", ONLY ") + quote_table(schema, table);
  }
  return list;
}

std::vector<std::string> shown(const std::set<Name>& names) {
  std::vector<std::string> list;
  for (const auto& [schema, table] : names) list.push_back(schema + "." + table);
  return list;
}

std::string create_sql(const std::string& name, bool all_tables, const std::set<Name>& tables,
                       int server_version) {
  std::string sql = "CREATE PUBLICATION " + quote_identifier(name);
  if (all_tables) {
    sql += " FOR ALL TABLES";
  } else if (!tables.empty()) {
    sql += " FOR TABLE " + sql_list(tables);
  }
  sql += " WITH (publish_via_partition_root = true";
  if (server_version >= 180000) sql += ", publish_generated_columns = stored";
  return sql + ")";
}

bool is_superuser(Connection& conn, const Interrupt& interrupt) {
  return conn.exec("SELECT current_setting('is_superuser')", interrupt).string(0, 0) == "on";
}

// All commands or none. A missing right becomes a Refused that shows them.
void run(Connection& conn, const std::string& name, const std::vector<std::string>& commands,
         const Interrupt& interrupt) {
  std::string sql;
  for (const auto& command : commands) sql += command + "; ";
  try {
    conn.exec("BEGIN; " + sql + "COMMIT", interrupt);
  } catch (const SqlError& error) {
    conn.exec("ROLLBACK", Interrupt());
    if (error.sqlstate != "42501") throw;
    throw Refused(fmt::format(
        "publication {} cannot be made or changed by this role (it needs CREATE on the database "
        "and must own the tables): {}; let their owner or a superuser run: {}",
        name, error.what(), sql.size() <= kSqlShown ? sql : sql.substr(0, kSqlShown) + " ..."));
  } catch (const Interrupted&) {
    if (conn.raw() != nullptr) conn.exec("ROLLBACK", Interrupt());
    throw;
  }
}

void warn_if_empty(const PublicationInfo& publication) {
  if (publication.table_count > 0) return;
  log::warn(fmt::format("publication {} has no tables: nothing will arrive until it gets some",
                        publication.name));
}

struct Wanted {
  bool all_tables = false;
  std::set<Name> tables;
  std::string set_comment;
};

PublicationOutcome create(Connection& conn, const std::string& name, const Wanted& wanted,
                          bool replaces, const Interrupt& interrupt) {
  std::vector<std::string> commands;
  // Within one transaction, so that a stream finds the one or the other at any position.
  if (replaces) commands.push_back("DROP PUBLICATION " + quote_identifier(name));
  commands.push_back(create_sql(name, wanted.all_tables, wanted.tables, conn.server_version()));
  commands.push_back(wanted.set_comment);
  run(conn, name, commands, interrupt);
  PublicationOutcome outcome;
  outcome.what = replaces ? PublicationOutcome::What::kAltered : PublicationOutcome::What::kCreated;
  outcome.added = shown(wanted.tables);
  return outcome;
}

PublicationOutcome keep_in_step(Connection& conn, const PublicationInfo& existing,
                                const Wanted& wanted, bool comment_differs,
                                const Interrupt& interrupt) {
  const auto listed = listed_tables(conn, existing.oid, interrupt);
  std::set<Name> added, removed;
  std::set_difference(wanted.tables.begin(), wanted.tables.end(), listed.begin(), listed.end(),
                      std::inserter(added, added.end()));
  std::set_difference(listed.begin(), listed.end(), wanted.tables.begin(), wanted.tables.end(),
                      std::inserter(removed, removed.end()));
  const std::string alter = "ALTER PUBLICATION " + quote_identifier(existing.name);
  std::vector<std::string> commands;
  if (!added.empty()) commands.push_back(alter + " ADD TABLE " + sql_list(added));
  if (!removed.empty()) commands.push_back(alter + " DROP TABLE " + sql_list(removed));
  if (comment_differs) commands.push_back(wanted.set_comment);
  PublicationOutcome outcome;
  if (commands.empty()) return outcome;
  run(conn, existing.name, commands, interrupt);
  outcome.what = PublicationOutcome::What::kAltered;
  outcome.added = shown(added);
  outcome.removed = shown(removed);
  return outcome;
}

}  // namespace

std::optional<PublicationInfo> find_publication(Connection& ordinary, const std::string& name,
                                                const Interrupt& interrupt) {
  const Result found = ordinary.exec_params(
      "SELECT p.oid, puballtables, pubinsert, pubupdate, pubdelete, pubtruncate, pubviaroot, "
      "coalesce(obj_description(p.oid, 'pg_publication'), ''), "
      "(SELECT count(*) FROM pg_publication_tables t WHERE t.pubname = p.pubname) "
      "FROM pg_publication p WHERE pubname = $1",
      {name}, interrupt);
  if (found.rows() == 0) return std::nullopt;
  PublicationInfo info;
  info.oid = static_cast<std::uint32_t>(found.integer(0, 0));
  info.name = name;
  info.all_tables = found.boolean(0, 1);
  info.inserts = found.boolean(0, 2);
  info.updates = found.boolean(0, 3);
  info.deletes = found.boolean(0, 4);
  info.truncates = found.boolean(0, 5);
  info.via_partition_root = found.boolean(0, 6);
  info.comment = found.string(0, 7);
  info.managed = info.comment.rfind(kMark, 0) == 0;
  info.table_count = static_cast<int>(found.integer(0, 8));
  return info;
}

PublicationOutcome ensure_publication(Connection& ordinary, const std::string& name,
                                      const base::TablePatterns& patterns,
                                      const Interrupt& interrupt) {
  const auto existing = find_publication(ordinary, name, interrupt);
  PublicationOutcome outcome;
  if (existing && !existing->managed) {
    warn_if_empty(*existing);
    outcome.what = PublicationOutcome::What::kUsedAsIs;
    outcome.all_tables = existing->all_tables;
    return outcome;
  }
  const auto tables = matching_tables(ordinary, patterns, interrupt);
  const std::string comment = comment_for(patterns);
  Wanted wanted;
  wanted.all_tables =
      patterns.all() && ((existing && existing->all_tables) || is_superuser(ordinary, interrupt));
  wanted.tables = names_of(tables);
  wanted.set_comment = fmt::format("COMMENT ON PUBLICATION {} IS {}", quote_identifier(name),
                                   quote_literal(comment));
  if (!existing || existing->all_tables != wanted.all_tables) {
    outcome = create(ordinary, name, wanted, existing.has_value(), interrupt);
  } else if (!wanted.all_tables) {
    outcome = keep_in_step(ordinary, *existing, wanted, existing->comment != comment, interrupt);
  }
  outcome.all_tables = wanted.all_tables;
  for (const auto& table : tables) {
    if (!table.has_identity) outcome.without_identity.push_back(table.schema + "." + table.name);
  }
  if (const auto now = find_publication(ordinary, name, interrupt)) warn_if_empty(*now);
  return outcome;
}

bool drop_publication(Connection& ordinary, const std::string& name, const Interrupt& interrupt) {
  if (!find_publication(ordinary, name, interrupt)) return false;
  ordinary.exec("DROP PUBLICATION IF EXISTS " + quote_identifier(name), interrupt);
  return true;
}

std::vector<std::string> publications_like(Connection& ordinary, const std::string& prefix,
                                           const Interrupt& interrupt) {
  const Result rows = ordinary.exec_params(
      "SELECT pubname FROM pg_publication WHERE starts_with(pubname, $1) ORDER BY 1", {prefix},
      interrupt);
  std::vector<std::string> names;
  for (int row = 0; row < rows.rows(); ++row) names.push_back(rows.string(row, 0));
  return names;
}

}  // namespace walspout::postgres
