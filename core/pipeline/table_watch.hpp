// What becomes of tables whose shape or rows change without a message that says so, and what
// operators ask for: the decisions. Copies that follow are TableSync's matter.
//
// The stream announces a new shape with the first row that has it; the catalogue is read at once
// then, and every few seconds besides. What a change did to old rows either follows exactly from
// the catalogue (defaults of added columns), or the table is copied anew.
//
// Threads: one, the reader; the requests come from the control socket's thread.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "control/requests.hpp"
#include "control/server.hpp"
#include "pipeline/host_status.hpp"
#include "pipeline/schema_watch.hpp"
#include "pipeline/shape_resolver.hpp"
#include "pipeline/sinks.hpp"
#include "pipeline/table_sync.hpp"
#include "progress/state_store.hpp"
#include "route/router.hpp"

namespace walspout {

class TableWatch : public route::TableWatcher {
 public:
  // Everything must outlive it.
  TableWatch(const config::Config& config, Sinks& sinks, route::Router& router,
             CatalogueResolver& resolver, TableSync& tables, progress::StateStore& store,
             base::MemoryBudget& budget, const HostStatus& status, base::Wake& wake);
  ~TableWatch();

  // Once all sinks were started with what they have stored, and the resolver knows the catalogue.
  void start();

  // Between the stream's chunks, as TableSync::step().
  void step(base::Lsn routed, std::vector<base::Lsn>& given, bool between, bool caught_up);
  // A position that the stream should get to; 0 = none.
  base::Lsn awaited() const { return shapes_due_; }

  // TableWatcher
  route::TableMode first_change(std::size_t sink, const transaction::Relation& relation) override;
  route::ShapeStep shape_changed(std::size_t sink, const transaction::Relation* before,
                                 const transaction::Relation& now,
                                 const walspout_txn& txn) override;
  // After the router has looked at a chunk for this sink: delivers it. What is stored about shapes
  // goes with the transactions that bring them, and not with those before.
  void deliver(std::size_t sink, route::Delivery delivery);

 private:
  using Clock = std::chrono::steady_clock;
  struct Request {
    std::vector<std::string> words;
    std::promise<control::Reply> reply;
  };

  control::Reply ask(const std::vector<std::string>& words);  // the control thread's
  control::Reply pause_or_resume(const std::vector<std::string>& words);
  void take_requests();
  control::Reply resync(const control::Resync& request);
  control::Reply repair(const control::Repair& request);
  void take_stored_requests();

  void start_table(std::size_t sink, const postgres::TableFacts& now);
  void examine(const postgres::CatalogueView& view);
  void copy_anew(std::uint32_t oid, const std::string& why);
  bool judged(const postgres::TableFacts& facts) const;
  void remember(const postgres::TableFacts& facts, const std::string& snapshot);
  void note_told(std::size_t sink, const transaction::Relation& now, base::Lsn commit);
  void note_facts(std::size_t sink, const postgres::PublishedTable& table,
                  const transaction::RelationPtr& relation);
  void stop_table(std::size_t sink, std::uint32_t oid, const std::string& name,
                  const std::string& why);
  void prune_facts();
  void tell_stopped();
  void tell_shapes(base::Lsn routed, std::vector<base::Lsn>& given);
  route::ShapeStep make_step(const transaction::Relation* before, const transaction::Relation& now,
                             std::uint32_t xid);

  const config::Config& config_;
  Sinks& sinks_;
  route::Router& router_;
  CatalogueResolver& resolver_;
  TableSync& tables_;
  progress::StateStore& store_;
  base::MemoryBudget& budget_;
  const HostStatus& status_;
  base::Wake& wake_;

  // What was last acted upon, and what was known before that: with the snapshots under which they
  // were read.
  struct Known {
    postgres::TableFacts facts;
    std::string snapshot;
    std::optional<std::pair<postgres::TableFacts, std::string>> previous;
  };
  const postgres::TableFacts* facts_before(std::uint32_t oid, std::uint32_t xid) const;

  std::map<std::uint32_t, Known> known_;
  std::map<std::uint64_t, std::vector<std::int16_t>> attnums_;  // by relation version
  base::Lsn examined_ = 0;                                      // the view that was
  base::Lsn told_view_ = 0;                                     // of which the shapes are told
  Clock::time_point reachable_after_{};
  base::Lsn shapes_due_ = 0;  // the catalogue's shapes are told once the stream is here
  struct Stopped {
    std::size_t sink;
    transaction::RelationPtr relation;
    std::string why;
  };
  std::vector<Stopped> stopped_;  // still to be told to the sink
  // Of the chunk that is being routed: what a sink has of a table from a transaction on.
  struct Told {
    base::Lsn commit;
    std::uint32_t oid;
    std::uint64_t facts;
  };
  std::vector<Told> told_;
  // The same step for each sink.
  const transaction::Relation* step_before_ = nullptr;
  const transaction::Relation* step_now_ = nullptr;
  route::ShapeStep step_;
  std::int64_t stored_requests_ = 0;  // up to this one they are being worked on
  bool prune_due_ = false;            // facts that are stored may be of no use any more

  std::mutex mutex_;
  std::vector<Request> requests_;
  bool closed_ = false;
  std::unique_ptr<SchemaWatch> watch_;
  std::unique_ptr<control::Server> control_;  // last: its thread ends before the rest goes
};

}  // namespace walspout
