#include "progress/state_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "progress/sqlite.hpp"

namespace walspout::progress {
namespace {

[[noreturn]] void fail(const std::filesystem::path& where, const std::string& why) {
  throw std::runtime_error("state directory " + where.string() + ": " + why);
}

// user_version. 0: a new file, or one of the time before requests and facts; 1: without a landmark;
// 2: without pauses.
constexpr int kFormatVersion = 3;

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
      throw StateInUse("state directory " + directory_.string() +
                       ": another walspout uses it; stop that one first, or set another [state] "
                       "directory");
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
  try {
    execute(database_, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
    upgrade();
  } catch (const SqliteError& error) {
    fail(file, std::string(error.what()) + "; move the file away to start anew");
  }
}

int StateStore::format_version() const {
  const Statement query = prepare(database_, "PRAGMA user_version");
  step_row(database_, query.get());
  return sqlite3_column_int(query.get(), 0);
}

void StateStore::upgrade() {
  const int found = format_version();
  if (found > kFormatVersion)
    fail(directory_ / "state.db", "a newer walspout has written it (format " +
                                      std::to_string(found) + ", this one knows " +
                                      std::to_string(kFormatVersion) + "); run the newer one");
  if (found == kFormatVersion) return;
  const Transaction transaction(database_);
  if (found < 1)
    execute(database_,
            "CREATE TABLE IF NOT EXISTS sink_position("
            "  sink TEXT PRIMARY KEY, lsn INTEGER NOT NULL, host_state TEXT NOT NULL);"
            // AUTOINCREMENT: an id is never given twice, so that removing up to one is safe.
            "CREATE TABLE request(id INTEGER PRIMARY KEY AUTOINCREMENT);"
            "CREATE TABLE request_word(request INTEGER NOT NULL, place INTEGER NOT NULL,"
            "  word TEXT NOT NULL, PRIMARY KEY(request, place)) WITHOUT ROWID;"
            "CREATE TABLE fact(hash INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  if (found < 2)
    execute(database_,
            "CREATE TABLE landmark(id INTEGER PRIMARY KEY CHECK(id = 1), source TEXT NOT NULL,"
            "  commit_lsn INTEGER NOT NULL, xid INTEGER NOT NULL, commit_time INTEGER NOT NULL,"
            "  complete_to INTEGER NOT NULL)");
  execute(database_,
          "CREATE TABLE pause(sink TEXT PRIMARY KEY, why TEXT NOT NULL, since INTEGER NOT NULL);"
          "PRAGMA user_version = 3");
  transaction.commit();
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
  auto path = directory_ / "sinks" / folder;
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
  if (!step_row(database_, query.get())) return std::nullopt;
  Position position;
  position.lsn = static_cast<base::Lsn>(sqlite3_column_int64(query.get(), 0));
  position.host_state = text(query.get(), 1);
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
  run(database_, insert.get());
}

}  // namespace walspout::progress
