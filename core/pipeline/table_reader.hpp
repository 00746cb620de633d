// Reads tables for copies, range by range, on a thread of its own.
//
// For each range: prepare() begins a transaction and locks the table against changes of its shape,
// which may take as long as somebody else's lock does. take_snapshot() fixes what is read, at a
// moment that the stream's reader chooses. read() brings the rows. The answers come as events, in
// that order, through take_events(); the wake is rung for each.
//
// Threads: the stream's reader calls, the events are made on the thread here.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/lsn.hpp"
#include "base/memory_budget.hpp"
#include "base/queue.hpp"
#include "base/wake.hpp"
#include "config/config.hpp"
#include "pipeline/range_rows.hpp"
#include "postgres/catalogue.hpp"
#include "postgres/connection.hpp"
#include "route/key_list.hpp"
#include "transaction/chunk.hpp"
#include "transaction/snapshot_xids.hpp"

namespace walspout {

struct ReaderEvent {
  enum class Kind {
    kPrepared,  // table
    kGone,      // the table is not there, or not published, any more
    kSnapshot,  // snapshot, position
    kRows,      // rows
    kDone,      // row_count, last_key, complete, keys
    kReached,   // position: that the stream will reach, with all that had committed when asked
    kLocked,    // somebody holds the table exclusively
    kChanged,   // the table is not what the request says: text
    kRefused,   // rights, or whatever the server says for good: text
    kLost       // the connection, or something that passes: text
  } kind;
  std::uint64_t attempt = 0;
  std::optional<postgres::PublishedTable> table;
  std::optional<transaction::SnapshotXids> snapshot;
  base::Lsn position = 0;
  transaction::ChunkPtr rows;
  std::uint64_t row_count = 0;
  std::uint64_t byte_count = 0;
  std::string last_key;   // encoded
  bool complete = false;  // no rows come after the last
  route::KeyList keys;
  std::string text;
};

class TableReader {
 public:
  // Everything must outlive it.
  TableReader(const config::Config& config, base::MemoryBudget& budget, base::Wake& wake);
  ~TableReader();  // interrupts what is under way
  TableReader(const TableReader&) = delete;
  TableReader& operator=(const TableReader&) = delete;

  // attempt comes back with each event, and grows with each prepare().
  void prepare(std::uint64_t attempt, std::uint32_t oid);
  void take_snapshot();
  void read(RangeRequest request);
  void ask_reached();  // for all snapshots taken so far
  void release();      // nothing is wanted for now: closes the connection
  // What is read for attempts before this one is of no use any more.
  void give_up_before(std::uint64_t attempt) { wanted_.store(attempt); }

  std::vector<ReaderEvent> take_events();

 private:
  struct Command {
    enum class Kind { kPrepare, kSnapshot, kRead, kReached, kRelease, kEnd } kind;
    std::uint64_t attempt = 0;
    std::uint32_t oid = 0;
    RangeRequest request;
  };

  void run();
  void handle(Command& command);
  void on_prepare(const Command& command);
  void on_snapshot();
  void on_read(const RangeRequest& request);
  void end_transaction();
  void post(ReaderEvent event);
  ReaderEvent event(ReaderEvent::Kind kind) const;
  void post_error(const std::exception& error);

  const config::Config& config_;
  base::MemoryBudget& budget_;
  base::Wake& wake_;
  base::Wake end_;
  postgres::Interrupt interrupt_;
  base::Queue<Command> commands_;
  std::atomic<std::uint64_t> wanted_{0};
  std::mutex mutex_;
  std::vector<ReaderEvent> events_;

  // The thread's own.
  std::unique_ptr<postgres::Connection> connection_;
  bool in_transaction_ = false;
  std::uint64_t attempt_ = 0;
  std::optional<postgres::PublishedTable> table_;
  std::string fingerprint_;

  std::thread thread_;
};

}  // namespace walspout
