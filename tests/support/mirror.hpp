// The SQLite mirror, read through its own map (contract "SQLite mirror: names").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/sqlite_file.hpp"

namespace walspout::test {

class Mirror {
 public:
  // Throws when the file does not exist yet.
  explicit Mirror(std::string path) : path_(std::move(path)), file_(path_) {}

  // "" when the map does not know the table (or there is no map yet).
  std::string table_name(const std::string& schema, const std::string& table) const;
  // copying, live or failed; "" when unknown.
  std::string state(const std::string& schema, const std::string& table) const;
  // "" when unknown.
  std::string column_name(const std::string& mirror_table, const std::string& column) const;
  // Source names, "schema.table", sorted.
  std::vector<std::string> tables() const;

  std::int64_t count(const std::string& table) const;  // of public.TABLE; 0 when there is none
  const SqliteFile& file() const { return file_; }
  const std::string& path() const { return path_; }

 private:
  bool has_map() const;

  std::string path_;
  SqliteFile file_;
};

// Like Mirror(path).count(table), but 0 as long as there is no file.
std::int64_t mirror_count(const std::string& path, const std::string& table);

}  // namespace walspout::test
