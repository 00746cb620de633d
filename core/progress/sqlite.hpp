// SQLite as this folder uses it. Errors are SqliteError; one thread at a time.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace walspout::progress {

struct SqliteError : std::runtime_error {
  explicit SqliteError(sqlite3* database)
      : std::runtime_error(std::string("state.db: ") + sqlite3_errmsg(database)) {}
};

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

inline Statement prepare(sqlite3* database, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) != SQLITE_OK)
    throw SqliteError(database);
  return Statement(statement);
}

inline void execute(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    throw SqliteError(database);
}

inline void bind(sqlite3_stmt* statement, int index, std::string_view text) {
  // A null pointer would be NULL.
  sqlite3_bind_text64(statement, index, text.empty() ? "" : text.data(), text.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
}

// False when there is no more row.
inline bool step_row(sqlite3* database, sqlite3_stmt* statement) {
  const int step = sqlite3_step(statement);
  if (step != SQLITE_ROW && step != SQLITE_DONE) throw SqliteError(database);
  return step == SQLITE_ROW;
}

// A statement without rows, to be run again with other values.
inline void run(sqlite3* database, sqlite3_stmt* statement) {
  while (step_row(database, statement)) {
  }
  sqlite3_reset(statement);
}

inline std::string text(sqlite3_stmt* statement, int column) {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return {data == nullptr ? "" : data,
          static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

// Rolls back unless committed.
class Transaction {
 public:
  explicit Transaction(sqlite3* database) : database_(database) {
    execute(database_, "BEGIN IMMEDIATE");
  }
  ~Transaction() {
    // Fails when SQLite has rolled back by itself; either way nothing of it stays.
    if (sqlite3_get_autocommit(database_) == 0)
      sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit() const { execute(database_, "COMMIT"); }

 private:
  sqlite3* database_;
};

}  // namespace walspout::progress
