// Copies tables to sinks while the stream goes on, and hands them over: at the first start, for a
// table that joins later, after a change that no message carries, and when an operator asks.
//
// One table at a time, range by range: the table reader prepares a range; at a commit, where all
// sinks stand between transactions, it takes the snapshot. Rows go to the sinks at once; the stream
// waits only if it meets a change of that table, or a transaction in pieces, before they are all
// there. What the rows contain already the router leaves out. When the stream has passed the
// snapshot's position, the range counts as done, and the sinks store that with their position.
//
// Model: PostgreSQL's initial synchronisation of tables (documentation, "Logical Replication",
// "Initial Snapshot"), with snapshots told from the stream by xids instead of a slot for each.
//
// Threads: one, the reader.
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/backoff.hpp"
#include "config/config.hpp"
#include "pipeline/copy_progress.hpp"
#include "pipeline/host_status.hpp"
#include "pipeline/recent_changes.hpp"
#include "pipeline/shape_resolver.hpp"
#include "pipeline/sink_tables.hpp"
#include "pipeline/sinks.hpp"
#include "pipeline/table_reader.hpp"
#include "route/router.hpp"

namespace walspout {

// A copy that is to be made, or is under way.
struct TableJob {
  std::uint32_t oid = 0;
  std::string name;  // "schema.table"
  std::vector<std::size_t> sinks;
  std::uint64_t copy_id = 0;
  bool mends = false;               // only rows named in `repair`, into the table itself
  std::vector<std::string> repair;  // their keys, until they are read

  bool begun = false;       // the sinks were told
  bool left_rows = false;   // by a copy that is not gone on with
  bool again = false;       // asked for once more since it began
  bool whole = false;       // every row was read
  bool first_range = true;  // none was read yet
  transaction::RelationPtr relation;
  std::vector<std::uint32_t> key;
  std::uint64_t facts = 0;
  std::string after;               // read up to this key
  std::uint64_t rows = 0;          // of the ranges that were read
  std::uint64_t range_rows = 0;    // so far, of the one that is being read
  std::uint64_t next_ordinal = 0;  // of a row; those of a range that broke off are not used again
  std::size_t number = 0;          // among the copies of now; 0 = not begun
  double estimated_rows = -1;
  std::uint64_t limit = 0;           // rows of the next range
  std::vector<std::string> rereads;  // keys of rows to read again

  struct Window {             // a range that was read; the stream has not passed its snapshot
    base::Lsn end = 0;        // where it has
    base::Lsn range_end = 0;  // as the router knows the range
    std::string after;
    std::uint64_t rows = 0;
    std::vector<std::string> reread;
  };
  std::deque<Window> windows;

  std::chrono::steady_clock::time_point not_before{};
  base::Backoff backoff;
  std::optional<CopyProgress> progress;
};

class TableSync {
 public:
  // Everything must outlive it.
  TableSync(const config::Config& config, Sinks& sinks, route::Router& router,
            CatalogueResolver& resolver, base::MemoryBudget& budget, HostStatus& status,
            base::Wake& wake);

  // ---- the state of the sinks ----
  // Forgets everything that is under way: a new slot, from which each sink is started again.
  void start_over();
  // The number of the newest state of this sink; later ones count on from it.
  std::uint64_t state_number(std::size_t sink) const {
    return sink < tables_.size() ? tables_[sink].number() : 0;
  }
  void start_sink(std::size_t sink, SinkTables tables);
  SinkTables& tables(std::size_t sink) { return tables_[sink]; }
  // The sink lost what it had not made durable, and goes back to position.
  void sink_replays(std::size_t sink, base::Lsn position);

  // ---- what is to be copied ----
  // Queues it, unless it is queued already.
  void want(std::size_t sink, std::uint32_t oid, const std::string& name);
  // Single rows, by their keys.
  void want_repair(std::size_t sink, std::uint32_t oid, const std::string& name,
                   std::vector<std::string> keys);
  // The columns by which the table is copied in ranges, and its rows are told: those of the replica
  // identity, since every change of the stream tells them. Empty: by none.
  static const std::vector<std::string>& key_names(const postgres::PublishedTable& table) {
    return table.replica_identity == 'i' ? table.identity_index : table.primary_key;
  }
  void cancel(std::size_t sink, std::uint32_t oid);  // no copy of it is wanted for now
  void forget(std::uint32_t oid);                    // the table is not published any more
  bool idle() const { return all_read() && ending_.empty() && finished_.empty(); }
  // Everything that is to be copied was read; the stream has to pass the last snapshots.
  bool all_read() const { return !job_ && queue_.empty(); }
  // A table that takes more than one range.
  bool large_under_way() const { return job_ && job_->begun && !job_->first_range; }
  bool failed(std::size_t sink, std::uint32_t oid) const { return failed_.contains({sink, oid}); }
  void forgive(std::size_t sink, std::uint32_t oid) { failed_.erase({sink, oid}); }

  // ---- between the stream's chunks ----
  // The stream should stop at the next commit, where everything is dispatched: at_commit() then.
  bool wants_commit() const;
  // position: every transaction that is still to come commits behind it.
  void at_commit(base::Lsn position);
  // Nothing is to be dispatched for now.
  bool holds() const { return phase_ == Phase::kSnapshot; }
  // This is not to be dispatched for now.
  bool holds(const transaction::Chunk& chunk) const;
  void dispatching(const transaction::Chunk& chunk) { recent_.dispatched(chunk); }
  // After the router has looked at a chunk for this sink, before it is delivered.
  void routed_chunk(std::size_t sink);
  // Goes on with what is under way. routed: all up to here is dispatched; given: to each sink.
  // between: no sink is inside of a transaction. caught_up: the stream had nothing more.
  void step(base::Lsn routed, std::vector<base::Lsn>& given, bool between, bool caught_up);
  // A position that the stream has to pass for a copy to go on; 0 = none.
  base::Lsn awaited() const;
  // When step() should be called again without any news.
  std::optional<std::chrono::steady_clock::time_point> next_step() const;

  // Stores the sink's state as it is now with its next position, or with this one.
  void store_state(std::size_t sink);
  void store_state_at(std::size_t sink, base::Lsn routed, std::vector<base::Lsn>& given);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Phase { kIdle, kPreparing, kPrepared, kSnapshot, kReading };

  static bool has_sink(const TableJob& job, std::size_t sink) {
    return std::find(job.sinks.begin(), job.sinks.end(), sink) != job.sinks.end();
  }
  void start_next(Clock::time_point now, bool caught_up);
  void start_range();
  void on_event(ReaderEvent& event);
  void on_prepared(const ReaderEvent& event);
  void on_snapshot(const ReaderEvent& event);
  void on_rows(const ReaderEvent& event);
  void on_done(ReaderEvent& event);
  void on_lost(const ReaderEvent& event);
  void on_locked();
  void begin_job(const transaction::SnapshotXids& snapshot, base::Lsn position);
  void restart(const std::string& why);
  void pass_windows(TableJob& job, base::Lsn routed, std::vector<base::Lsn>& given);
  void finish(const TableJob& job, base::Lsn routed, std::vector<base::Lsn>& given);
  std::string broken(const TableJob& job);
  bool forget_ranges(std::size_t sink, std::uint32_t oid);
  bool has_to_read(const TableJob& job);
  void mend_ending();
  void report_finished(const std::vector<std::uint64_t>& stored);
  void number_job();
  void report_progress();
  void report_begun(const TableJob& job, base::Lsn position) const;
  void store_states();
  void reach(base::Lsn position);
  void fail(TableJob& job, std::size_t sink, const std::string& why);
  void fail_all(const std::string& why);
  void drop_sink(TableJob& job, std::size_t sink, const std::string& reason);
  void drop_job(const std::string& reason);
  void drop_empty();
  TableJob* begun_job(std::uint64_t copy_id);
  void take_failures();
  bool take_back(std::size_t sink, std::uint64_t copy_id, const std::string& why);
  void resume_copy(std::size_t sink, const postgres::PublishedTable& table,
                   const progress::CopyState& state);
  void deliver(std::size_t sink, const transaction::ChunkPtr& chunk);
  void deliver_marker(const TableJob& job, std::size_t sink, std::uint16_t op,
                      const std::string& content, base::Lsn position);
  std::vector<std::uint32_t> key_of(const postgres::PublishedTable& table,
                                    const transaction::Relation& relation) const;
  void take_read_keys(route::KeyList& found);
  void delete_unfound(const route::KeyList& found);
  transaction::RelationPtr relation_of(std::uint32_t oid) const;
  void next_limit(std::uint64_t rows, std::uint64_t bytes);
  bool has_room() const;
  bool shadows(std::size_t sink) const;
  void next_attempt();

  const config::Config& config_;
  Sinks& sinks_;
  route::Router& router_;
  CatalogueResolver& resolver_;
  base::MemoryBudget& budget_;
  HostStatus& status_;
  RecentChanges recent_;
  std::vector<SinkTables> tables_;
  std::set<std::pair<std::size_t, std::uint32_t>> failed_;  // sink, table

  // Marks that wait until their sink is between transactions.
  std::vector<std::pair<std::size_t, transaction::ChunkPtr>> later_;
  std::deque<TableJob> queue_;
  std::optional<TableJob> job_;
  // Handed over; not durable in these sinks, in these versions of their state.
  struct Finished {
    TableJob job;
    std::vector<std::pair<std::size_t, std::uint64_t>> stored;
  };
  std::vector<Finished> finished_;
  std::vector<std::uint64_t> asked_;  // per sink: the version of its state that is to be stored
  std::deque<TableJob> ending_;       // read whole; the stream has not passed their snapshots
  Phase phase_ = Phase::kIdle;
  bool others_turn_ = false;  // the last range was of a copy that had ended
  std::uint64_t attempt_ = 0;
  std::uint64_t copy_id_ = 0;
  std::size_t numbered_ = 0;  // copies since there was nothing to copy
  base::Lsn snapshot_end_ = 0;
  base::Lsn stands_at_ = 0;  // the stream, while a range is read
  std::optional<transaction::SnapshotXids> snapshot_;
  std::vector<std::string> reading_keys_;  // of a range of single rows
  Clock::time_point reading_since_{}, not_before_{}, asked_reached_{}, window_since_{};

  TableReader reader_;  // last: its thread ends before the rest goes
};

}  // namespace walspout
