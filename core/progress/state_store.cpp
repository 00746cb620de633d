#include "progress/state_store.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace walspout::progress {
namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

[[noreturn]] void fail(const std::filesystem::path& where, const std::string& why) {
  throw std::runtime_error("state directory " + where.string() + ": " + why);
}

Statement prepare(sqlite3* database, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) != SQLITE_OK)
    throw std::runtime_error(std::string("state.db: ") + sqlite3_errmsg(database));
  return Statement(statement);
}

void bind(sqlite3_stmt* statement, int index, const std::string& text) {
  sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

}  // namespace

StateStore::StateStore(const std::filesystem::path& directory) : directory_(directory) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(directory_, error);
  if (error)
    fail(directory_, error.message() + "; set [state] directory to a folder that can be written");
  if (made && chmod(directory_.c_str(), 0700) != 0)  // one that was there keeps its mode
    fail(directory_, std::string("cannot set its mode: ") + std::strerror(errno));
  const auto lock = directory_ / "lock";
  lock_fd_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_fd_ < 0)
    fail(directory_, std::string("cannot create the lock file: ") + std::strerror(errno));
  if (flock(lock_fd_, LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    ::close(lock_fd_);
    if (why == EWOULDBLOCK)
      fail(directory_,
           "another walspout uses it; stop that one first, or set another [state] directory");
    fail(directory_, std::string("cannot lock it: ") + std::strerror(why));
  }
  try {
    open_database();
  } catch (...) {
    sqlite3_close(database_);
    ::close(lock_fd_);
    throw;
  }
}

StateStore::~StateStore() {
  sqlite3_close(database_);
  ::close(lock_fd_);
}

void StateStore::open_database() {
  const auto file = directory_ / "state.db";
  if (sqlite3_open_v2(file.c_str(), &database_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                      nullptr) != SQLITE_OK)
    fail(file, sqlite3_errmsg(database_));
  chmod(file.c_str(), 0600);
  sqlite3_busy_timeout(database_, 5000);
  const char* setup =
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
      "CREATE TABLE IF NOT EXISTS sink_position("
      "  sink TEXT PRIMARY KEY, lsn INTEGER NOT NULL, host_state TEXT NOT NULL)";
  if (sqlite3_exec(database_, setup, nullptr, nullptr, nullptr) != SQLITE_OK)
    fail(file, std::string(sqlite3_errmsg(database_)) + "; move the file away to start anew");
}

std::filesystem::path StateStore::sink_directory(const std::string& sink) const {
  // A name may hold anything but is to be one folder: what a file name cannot hold is written in
  // hex.
  std::string folder;
  for (const char c : sink) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
    if (plain) {
      folder += c;
    } else {
      static constexpr char kHex[] = "0123456789abcdef";
      folder += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  const auto path = directory_ / "sinks" / folder;
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail(path, error.message());
  chmod(path.c_str(), 0700);
  return path;
}

std::optional<StateStore::Position> StateStore::load(const std::string& sink) const {
  const std::lock_guard lock(mutex_);
  const Statement query =
      prepare(database_, "SELECT lsn, host_state FROM sink_position WHERE sink = ?1");
  bind(query.get(), 1, sink);
  const int step = sqlite3_step(query.get());
  if (step == SQLITE_DONE) return std::nullopt;
  if (step != SQLITE_ROW)
    throw std::runtime_error(std::string("state.db: ") + sqlite3_errmsg(database_));
  Position position;
  position.lsn = static_cast<base::Lsn>(sqlite3_column_int64(query.get(), 0));
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(query.get(), 1));
  position.host_state.assign(text, static_cast<std::size_t>(sqlite3_column_bytes(query.get(), 1)));
  return position;
}

void StateStore::save(const std::string& sink, const Position& position) {
  const std::lock_guard lock(mutex_);
  const Statement insert =
      prepare(database_,
              "INSERT INTO sink_position(sink, lsn, host_state) VALUES(?1, ?2, ?3)"
              " ON CONFLICT(sink) DO UPDATE SET lsn = ?2, host_state = ?3");
  bind(insert.get(), 1, sink);
  sqlite3_bind_int64(insert.get(), 2, static_cast<std::int64_t>(position.lsn));
  bind(insert.get(), 3, position.host_state);
  if (sqlite3_step(insert.get()) != SQLITE_DONE)
    throw std::runtime_error(std::string("state.db: ") + sqlite3_errmsg(database_));
}

}  // namespace walspout::progress
