#include "wal.hpp"

#include <algorithm>
#include <string>

namespace walspout::sqlite {

namespace {

constexpr int64_t kWarnFactor = 4;  // times the limit: then it is more than a slow reader

}  // namespace

Wal::Wal(Database& db, const Reporter& reporter, int64_t limit) : db_(db), reporter_(reporter) {
  Statement size = db.prepare("PRAGMA page_size");
  size.step();
  page_size_ = size.integer(0);
  limit_pages_ = std::max<int64_t>(limit / page_size_, 1);
  sqlite3_wal_autocheckpoint(db.get(), 0);
  sqlite3_wal_hook(
      db.get(),
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<Wal*>(self)->pages_ = pages;
        return SQLITE_OK;
      },
      this);
  // A WAL that grew is cut to this size when it starts again from its beginning.
  db.exec("PRAGMA journal_size_limit = " + std::to_string(limit_pages_ * page_size_));
}

void Wal::maintain() {
  if (pages_ < limit_pages_) {
    tried_at_ = warned_at_ = 0;
    return;
  }
  // Held up by a reader: again when it has grown by another tenth of the limit.
  if (tried_at_ != 0 && pages_ < tried_at_ + std::max<int64_t>(limit_pages_ / 10, 1) &&
      pages_ >= tried_at_ && warned_at_ == 0)
    return;
  int log = 0, done = 0;
  const int rc =
      sqlite3_wal_checkpoint_v2(db_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &log, &done);
  if (rc == SQLITE_OK && log == done) {
    if (warned_at_ != 0) {
      // The reader is gone. Cut the file; if another reader is there by now, the next commit that
      // begins the file anew will.
      sqlite3_busy_timeout(db_.get(), 0);
      sqlite3_wal_checkpoint_v2(db_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
      reporter_.info(db_.path() + "-wal is written back again");
    }
    tried_at_ = warned_at_ = 0;
    return;
  }
  tried_at_ = pages_;
  if (pages_ < kWarnFactor * limit_pages_ || pages_ < 2 * warned_at_) return;
  warned_at_ = pages_;
  reporter_.warn(db_.path() + "-wal has grown to " +
                 std::to_string(pages_ * page_size_ / (1024 * 1024)) +
                 " MiB: a reader that holds an old read transaction open keeps it from being "
                 "written back; find it and end it (lsof " +
                 db_.path() + "-wal)");
}

}  // namespace walspout::sqlite
