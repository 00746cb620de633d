#include "pipeline/rule_check.hpp"

#include <algorithm>
#include <utility>

#include "base/quote.hpp"
#include "base/table_pattern.hpp"
#include "postgres/quote.hpp"

namespace walspout {
namespace {

using postgres::PublishedColumn;
using postgres::PublishedTable;

void check_patterns(const config::Sink& sink, const std::vector<PublishedTable>& tables,
                    std::vector<RuleFinding>& findings) {
  for (const std::string& pattern : unmatched(sink.tables.patterns(), tables))
    findings.push_back({false, "sink " + sink.name + ": no published table matches \"" + pattern +
                                   "\" of tables; correct it, or publish the table"});
}

bool is_key(const PublishedTable& table, const PublishedColumn& column) {
  const auto& primary = table.primary_key;
  if (std::find(primary.begin(), primary.end(), column.name) != primary.end()) return true;
  return column.in_identity && table.replica_identity != 'f';
}

void check_exclusion(const config::Sink& sink, const std::string& pattern,
                     const std::vector<PublishedTable>& tables,
                     std::vector<RuleFinding>& findings) {
  bool any = false;
  for (const PublishedTable& table : tables) {
    if (!sink.tables.matches(table.schema, table.name)) continue;
    for (const PublishedColumn& column : table.columns) {
      if (!base::glob_match(pattern, table.full_name() + '.' + column.name)) continue;
      any = true;
      if (is_key(table, column))
        findings.push_back({true, "sink " + sink.name + ": exclude_columns takes away " +
                                      table.full_name() + '.' + column.name +
                                      ", a column of the key by which rows are found; keep it"});
    }
  }
  if (!any)
    findings.push_back({false, "sink " + sink.name + ": exclude_columns \"" + pattern +
                                   "\" matches no column of its tables, so nothing is left out; "
                                   "names are compared with upper and lower case"});
}

// "public.a, public.b and 3 more"
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

// `operations = ["insert", "delete"]`: what the sink gets now, less one kind.
std::string operations_without(std::uint32_t operations, route::Operation left) {
  constexpr std::pair<route::Operation, const char*> kWords[] = {{route::kInsert, "insert"},
                                                                 {route::kUpdate, "update"},
                                                                 {route::kDelete, "delete"},
                                                                 {route::kTruncate, "truncate"}};
  std::string list;
  for (const auto& [operation, word] : kWords) {
    if (operation == left || (operations & operation) == 0) continue;
    list += (list.empty() ? "\"" : ", \"") + std::string(word) + '"';
  }
  return "operations = [" + list + "]";
}

bool has_key(const PublishedTable& table) {
  return !table.primary_key.empty() || !table.identity_index.empty();
}

// The routes of one sink against what its plugin declares. What a route may bring counts, not what
// it has brought so far: a change that comes one day to a sink that cannot take it would be lost,
// or stop the sink. The configuration's own words (operations, tables, exclude_columns) are the way
// out.
class RouteCheck {
 public:
  RouteCheck(const RuledSink& sink, const Published& published, std::vector<RuleFinding>& findings)
      : sink_(sink), published_(published), findings_(findings) {
    for (const PublishedTable& table : published.tables)
      if (sink.config->tables.matches(table.schema, table.name)) tables_.push_back(&table);
  }

  void run() {
    if (tables_.empty()) return;
    check_truncate();
    for (const PublishedTable* table : tables_) check_key(*table);
    if ((sink_.operations & route::kUpdate) != 0 && published_.publication.updates) {
      check_key_change();
      for (const PublishedTable* table : tables_) check_whole_rows(*table);
    }
    check_schema();
  }

 private:
  bool takes(std::uint64_t what) const { return (sink_.takes & what) != 0; }
  std::string plugin() const { return "sink " + sink_.config->name + ": plugin " + sink_.plugin; }
  void refuse(std::string text) { findings_.push_back({true, std::move(text)}); }

  // The configuration's own words are taken as they are: without truncate in operations it is not
  // to come.
  void check_truncate() {
    if (takes(WALSPOUT_TAKES_TRUNCATE) || sink_.config->operations.has_value() ||
        !published_.publication.truncates)
      return;
    std::vector<std::string> names;
    for (const PublishedTable* table : tables_) names.push_back(table->full_name());
    refuse(plugin() + " cannot take truncate, which publication " + published_.publication.name +
           " publishes of " + listed(names) + "; to leave it out, set " +
           operations_without(sink_.operations, route::kTruncate));
  }

  void check_key(const PublishedTable& table) {
    if (takes(WALSPOUT_TAKES_NO_KEY) || has_key(table)) return;
    refuse(plugin() + " needs a key, and " + table.full_name() + " has none that is published; " +
           "ALTER TABLE " + postgres::quote_table(table.schema, table.name) +
           " ADD PRIMARY KEY (...), or leave the table out with \"!" + table.full_name() +
           "\" in tables");
  }

  // Any key can be updated, identity columns included (SET DEFAULT), so that nothing short of not
  // routing updates keeps such a change away. A table without a key has none to change.
  void check_key_change() {
    if (takes(WALSPOUT_TAKES_KEY_CHANGE)) return;
    std::vector<std::string> names;
    for (const PublishedTable* table : tables_)
      if (has_key(*table)) names.push_back(table->full_name());
    if (names.empty()) return;
    refuse(plugin() + " cannot take updates that change a key, which may come of " + listed(names) +
           "; to leave updates out, set " + operations_without(sink_.operations, route::kUpdate) +
           ", or use a plugin that takes them");
  }

  void check_whole_rows(const PublishedTable& table) {
    if (takes(WALSPOUT_TAKES_PARTIAL_ROW)) return;
    const auto found = published_.left_out.find(table.oid);
    if (found == published_.left_out.end()) return;
    std::vector<std::string> names;
    for (const std::string& column : found->second)
      if (is_routed(table, column)) names.push_back(column);
    if (names.empty()) return;
    const bool parts = table.relkind == 'p';
    refuse(plugin() + " needs whole rows, and updates of " + table.full_name() +
           " leave out long values that they do not change (" + listed(names) + "); ALTER TABLE " +
           postgres::quote_table(table.schema, table.name) + " REPLICA IDENTITY FULL" +
           (parts ? " (of each partition)" : "") + ", or name the columns in exclude_columns, or " +
           "set " + operations_without(sink_.operations, route::kUpdate));
  }

  bool is_routed(const PublishedTable& table, const std::string& column) const {
    const bool published =
        std::any_of(table.columns.begin(), table.columns.end(),
                    [&](const PublishedColumn& one) { return one.name == column; });
    const auto& excluded = sink_.config->exclude_columns;
    return published &&
           std::none_of(excluded.begin(), excluded.end(), [&](const std::string& pattern) {
             return base::glob_match(pattern, table.full_name() + '.' + column);
           });
  }

  // No refusal: every row comes with its own shape, so that a sink of events loses nothing. One
  // that keeps rows does not hear what old rows got in a new column, which only a warning can mend:
  // it is wrong from the day on which somebody adds such a column, and then for these values alone.
  void check_schema() {
    if (takes(WALSPOUT_TAKES_SCHEMA) || (sink_.caps & WALSPOUT_CAP_SNAPSHOT) == 0) return;
    findings_.push_back(
        {false, plugin() +
                    " takes no schema changes: values that a new column gives to old rows do not "
                    "reach it; run `walspout resync` for a table after it got such a column"});
  }

  const RuledSink& sink_;
  const Published& published_;
  std::vector<RuleFinding>& findings_;
  std::vector<const PublishedTable*> tables_;
};

}  // namespace

std::vector<std::string> unmatched(std::span<const std::string> patterns,
                                   std::span<const PublishedTable> tables) {
  std::vector<std::string> none;
  for (const std::string& pattern : patterns) {
    const std::string_view wanted =
        std::string_view(pattern).substr(pattern.starts_with('!') ? 1 : 0);
    const bool any = std::any_of(tables.begin(), tables.end(), [&](const PublishedTable& table) {
      return base::glob_match(wanted, table.full_name());
    });
    if (!any) none.push_back(pattern);
  }
  return none;
}

std::string nothing_matches(std::span<const std::string> patterns) {
  std::string names;
  for (const std::string& pattern : patterns)
    names += (names.empty() ? "" : ", ") + base::quoted(pattern);
  return "no published table matches " + names +
         "; correct it (patterns are as in [source] tables), or publish the table";
}

RuledSink ruled_sink(const PreparedSink& sink) {
  const walspout_plugin& plugin = sink.plugin->descriptor();
  return {sink.config, plugin.name, plugin.caps, plugin.takes, sink.operations};
}

std::vector<RuledSink> ruled_sinks(const config::Config& config, const Sinks& sinks) {
  const std::vector<route::Rules> rules = sinks.rules();
  std::vector<RuledSink> ruled;
  for (std::size_t i = 0; i < rules.size(); ++i)
    ruled.push_back({&config.sinks[i], config.sinks[i].plugin, sinks.caps(i), sinks.takes(i),
                     rules[i].operations});
  return ruled;
}

Published read_published(postgres::Connection& ordinary, const std::string& publication,
                         const postgres::Interrupt& interrupt) {
  const auto info = postgres::find_publication(ordinary, publication, interrupt);
  if (!info) throw postgres::Refused("publication " + publication + " does not exist");
  Published published{*info, postgres::published_tables(ordinary, publication, interrupt), {}};
  std::string oids;
  for (const PublishedTable& table : published.tables)
    oids += (oids.empty() ? "" : ",") + std::to_string(table.oid);
  // A table has TOAST storage when a row may become too long for a page. A number of up to 28
  // digits is shorter than the pointer that would replace it, which is what the server compares
  // with.
  const postgres::Result rows = ordinary.exec_params(
      "WITH RECURSIVE tree(root, relid) AS (SELECT o, o FROM unnest($1::oid[]) o UNION ALL "
      "SELECT tree.root, i.inhrelid FROM tree JOIN pg_catalog.pg_inherits i "
      "ON i.inhparent = tree.relid JOIN pg_catalog.pg_class p ON p.oid = i.inhrelid "
      "AND p.relispartition) "
      "SELECT DISTINCT tree.root, a.attname FROM tree "
      "JOIN pg_catalog.pg_class c ON c.oid = tree.relid AND c.relkind = 'r' "
      "AND c.relreplident <> 'f' AND c.reltoastrelid <> 0 "
      "JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 "
      "AND NOT a.attisdropped AND a.attlen = -1 AND a.attstorage <> 'p' "
      "AND NOT (a.atttypid = 'pg_catalog.numeric'::pg_catalog.regtype AND a.atttypmod >= 4 "
      "AND ((a.atttypmod - 4) >> 16) & 65535 <= 28) ORDER BY 1, 2",
      {"{" + oids + "}"}, interrupt);
  for (int row = 0; row < rows.rows(); ++row)
    published.left_out[static_cast<std::uint32_t>(rows.integer(row, 0))].push_back(
        rows.string(row, 1));
  return published;
}

std::vector<RuleFinding> check_rules(std::span<const RuledSink> sinks, const Published& published) {
  std::vector<RuleFinding> findings;
  for (const RuledSink& sink : sinks) {
    check_patterns(*sink.config, published.tables, findings);
    for (const std::string& pattern : sink.config->exclude_columns)
      check_exclusion(*sink.config, pattern, published.tables, findings);
    RouteCheck(sink, published, findings).run();
  }
  return findings;
}

}  // namespace walspout
