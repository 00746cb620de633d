#include "pipeline/copy.hpp"

#include <poll.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/backoff.hpp"
#include "log/log.hpp"
#include "pipeline/copy_progress.hpp"
#include "postgres/copy_reader.hpp"

namespace walspout {

using transaction::Chunk;

namespace {

constexpr std::size_t kChunkBytes = 512 * 1024;

walspout_change* add_change(Chunk& chunk, std::uint16_t op, const transaction::Relation* relation,
                            std::uint64_t ordinal) {
  auto* change = chunk.arena().make(walspout_change{});
  change->struct_size = sizeof *change;
  change->op = op;
  change->ordinal = ordinal;
  change->relation = relation;
  chunk.add(change);
  return change;
}

}  // namespace

Copier::Copier(const config::Config& config, Sinks& sinks, route::Router& router,
               CatalogueResolver& resolver, base::MemoryBudget& budget, base::Wake& wake,
               StopSignal& stop)
    : config_(config),
      sinks_(sinks),
      router_(router),
      resolver_(resolver),
      budget_(budget),
      wake_(wake),
      interrupt_(stop.fd()) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  copy_id_ = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

void Copier::run(Start& start) {
  copies_ = start.copies;
  base::Backoff backoff;
  std::optional<Snapshot> later;  // when the slot's own is not there, or no longer good
  for (bool first = true;; first = false) {
    try {
      if (!first) {
        for (const std::size_t sink : copies_) {
          sinks_.runner(sink).restarted(true);
          sinks_.runner(sink).begin(0, sinks_.host_state(), true);
        }
      }
      if (!first || !start.snapshot) later = fresh_snapshot(config_, interrupt_);
      const Snapshot& snapshot = later ? *later : *start.snapshot;
      copy_all(snapshot);
      for (const std::size_t sink : copies_) {
        sinks_.runner(sink).advance(snapshot.point);
        start.begins[sink] = snapshot.point;
      }
      // From here on a sink may have stored that its copy is whole: it is not touched again.
      copies_ = wait_durable(snapshot.point);
      if (!copies_.empty()) throw Again();
      // The slot's own connection goes on to stream.
      if (start.snapshot) start.connections.replication = std::move(start.snapshot->exporter);
      start.snapshot.reset();
      return;
    } catch (const Again&) {
      log::warn("the copy starts over, as a sink had to be reopened");
    } catch (const postgres::TableChanged& error) {
      log::warn(std::string(error.what()) + "; the copy starts over under a newer snapshot");
    } catch (const std::exception& error) {
      if (!postgres::is_transient(error)) throw;
      log::warn(std::string(error.what()) + "; the copy starts over");
    }
    pause(backoff.next());
  }
}

void Copier::copy_all(const Snapshot& snapshot) {
  // One to ask the catalogue, one that is busy copying.
  const auto catalogue = connect_ordinary(config_, interrupt_);
  const auto reader = connect_ordinary(config_, interrupt_);
  resolver_.refresh(*catalogue, config_.source.publication, interrupt_);
  postgres::begin_snapshot(*reader, snapshot.name, interrupt_);
  const std::vector<postgres::PublishedTable> tables = resolver_.tables();
  const auto count = static_cast<std::size_t>(std::count_if(
      tables.begin(), tables.end(), [this](const auto& table) { return taken(table); }));
  std::size_t number = 0;
  for (const postgres::PublishedTable& table : tables) {
    if (!taken(table)) continue;
    CopyProgress progress(table.full_name(), table.estimated_rows, ++number, count);
    copy_table(*reader, table, snapshot.point, progress);
  }
}

bool Copier::taken(const postgres::PublishedTable& table) const {
  return std::any_of(copies_.begin(), copies_.end(), [&](std::size_t sink) {
    return router_.takes_table(sink, table.schema, table.name);
  });
}

void Copier::copy_table(postgres::Connection& connection, const postgres::PublishedTable& table,
                        base::Lsn point, CopyProgress& progress) {
  postgres::lock_table(connection, table, interrupt_);
  const transaction::RelationPtr relation = resolver_.resolve(table);
  ++copy_id_;
  deliver_marker(WALSPOUT_COPY_BEGIN, relation, point);
  deliver_marker(WALSPOUT_TRUNCATE, relation, point);
  postgres::CopyReader rows(connection, table, {}, interrupt_);
  std::span<walspout_value> row;
  for (bool more = true; more;) {
    wait_for_room();
    auto chunk = std::make_shared<Chunk>(budget_);
    chunk->keep(relation);
    while (chunk->bytes() < kChunkBytes && (more = rows.next(chunk->arena(), row)))
      add_change(*chunk, WALSPOUT_INSERT, relation.get(), rows.rows() - 1)->new_row = row.data();
    if (!chunk->changes().empty()) deliver(std::move(chunk), point);
    progress.rows(rows.rows());
  }
  deliver_marker(WALSPOUT_COPY_END, relation, point);
  progress.finished(rows.rows());
}

void Copier::deliver(std::shared_ptr<Chunk> chunk, base::Lsn point) {
  transaction::Piece piece{};
  piece.txn.struct_size = sizeof piece.txn;
  piece.txn.kind = WALSPOUT_TXN_SNAPSHOT;
  piece.txn.commit_lsn = piece.txn.end_lsn = point;
  piece.txn.copy_id = copy_id_;
  piece.txn.commit_time_us = std::chrono::duration_cast<std::chrono::microseconds>(
                                 std::chrono::system_clock::now().time_since_epoch())
                                 .count();
  piece.flags = WALSPOUT_FIRST | WALSPOUT_LAST;
  piece.end = static_cast<std::uint32_t>(chunk->changes().size());
  chunk->add(piece);
  chunk->account();
  const std::uint16_t op = chunk->changes().front()->op;
  const transaction::ChunkPtr sealed = std::move(chunk);
  for (const std::size_t sink : copies_) {
    // TRUNCATE clears what a copy that broke off may have left: a sink with a shadow swaps instead,
    // and one that keeps its position has cut that back itself.
    const bool clears = (sinks_.caps(sink) & (WALSPOUT_CAP_SHADOW | WALSPOUT_CAP_POSITION)) == 0;
    if (op == WALSPOUT_TRUNCATE && !clears) continue;
    route::Delivery delivery = router_.route(sink, sealed);
    if (!delivery.empty()) sinks_.runner(sink).deliver(std::move(delivery));
  }
}

void Copier::deliver_marker(std::uint16_t op, const transaction::RelationPtr& relation,
                            base::Lsn point) {
  auto chunk = std::make_shared<Chunk>(budget_);
  chunk->keep(relation);
  add_change(*chunk, op, relation.get(), 0);
  deliver(std::move(chunk), point);
}

void Copier::check() {
  wake_.clear();
  interrupt_.check();
  if (sinks_.failure()) throw SinkFailed();
  if (sinks_.replay_pending()) throw Again();
}

void Copier::wait_for_room() {
  while (true) {
    check();
    if (!budget_.exhausted()) return;
    interrupt_.wait(wake_.fd(), POLLIN, postgres::deadline_in(std::chrono::milliseconds(500)));
  }
}

std::vector<std::size_t> Copier::wait_durable(base::Lsn point) {
  std::vector<std::size_t> lost;
  while (true) {
    wake_.clear();
    interrupt_.check();
    if (sinks_.failure()) throw SinkFailed();
    for (const Sinks::Replay& replay : sinks_.take_replays()) lost.push_back(replay.sink);
    const bool all = std::all_of(copies_.begin(), copies_.end(), [&](std::size_t sink) {
      return sinks_.durable_position(sink) >= point ||
             std::find(lost.begin(), lost.end(), sink) != lost.end();
    });
    if (all) return lost;
    interrupt_.wait(wake_.fd(), POLLIN, postgres::deadline_in(std::chrono::milliseconds(500)));
  }
}

void Copier::pause(std::chrono::milliseconds time) {
  const auto deadline = postgres::deadline_in(time);
  interrupt_.wait(-1, 0, deadline);
  if (sinks_.failure()) throw SinkFailed();
}

}  // namespace walspout
