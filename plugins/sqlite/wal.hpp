// Keeps the -wal file short: checkpoints after commits, and says when a reader is in the way.
#pragma once

#include <cstdint>

#include "database.hpp"
#include "reporter.hpp"

namespace walspout::sqlite {

class Wal {
 public:
  // limit: bytes of WAL after which it is copied back into the database file.
  Wal(Database& db, const Reporter& reporter, int64_t limit);
  Wal(const Wal&) = delete;  // SQLite holds its address
  Wal& operator=(const Wal&) = delete;

  // After each commit, outside of a transaction. Never waits for readers or other writers. What
  // goes wrong in a checkpoint does no harm: all is in the WAL, the next one tries again.
  void maintain();

 private:
  Database& db_;
  const Reporter& reporter_;
  int64_t page_size_;
  int64_t limit_pages_;
  int64_t pages_ = 0;      // in the WAL after the last commit
  int64_t tried_at_ = 0;   // pages_ at the last checkpoint that readers held up
  int64_t warned_at_ = 0;  // pages_ at the last warning
};

}  // namespace walspout::sqlite
