#include "database.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace walspout::sqlite {

namespace {

[[noreturn]] void fail(sqlite3* db) {
  throw SqliteError(sqlite3_extended_errcode(db), sqlite3_errmsg(db));
}

// SQLite would create the file as the umask says; the -wal and -shm files take over its mode.
void create_private(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) throw SqliteError(SQLITE_CANTOPEN, std::strerror(errno));
  ::close(fd);
}

}  // namespace

Statement::Statement(sqlite3* db, std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                         &raw, nullptr) != SQLITE_OK)
    fail(db);
  stmt_.reset(raw);
}

void Statement::bind(int index, std::string_view text) {
  // A null pointer would bind NULL; empty text is not NULL.
  const char* data = text.data() == nullptr ? "" : text.data();
  if (sqlite3_bind_text64(get(), index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8) != SQLITE_OK)
    fail(sqlite3_db_handle(get()));
}

void Statement::bind_blob(int index, std::string_view bytes) {
  const char* data = bytes.data() == nullptr ? "" : bytes.data();
  if (sqlite3_bind_blob64(get(), index, data, bytes.size(), SQLITE_STATIC) != SQLITE_OK)
    fail(sqlite3_db_handle(get()));
}

bool Statement::step() {
  const int rc = sqlite3_step(get());
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) {
    sqlite3_reset(get());
    return false;
  }
  sqlite3* db = sqlite3_db_handle(get());
  StepError error(sqlite3_extended_errcode(db), sqlite3_errmsg(db));
  sqlite3_reset(get());
  throw error;
}

void Statement::run() {
  while (step()) {
  }
}

std::string_view Statement::text(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(get(), column));
  const auto size = static_cast<size_t>(sqlite3_column_bytes(get(), column));
  return data == nullptr ? std::string_view() : std::string_view(data, size);
}

Database::Database(const std::string& path) : path_(path) {
  create_private(path);
  sqlite3* raw = nullptr;
  // A name that looks like an URI is a file name all the same, whatever the library was built with.
  const std::string name = path.rfind("file:", 0) == 0 ? "./" + path : path;
  const int rc =
      sqlite3_open_v2(name.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  db_.reset(raw);
  if (rc != SQLITE_OK) throw SqliteError(rc, raw ? sqlite3_errmsg(raw) : sqlite3_errstr(rc));
  sqlite3_extended_result_codes(raw, 1);
}

void Database::exec(const std::string& sql) {
  if (sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(get());
}

Savepoint::Savepoint(Database& db) : db_(db) { db_.exec("SAVEPOINT walspout_call"); }

Savepoint::~Savepoint() {
  // A failed statement may have rolled the whole transaction back: then there is nothing to undo.
  if (!open_ || !db_.in_transaction()) return;
  sqlite3_exec(db_.get(), "ROLLBACK TO walspout_call; RELEASE walspout_call", nullptr, nullptr,
               nullptr);
}

void Savepoint::release() {
  db_.exec("RELEASE walspout_call");
  open_ = false;
}

std::string quote(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace walspout::sqlite
