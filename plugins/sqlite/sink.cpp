#include "sink.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace walspout::sqlite {

namespace {

std::string required(const Context& context, std::string_view name) {
  auto value = context.string(name);
  if (!value || value->empty())
    throw BadConfig("the option " + std::string(name) + " is empty; name the SQLite file");
  return *value;
}

NumericMode numeric_mode(const Context& context) {
  const std::string mode = context.string("numeric").value_or("auto");
  if (mode == "auto") return NumericMode::kAuto;
  if (mode == "text") return NumericMode::kText;
  if (mode == "real") return NumericMode::kReal;
  throw BadConfig("numeric = \"" + printable(mode) + "\" is unknown; use auto, text or real");
}

// SQLite's own refusals while the file is opened.
template <class F>
auto opening(const std::string& path, F&& f) {
  try {
    return f();
  } catch (const SqliteError& e) {
    const std::string what = "cannot use " + path + ": " + e.what();
    if (e.primary() == SQLITE_BUSY || e.primary() == SQLITE_LOCKED)
      throw Retry(what + "; another program holds the file's lock");
    if (e.primary() == SQLITE_FULL || e.primary() == SQLITE_IOERR)
      throw Retry(what + "; free space on its file system");
    if (e.primary() == SQLITE_NOTADB || e.primary() == SQLITE_CORRUPT)
      throw BadConfig(what + "; move the file away, or restore it from a backup");
    throw BadConfig(what + "; check path and the rights on the file and its folder");
  }
}

std::unique_ptr<Database> open_file(const std::string& path) {
  return opening(path, [&] { return std::make_unique<Database>(path); });
}

}  // namespace

MirrorSink::MirrorSink(const Context& context)
    : host_(&context.host()),
      reporter_(host_),
      busy_timeout_ms_(context.integer("busy_timeout").value_or(10000)),
      owned_(open_file(required(context, "path"))),
      db_(*owned_),
      catalog_(db_, context.pipeline(), context.sink()),
      mirrors_(db_, catalog_, reporter_, numeric_mode(context)),
      applier_(db_, mirrors_, reporter_) {
  opening(db_.path(), [&] {
    set_up(context.integer("cache").value_or(32 << 20));
    wal_.emplace(db_, reporter_, context.integer("wal_limit").value_or(40 << 20));
    return 0;
  });
}

void MirrorSink::check(const Context& context) {
  const std::string path = required(context, "path");
  numeric_mode(context);
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw BadConfig("files cannot be created in " + folder.string() + " (" + std::strerror(errno) +
                    "); create the folder, or grant the rights");
  if (std::filesystem::exists(path) && ::access(path.c_str(), R_OK | W_OK) != 0)
    throw BadConfig(path + " cannot be read and written (" + std::strerror(errno) +
                    "); grant the rights");
}

MirrorSink::~MirrorSink() {
  if (db_.in_transaction()) sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void MirrorSink::set_up(int64_t cache_bytes) {
  sqlite3_busy_handler(db_.get(), wait_for_lock, this);
  const auto mode = db_.column("PRAGMA journal_mode = WAL");
  if (mode.empty() || mode.front() != "wal")
    throw BadConfig(db_.path() + " cannot be put into WAL mode; use a file on a local file system");
  db_.exec("PRAGMA synchronous = FULL");  // what is confirmed survives a power failure
  db_.exec("PRAGMA temp_store = MEMORY");
  db_.exec("PRAGMA secure_delete = FAST");
  db_.exec("PRAGMA foreign_keys = OFF");  // PostgreSQL has checked them
  db_.exec("PRAGMA cache_size = -" + std::to_string(std::max<int64_t>(cache_bytes / 1024, 64)));
  begin_ = db_.prepare("BEGIN IMMEDIATE");
  commit_ = db_.prepare("COMMIT");
  version_ = db_.prepare("PRAGMA schema_version");
  begin();
  catalog_.create();
  stored_ = catalog_.position();
  commit_->run();
}

// Waits under the host's eyes, so that a stop is not held up. attempt counts from 0.
int MirrorSink::wait_for_lock(void* self, int attempt) {
  auto* sink = static_cast<MirrorSink*>(self);
  if (sink->waited_ms_ >= sink->busy_timeout_ms_) return 0;
  const uint32_t ms = attempt < 5 ? 1U << attempt : 50;
  sink->waited_ms_ += ms;
  return sink->host_->wait_ms(sink->host_->ctx, ms);
}

// The write lock is taken with the first change, and someone else may have had it before: another
// sink, or a user who made an index, a view or a trigger.
void MirrorSink::begin() {
  if (db_.in_transaction()) return;
  if (accepted_ || unfinished_) throw Reopen(db_.path() + ": the open transaction was lost");
  waited_ms_ = 0;
  begin_->run();
  const int64_t seen = schema_version();
  if (seen == schema_version_) return;
  schema_version_ = seen;
  mirrors_.clear();
  rollback_triggers_ =
      db_.exists("SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%rollback%'");
}

int64_t MirrorSink::schema_version() {
  const int64_t version = version_->step() ? version_->integer(0) : -1;
  version_->reset();
  return version;
}

void MirrorSink::commit() {
  if (!accepted_ && !pending_) return;
  begin();
  if (pending_) catalog_.save_position(pending_lsn_, pending_state_, pending_time_us_);
  schema_version_ = schema_version();  // with changes of our own
  waited_ms_ = 0;
  commit_->run();
  accepted_ = pending_ = false;
  pending_lsn_ = 0;
  pending_time_us_ = 0;
  pending_state_.clear();
}

void MirrorSink::write(const Batch& batch) {
  current_ = nullptr;
  try {
    take(batch);
  } catch (const SqliteError& e) {
    fail(e, &batch);
  } catch (const BadChange& e) {
    give_up_call();
    throw Poison(batch.txn(), *current_, e.what());
  } catch (...) {
    give_up_call();
    throw;
  }
}

void MirrorSink::take(const Batch& batch) {
  const walspout_txn& txn = batch.txn();
  const auto count = batch.end().p - batch.begin().p;
  if (batch.first() && unfinished_) abort();
  if (!batch.first() && !unfinished_)
    throw Reopen("a piece of a transaction came without its beginning");
  const bool whole = batch.first() && batch.last();
  if (whole && count == 0) return accept(txn);
  // From here on abort() may drop the SQLite transaction, and a trigger may roll it back: what was
  // accepted before is made durable first.
  if (batch.first() && (!batch.last() || rollback_triggers_)) commit();
  begin();
  // One statement needs no savepoint: SQLite takes or leaves it as a whole.
  std::optional<Savepoint> savepoint;
  if (!(whole && count == 1 && applier_.is_atomic((*batch.begin()).raw()))) savepoint.emplace(db_);
  for (const Change change : batch) {
    current_ = &change.raw();
    applier_.apply(*current_, txn.kind);
  }
  if (savepoint) savepoint->release();
  accepted_ = batch.last();  // pieces begin with nothing accepted in the SQLite transaction
  unfinished_ = !batch.last();
  if (batch.last()) accept(txn);
}

void MirrorSink::accept(const walspout_txn& txn) {
  if (txn.position != 0) {
    pending_ = true;
    pending_lsn_ = txn.position;
    pending_time_us_ = txn.commit_time_us;
  }
  if (txn.host_state.size != 0) {
    pending_ = true;
    pending_state_ = view(txn.host_state);
  }
}

// Nothing of this call stays. Without anything else in it, the SQLite transaction ends, so that
// the file is not locked while the host decides what to do.
void MirrorSink::give_up_call() {
  mirrors_.clear();
  // A rollback fails only when SQLite has rolled back already.
  if (!accepted_ && !unfinished_ && db_.in_transaction())
    sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void MirrorSink::flush() {
  current_ = nullptr;       // its memory went with the call of write() that brought it
  if (unfinished_) return;  // all that was accepted before it is committed
  try {
    commit();
  } catch (const SqliteError& e) {
    fail(e, nullptr);
  }
  waited_ms_ = busy_timeout_ms_;  // a checkpoint waits for nobody
  wal_->maintain();
}

void MirrorSink::abort() {
  if (!unfinished_) return;
  unfinished_ = false;
  mirrors_.clear();
  if (db_.in_transaction()) db_.exec("ROLLBACK");
}

// The change cannot be applied. That may be said only if nothing but this call is undone: a
// trigger's RAISE(ROLLBACK) ends the whole SQLite transaction.
void MirrorSink::fail_change(const Batch* batch, bool lost, const std::string& what) {
  if (batch == nullptr || current_ == nullptr || lost) throw Reopen(what);
  throw Poison(batch->txn(), *current_, what);
}

// The one place that decides what an error of SQLite's means to the host.
void MirrorSink::fail(const SqliteError& e, const Batch* batch) {
  std::string what = db_.path() + ": ";
  if (current_ != nullptr && current_->relation != nullptr)
    what += label_of(*current_->relation) + ": ";
  what = printable(what + e.what());
  const bool lost = (accepted_ || unfinished_) && !db_.in_transaction();
  give_up_call();
  switch (e.primary()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      if (lost) throw Reopen(what);
      throw Retry(what + "; another program holds the file's lock");
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
      fail_change(batch, lost, what);
    case SQLITE_ERROR:
      // While rows are written it is a trigger's expression that fails; else the schema is at odds.
      if (dynamic_cast<const StepError*>(&e) != nullptr) fail_change(batch, lost, what);
      throw BadConfig(what + "; look for what was changed in the file by hand");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw BadConfig(what + "; restore the file or move it away and copy anew");
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      throw BadConfig(what + "; check the file and the rights on it and its folder");
    case SQLITE_FULL:
    case SQLITE_IOERR:
      throw Reopen(what + "; no space is left, or the disk fails; it goes on when there is room");
    default:
      throw Reopen(what);
  }
}

}  // namespace walspout::sqlite
