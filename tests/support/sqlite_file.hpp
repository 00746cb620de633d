// A SQLite file as a user of the mirror opens it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

struct sqlite3;

namespace walspout::test {

struct Blob {
  std::string bytes;
  bool operator==(const Blob&) const = default;
};
using SqlValue = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;
using SqlRow = std::vector<SqlValue>;

// As a SQL literal: NULL, 12, 1.5, 'it''s', X'00FF'. A real always has a point or an exponent.
std::string literal(const SqlValue& value);

class SqliteFile {
 public:
  enum class Mode { kRead, kWrite };
  // Throws std::runtime_error when the file does not exist. Waits up to 10 s for locks.
  explicit SqliteFile(const std::string& path, Mode mode = Mode::kRead);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  std::vector<SqlRow> query(const std::string& sql) const;
  std::string text(const std::string& sql) const;      // the first value, without quotes
  std::int64_t integer(const std::string& sql) const;  // the first value; 0 for none
  void exec(const std::string& sql);                   // one statement or several

 private:
  sqlite3* db_ = nullptr;
};

std::string quote_identifier(const std::string& name);
std::string quote_text(const std::string& text);

}  // namespace walspout::test
