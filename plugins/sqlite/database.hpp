// RAII over the SQLite C interface: one connection, its statements, a savepoint. One thread.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace walspout::sqlite {

// What SQLite said: its extended result code and its message.
class SqliteError : public std::runtime_error {
 public:
  SqliteError(int code, const std::string& what) : std::runtime_error(what), code_(code) {}
  int code() const { return code_; }            // extended, SQLITE_CONSTRAINT_TRIGGER
  int primary() const { return code_ & 0xff; }  // SQLITE_CONSTRAINT

 private:
  int code_;
};

// From running a prepared statement, as opposed to preparing one or to exec().
class StepError : public SqliteError {
 public:
  using SqliteError::SqliteError;
};

// A prepared statement. Text and blobs are bound without a copy: they must outlive the next step.
class Statement {
 public:
  Statement() = default;
  Statement(sqlite3* db, std::string_view sql);

  void bind(int index, int64_t value) { sqlite3_bind_int64(get(), index, value); }
  void bind(int index, double value) { sqlite3_bind_double(get(), index, value); }
  void bind(int index, std::string_view text);
  void bind_blob(int index, std::string_view bytes);
  void bind_null(int index) { sqlite3_bind_null(get(), index); }

  bool step();  // true: a row is there. Throws SqliteError (and resets first)
  void run();   // to the end, whatever rows come, and resets
  void reset() { sqlite3_reset(get()); }

  std::string_view text(int column) const;  // "" for NULL; valid until the next step
  int64_t integer(int column) const { return sqlite3_column_int64(get(), column); }
  bool is_null(int column) const { return sqlite3_column_type(get(), column) == SQLITE_NULL; }
  sqlite3_stmt* get() const { return stmt_.get(); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> stmt_;
};

// A connection. Not movable, so that statements and handlers may keep its address.
class Database {
 public:
  explicit Database(const std::string& path);  // creates the file with mode 0600 when missing
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  sqlite3* get() const { return db_.get(); }
  const std::string& path() const { return path_; }
  void exec(const std::string& sql);
  Statement prepare(std::string_view sql) { return Statement(get(), sql); }
  bool in_transaction() const { return sqlite3_get_autocommit(get()) == 0; }
  int changes() const { return sqlite3_changes(get()); }  // rows of the last statement

  // prepare, bind the arguments in order, run. For statements off the hot path.
  template <class... Args>
  void run(std::string_view sql, const Args&... args) {
    Statement s = prepare(sql);
    bind_all(s, args...);
    s.run();
  }
  // The first column of each row.
  template <class... Args>
  std::vector<std::string> column(std::string_view sql, const Args&... args) {
    std::vector<std::string> rows;
    Statement s = prepare(sql);
    bind_all(s, args...);
    while (s.step()) rows.emplace_back(s.text(0));
    return rows;
  }
  template <class... Args>
  bool exists(std::string_view sql, const Args&... args) {
    Statement s = prepare(sql);
    bind_all(s, args...);
    return s.step();
  }
  template <class... Args>
  static void bind_all(Statement& s, const Args&... args) {
    int index = 0;
    (s.bind(++index, args), ...);
  }

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> db_;
};

// SAVEPOINT on construction; what is not released is rolled back. Nests.
class Savepoint {
 public:
  explicit Savepoint(Database& db);
  ~Savepoint();
  Savepoint(const Savepoint&) = delete;
  Savepoint& operator=(const Savepoint&) = delete;
  void release();

 private:
  Database& db_;
  bool open_ = true;
};

// Quotes an identifier for SQL.
std::string quote(std::string_view name);

}  // namespace walspout::sqlite
