// The sink: groups source transactions into SQLite transactions, keeps the position with the rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <walspout/sink.hpp>

#include "apply.hpp"
#include "catalog.hpp"
#include "database.hpp"
#include "mirrors.hpp"
#include "reporter.hpp"
#include "wal.hpp"

namespace walspout::sqlite {

// One SQLite transaction spans all source transactions between two flushes; the position is
// written in it. A source transaction in pieces has a SQLite transaction to itself until its last
// piece has come: abort() drops just that, and a flush() in between finds everything else durable.
class MirrorSink : public Sink {
 public:
  explicit MirrorSink(const Context& context);
  static void check(const Context& context);  // for `walspout check`: creates nothing
  ~MirrorSink() override;

  void write(const Batch& batch) override;
  void flush() override;
  void abort() override;
  Lsn position() override { return stored_.lsn; }
  std::string_view host_state() override { return stored_.host_state; }

 private:
  void set_up(int64_t cache_bytes);
  void take(const Batch& batch);
  void accept(const walspout_txn& txn);
  void begin();
  void commit();
  int64_t schema_version();
  void give_up_call();
  [[noreturn]] void fail_change(const Batch* batch, bool lost, const std::string& what);
  [[noreturn]] void fail(const SqliteError& error, const Batch* batch);
  static int wait_for_lock(void* self, int attempt);

  const walspout_host* host_;
  Reporter reporter_;
  int64_t busy_timeout_ms_;
  std::unique_ptr<Database> owned_;
  Database& db_;
  Catalog catalog_;
  Mirrors mirrors_;
  Applier applier_;
  std::optional<Wal> wal_;

  Position stored_;          // as of open
  bool accepted_ = false;    // the open SQLite transaction holds finished source transactions
  bool unfinished_ = false;  // it holds pieces of one that is not finished
  Lsn pending_lsn_ = 0;      // accepted, not yet committed
  std::string pending_state_;
  int64_t pending_time_us_ = 0;
  bool pending_ = false;
  int64_t schema_version_ = -1;     // SQLite's own counter, at the last look
  bool rollback_triggers_ = false;  // a user's trigger may roll back the whole transaction
  int64_t waited_ms_ = 0;           // for the lock, in this attempt
  const walspout_change* current_ = nullptr;  // being applied, in write()
  std::optional<Statement> begin_, commit_, version_;
};

}  // namespace walspout::sqlite
