#include "pipeline/rule_check.hpp"

#include <algorithm>

#include "base/table_pattern.hpp"

namespace walspout {
namespace {

using postgres::PublishedColumn;
using postgres::PublishedTable;

void check_patterns(const config::Sink& sink, const std::vector<PublishedTable>& tables,
                    std::vector<RuleFinding>& findings) {
  for (const std::string& pattern : sink.tables.patterns()) {
    const std::string_view wanted =
        std::string_view(pattern).substr(pattern.starts_with('!') ? 1 : 0);
    const bool any = std::any_of(tables.begin(), tables.end(), [&](const PublishedTable& table) {
      return base::glob_match(wanted, table.full_name());
    });
    if (!any)
      findings.push_back({false, "sink " + sink.name + ": no published table matches \"" + pattern +
                                     "\" of tables; correct it, or publish the table"});
  }
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

}  // namespace

std::vector<RuleFinding> check_rules(const config::Config& config,
                                     const std::vector<PublishedTable>& tables) {
  std::vector<RuleFinding> findings;
  for (const config::Sink& sink : config.sinks) {
    check_patterns(sink, tables, findings);
    for (const std::string& pattern : sink.exclude_columns)
      check_exclusion(sink, pattern, tables, findings);
  }
  return findings;
}

}  // namespace walspout
