#include "e2e/sql_case.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "support/temp_dir.hpp"

namespace walspout::test {
namespace {

bool starts_with(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

void read_sql(SqlCase& into, const std::string& path) {
  std::istringstream in(read_file(path));
  std::string* part = &into.before;
  for (std::string line; std::getline(in, line);) {
    if (starts_with(line, "-- @@LIVE")) {
      part = &into.live;
    } else if (starts_with(line, "-- @publication ")) {
      into.publication = line.substr(16);
    } else if (starts_with(line, "-- @numeric ")) {
      into.numeric = line.substr(12);
    } else if (line == "-- @settle") {
      into.settle = true;
    } else if (starts_with(line, "-- @since ")) {
      into.since = std::stoi(line.substr(10));
    } else {
      *part += line + "\n";
    }
  }
  if (into.live.empty()) throw std::runtime_error(path + " has nothing after \"-- @@LIVE\"");
}

void read_expected(SqlCase& into, const std::string& path) {
  std::istringstream in(read_file(path));
  enum { kOutside, kSql, kRows } where = kOutside;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (where == kOutside) {
      if (line == "query") {
        into.queries.emplace_back();
        where = kSql;
      } else if (starts_with(line, "differs ")) {
        into.differs.push_back(line.substr(8));
      } else if (!line.empty() && line[0] != '#') {
        throw std::runtime_error(path + ":" + std::to_string(number) + ": not understood: " + line);
      }
    } else if (line.empty()) {
      where = kOutside;
    } else if (line == "----") {
      where = kRows;
    } else if (where == kSql) {
      into.queries.back().sql += line + "\n";
    } else {
      into.queries.back().rows.push_back(line);
    }
  }
  if (into.queries.empty()) throw std::runtime_error(path + " has no query");
}

}  // namespace

SqlCase read_case(const std::string& folder, const std::string& name) {
  SqlCase out;
  out.name = name;
  read_sql(out, folder + "/" + name + ".sql");
  read_expected(out, folder + "/" + name + ".expected");
  return out;
}

std::vector<std::string> case_names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".sql") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace walspout::test
