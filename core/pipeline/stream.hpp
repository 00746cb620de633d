// The reader: one thread that takes messages from the socket, rebuilds transactions, routes them to
// the sinks' queues and confirms to PostgreSQL what they have made durable.
//
// It never waits for a sink. When the memory is used up it stops reading, but goes on to send its
// status, which is what keeps the server from ending the connection.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "base/backoff.hpp"
#include "base/lsn.hpp"
#include "base/memory_budget.hpp"
#include "base/wake.hpp"
#include "config/config.hpp"
#include "pipeline/copy.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/shape_resolver.hpp"
#include "pipeline/sinks.hpp"
#include "pipeline/source.hpp"
#include "postgres/replication_stream.hpp"
#include "progress/progress.hpp"
#include "route/router.hpp"
#include "transaction/assembler.hpp"

namespace walspout {

class Streamer {
 public:
  // Why run() came back.
  enum class End { kStopped, kCaughtUp, kTemporarySlotGone };

  Streamer(const config::Config& config, const RunOptions& options, Sinks& sinks,
           route::Router& router, CatalogueResolver& resolver, base::MemoryBudget& budget,
           progress::Progress& progress, base::Wake& wake, StopSignal& stop);

  // begins: per sink, where it goes on. Streams over any number of connections until it ends; on
  // the way out all sinks have been asked to finish and the last position was confirmed. Throws
  // SinkFailed, postgres::Refused, and what is not worth another try.
  End run(Source source, Connections connections, std::vector<base::Lsn> begins);

 private:
  using Clock = std::chrono::steady_clock;
  struct Reconnect {};  // on purpose: a sink needs transactions again

  void session(Connections& connections);
  std::optional<End> pump();
  bool read_burst();
  void on_frame(const postgres::Frame& frame);
  void dispatch();
  void advance_sinks(Clock::time_point now);
  void send_status(bool force);
  void handle_replays();
  void wait();
  void lost();
  bool caught_up();
  void drain_and_close();
  bool sinks_finished();

  const config::Config& config_;
  const RunOptions& options_;
  Sinks& sinks_;
  route::Router& router_;
  CatalogueResolver& resolver_;
  base::MemoryBudget& budget_;
  progress::Progress& progress_;
  base::Wake& wake_;
  StopSignal& stop_;
  postgres::Interrupt interrupt_;

  Source source_;
  transaction::Assembler assembler_;
  std::optional<postgres::ReplicationStream> stream_;
  std::vector<base::Lsn> given_;  // per sink: the end of what is in its queue or was
  base::Lsn received_ = 0;        // the highest position that was seen
  base::Lsn routed_ = 0;          // everything up to here is in the queues; 0 = not known yet
  base::Lsn sent_ = 0;            // the position last confirmed
  base::Lsn target_ = 0;          // --until-caught-up
  bool advance_now_ = false;      // the server asked, or a target was reached
  bool dry_ = false;              // the socket had nothing more
  std::chrono::milliseconds status_interval_{10'000};
  std::chrono::milliseconds receive_timeout_{60'000};
  Clock::time_point last_status_, last_advance_, last_received_, last_wait_, chunk_since_;
};

}  // namespace walspout
