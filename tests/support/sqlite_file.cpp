#include "support/sqlite_file.hpp"

#include <sqlite3.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace walspout::test {
namespace {

SqlValue column(sqlite3_stmt* statement, int i) {
  const auto bytes = [&](const void* data) {
    return std::string(static_cast<const char*>(data),
                       static_cast<std::size_t>(sqlite3_column_bytes(statement, i)));
  };
  switch (sqlite3_column_type(statement, i)) {
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(statement, i)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, i);
    case SQLITE_TEXT:
      return bytes(sqlite3_column_text(statement, i));
    case SQLITE_BLOB: {
      const void* data = sqlite3_column_blob(statement, i);
      return Blob{data ? bytes(data) : std::string()};
    }
    default:
      return std::monostate{};
  }
}

std::string real_literal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", value);
  if (std::strtod(text, nullptr) != value) std::snprintf(text, sizeof text, "%.17g", value);
  const std::string out = text;
  return out.find_first_of(".einf") == std::string::npos ? out + ".0" : out;
}

std::string hex_literal(const std::string& bytes) {
  static const char* digits = "0123456789ABCDEF";
  std::string out = "X'";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out + "'";
}

}  // namespace

std::string quote_identifier(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string quote_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

std::string literal(const SqlValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&value)) return real_literal(*real);
  if (const auto* text = std::get_if<std::string>(&value)) return quote_text(*text);
  if (const auto* blob = std::get_if<Blob>(&value)) return hex_literal(blob->bytes);
  return "NULL";
}

SqliteFile::SqliteFile(const std::string& path, Mode mode) {
  const int flags = mode == Mode::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (sqlite3_open_v2(path.c_str(), &db_, flags, nullptr) != SQLITE_OK) {
    const std::string text = sqlite3_errmsg(db_);
    sqlite3_close(db_);
    throw std::runtime_error(path + ": " + text);
  }
  sqlite3_busy_timeout(db_, 10000);
}

SqliteFile::~SqliteFile() { sqlite3_close(db_); }

std::vector<SqlRow> SqliteFile::query(const std::string& sql) const {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &raw, nullptr) != SQLITE_OK)
    throw std::runtime_error(std::string(sqlite3_errmsg(db_)) + ": " + sql);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(raw, sqlite3_finalize);
  std::vector<SqlRow> rows;
  int result = 0;
  while ((result = sqlite3_step(raw)) == SQLITE_ROW) {
    SqlRow row;
    for (int i = 0; i < sqlite3_column_count(raw); ++i) row.push_back(column(raw, i));
    rows.push_back(std::move(row));
  }
  if (result != SQLITE_DONE)
    throw std::runtime_error(std::string(sqlite3_errmsg(db_)) + ": " + sql);
  return rows;
}

void SqliteFile::exec(const std::string& sql) {
  if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    throw std::runtime_error(std::string(sqlite3_errmsg(db_)) + ": " + sql);
}

std::string SqliteFile::text(const std::string& sql) const {
  const auto rows = query(sql);
  if (rows.empty()) return "";
  const auto* text = std::get_if<std::string>(&rows[0].at(0));
  return text ? *text : literal(rows[0][0]);
}

std::int64_t SqliteFile::integer(const std::string& sql) const {
  const auto rows = query(sql);
  if (rows.empty()) return 0;
  const auto* number = std::get_if<std::int64_t>(&rows[0].at(0));
  return number ? *number : 0;
}

}  // namespace walspout::test
