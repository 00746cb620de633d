// The initial copy: all tables of the sinks that have no position yet, under one snapshot, before
// the stream starts at the snapshot's position.
//
// A table that was rewritten after the snapshot would be copied empty: then all starts over under a
// newer snapshot, as it does when the connection is lost or a sink has to be reopened. Sinks make a
// copy visible only when it is whole.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/lsn.hpp"
#include "base/memory_budget.hpp"
#include "base/wake.hpp"
#include "config/config.hpp"
#include "pipeline/copy_progress.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/shape_resolver.hpp"
#include "pipeline/sinks.hpp"
#include "pipeline/source.hpp"
#include "route/router.hpp"

namespace walspout {

// A sink has failed: the pipeline ends.
struct SinkFailed {};

class Copier {
 public:
  Copier(const config::Config& config, Sinks& sinks, route::Router& router,
         CatalogueResolver& resolver, base::MemoryBudget& budget, base::Wake& wake,
         StopSignal& stop);

  // Copies to start.copies, and returns when all of it is durable there; start.begins then says
  // where the stream goes on for each of them. Throws postgres::Interrupted on a stop, SinkFailed,
  // or what the source throws when it is not worth another try.
  void run(Start& start);

 private:
  struct Again {};  // the copy has to start over

  void copy_all(const Snapshot& snapshot);
  void copy_table(postgres::Connection& connection, const postgres::PublishedTable& table,
                  base::Lsn point, CopyProgress& progress);
  void deliver(std::shared_ptr<transaction::Chunk> chunk, base::Lsn point);
  void deliver_marker(std::uint16_t op, const transaction::RelationPtr& relation, base::Lsn point);
  void wait_for_room();
  // The sinks that lost their copy before it was durable, once all others have it.
  std::vector<std::size_t> wait_durable(base::Lsn point);
  void check();
  void pause(std::chrono::milliseconds time);
  bool taken(const postgres::PublishedTable& table) const;

  const config::Config& config_;
  Sinks& sinks_;
  route::Router& router_;
  CatalogueResolver& resolver_;
  base::MemoryBudget& budget_;
  base::Wake& wake_;
  postgres::Interrupt interrupt_;
  std::vector<std::size_t> copies_;
  std::uint64_t copy_id_ = 0;
};

}  // namespace walspout
