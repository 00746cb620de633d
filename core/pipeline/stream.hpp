// The reader: one thread that takes messages from the socket, rebuilds transactions, routes them to
// the sinks' queues and confirms to PostgreSQL what they have made durable.
//
// It never waits for a sink. When the memory is used up it stops reading, but goes on to send its
// status, which is what keeps the server from ending the connection. After some seconds it closes
// the connection until there is room again: a walsender that cannot send cannot end either, and
// holds up the server's shutdown, or the checkpoint that wants to give up the slot.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/backoff.hpp"
#include "base/lsn.hpp"
#include "base/memory_budget.hpp"
#include "base/wake.hpp"
#include "config/config.hpp"
#include "pipeline/host_status.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/shape_resolver.hpp"
#include "pipeline/sinks.hpp"
#include "pipeline/source.hpp"
#include "pipeline/source_history.hpp"
#include "pipeline/table_sync.hpp"
#include "pipeline/table_watch.hpp"
#include "postgres/replication_stream.hpp"
#include "progress/progress.hpp"
#include "route/router.hpp"
#include "transaction/assembler.hpp"

namespace walspout {

class Streamer {
 public:
  // Why run() came back.
  enum class End { kStopped, kCaughtUp, kSlotGone };

  Streamer(const config::Config& config, const RunOptions& options, Sinks& sinks,
           route::Router& router, CatalogueResolver& resolver, TableSync& tables, TableWatch& watch,
           SourceHistory& history, base::MemoryBudget& budget, progress::Progress& progress,
           HostStatus& status, base::Wake& wake, StopSignal& stop);

  // begins: per sink, where it goes on. Streams over any number of connections until it ends; on
  // the way out all sinks have been asked to finish and the last position was confirmed. kSlotGone:
  // the temporary slot went with its connection. Throws SlotLost (nothing is under way then, and a
  // new start may follow), SinkFailed, postgres::Refused, and what is not worth another try.
  End run(Source source, Connections connections, std::vector<base::Lsn> begins);

 private:
  using Clock = std::chrono::steady_clock;
  struct Reconnect {};  // on purpose: a sink needs transactions again, or there is room again

  void sync_tables();
  bool between_transactions() const;
  bool may_read() const;
  base::Lsn awaited() const;

  void copy_first();
  void session(Connections& connections);
  std::optional<End> pump();
  bool read_burst();
  void on_frame(const postgres::Frame& frame);
  void dispatch();
  void routed_to(base::Lsn position);
  void advance_sinks(Clock::time_point now);
  void send_status(bool force);
  void handle_replays();
  void wait();
  void lost();
  // stream_reconnect.cpp
  void reconnect(Connections& connections);
  bool without_room_for_long(Clock::time_point now);
  void wait_for_room();
  std::string sinks_behind() const;
  bool caught_up();
  void drain_and_close();
  bool sinks_finished();

  const config::Config& config_;
  const RunOptions& options_;
  Sinks& sinks_;
  route::Router& router_;
  CatalogueResolver& resolver_;
  TableSync& tables_;
  TableWatch& watch_;
  SourceHistory& history_;
  base::MemoryBudget& budget_;
  progress::Progress& progress_;
  HostStatus& status_;
  base::Wake& wake_;
  StopSignal& stop_;
  postgres::Interrupt interrupt_;

  Source source_;
  transaction::Assembler assembler_;
  std::optional<postgres::ReplicationStream> stream_;
  transaction::ChunkPtr waiting_;  // taken from the assembler, held up by a copy
  base::Lsn waiting_end_ = 0;      // where its last whole transaction ends
  std::vector<base::Lsn> given_;   // per sink: the end of what is in its queue or was
  base::Lsn received_ = 0;         // the highest position that was seen
  base::Lsn routed_ = 0;           // everything up to here is in the queues; 0 = not known yet
  base::Lsn sent_ = 0;             // the position last confirmed
  base::Lsn target_ = 0;           // --until-caught-up
  bool advance_now_ = false;       // the server asked, or a target was reached
  bool dry_ = false;               // the socket had nothing more
  std::optional<Clock::time_point> no_room_since_;
  std::chrono::milliseconds patience_{0};  // without room; 0 = as at first
  base::Lsn closed_at_ = 0;                // what was confirmed when the room ran out last
  std::chrono::milliseconds status_interval_{10'000};
  std::chrono::milliseconds receive_timeout_{60'000};
  Clock::time_point last_status_, last_advance_, last_received_, last_wait_, chunk_since_;
};

}  // namespace walspout
