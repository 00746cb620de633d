// One data-driven case of cases/: NAME.sql and NAME.expected (the format: cases/README.md).
#pragma once

#include <string>
#include <vector>

namespace walspout::test {

struct ExpectedQuery {
  std::string sql;                // to run on the mirror
  std::vector<std::string> rows;  // literals joined by " | "
};

struct SqlCase {
  std::string name;
  std::string publication = "case_pub";
  std::string numeric = "auto";      // the sink's option
  bool settle = false;               // what no message tells may take a while to arrive
  int since = 0;                     // needs this version of PostgreSQL
  std::string before, live;          // the parts before and after "-- @@LIVE"
  std::vector<std::string> differs;  // tables not compared row by row
  std::vector<ExpectedQuery> queries;
};

// Throws std::runtime_error, naming file and line, for what it does not understand.
SqlCase read_case(const std::string& folder, const std::string& name);
std::vector<std::string> case_names(const std::string& folder);

}  // namespace walspout::test
