// Decides which sink gets which change, without copying rows: a sink that takes everything gets the
// chunk as it is, another one a list of pointers into it. Only a sink with excluded columns gets
// row headers of its own (16 bytes a value, never the value's bytes).
//
// Threads: one, the reader. What it gives out is immutable.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/lsn.hpp"
#include "base/table_pattern.hpp"
#include "route/schema_change.hpp"
#include "route/table_copy.hpp"
#include "route/table_watcher.hpp"
#include "transaction/chunk.hpp"
#include "transaction/relation.hpp"

namespace walspout::route {

enum Operation : std::uint32_t {
  kInsert = 1U << WALSPOUT_INSERT,
  kUpdate = 1U << WALSPOUT_UPDATE,
  kDelete = 1U << WALSPOUT_DELETE,
  kTruncate = 1U << WALSPOUT_TRUNCATE,
  kSchema = 1U << WALSPOUT_SCHEMA,
  kMessage = 1U << WALSPOUT_MESSAGE,
  kCopyBegin = 1U << WALSPOUT_COPY_BEGIN,
  kCopyEnd = 1U << WALSPOUT_COPY_END,
  kCopyFailed = 1U << WALSPOUT_COPY_FAILED,
};

// What one sink wants.
struct Rules {
  base::TablePatterns tables;
  std::uint32_t operations = ~0U;            // bits of Operation
  std::vector<std::string> exclude_columns;  // "schema.table.column", with * and ? as in patterns
};

// What one sink gets of one chunk. Immutable.
struct Delivery {
  transaction::ChunkPtr chunk;
  // Where this sink gets less than everything: its own lists. Otherwise null: the chunk's are
  // meant.
  struct Own {
    std::vector<transaction::Piece> pieces;
    std::vector<const walspout_change*> changes;
    base::Arena arena;  // rows without excluded columns
    std::vector<transaction::RelationPtr> relations;
  };
  std::shared_ptr<const Own> own;
  // Those of the pieces that are meant.
  std::size_t first = 0;
  std::size_t end = SIZE_MAX;

  std::span<const transaction::Piece> pieces() const {
    const std::vector<transaction::Piece>& all = own ? own->pieces : chunk->pieces();
    return std::span(all).subspan(first, std::min(end, all.size()) - first);
  }
  const std::vector<const walspout_change*>& changes() const {
    return own ? own->changes : chunk->changes();
  }
  bool empty() const { return pieces().empty(); }
  // Takes the transactions away that commit before this one.
  Delivery take_before(base::Lsn commit);
};

class Router {
 public:
  // Without a watcher every table is live, and changes of shape are not told.
  Router(std::vector<Rules> sinks, transaction::RelationCache& relations);
  void watch(TableWatcher& watcher) { watcher_ = &watcher; }

  // True if the sink gets rows of this table at all.
  bool takes_table(std::size_t sink, std::string_view schema, std::string_view table) const;

  // Transactions whose commit lies before this position are not delivered to the sink (again).
  // Resets what the router knows of a transaction that is under way for this sink.
  void skip_until(std::size_t sink, base::Lsn position);
  base::Lsn skip_until(std::size_t sink) const { return states_[sink].skip_until; }
  // The sink goes back to this position: shapes that it was told after it are told again.
  void replay_from(std::size_t sink, base::Lsn position);

  // The sink's part of a chunk of the stream, or of a copy; chunks must come in order.
  Delivery route(std::size_t sink, const transaction::ChunkPtr& chunk);

  // True if the sink was given the beginning of a transaction but not its end.
  bool in_transaction(std::size_t sink) const { return states_[sink].started; }

  // ---- tables, by oid ----
  void set_mode(std::size_t sink, std::uint32_t oid, TableMode mode);
  // The shape that the sink knows; null: it knows one, but which is not known here.
  void set_shape(std::size_t sink, std::uint32_t oid, transaction::RelationPtr relation);
  transaction::RelationPtr shape(std::size_t sink, std::uint32_t oid) const;
  // True if a change of op WALSPOUT_SCHEMA with this relation would tell the sink something.
  bool shape_due(std::size_t sink, const transaction::Relation& relation);
  // While there is a copy its verdicts count. The reference is good until end_copy().
  TableCopy& begin_copy(std::size_t sink, std::uint32_t oid, TableCopy copy);
  TableCopy* copy(std::size_t sink, std::uint32_t oid);
  void end_copy(std::size_t sink, std::uint32_t oid);
  void forget_table(std::size_t sink, std::uint32_t oid);
  void forget_all();

 private:
  struct Table {
    bool seen = false;
    TableMode mode = TableMode::kLive;
    std::uint64_t plain = 0;  // the version whose changes need no second look; 0 = none
    bool announce = false;    // the next shape is told although the one before is not known
    base::Lsn told_at = 0;    // the transaction in which the shape was told
    transaction::RelationPtr shape;
    std::unique_ptr<TableCopy> copy;
  };
  struct TableRoute {
    bool known = false;
    bool taken = false;
    Table* table = nullptr;
    transaction::RelationPtr relation;
    transaction::RelationPtr projected;      // null: all columns
    std::vector<std::uint32_t> from_column;  // of projected: the column of the source's row
  };
  struct State {
    Rules rules;
    base::Lsn skip_until = 0;
    bool started = false;           // a FIRST piece was delivered, its LAST was not
    bool skipping = false;          // the transaction under way is skipped
    std::deque<TableRoute> routes;  // by relation version
    std::unordered_map<std::uint32_t, Table> tables;
  };

  TableRoute& table_route(State& state, const walspout_relation& relation);
  void meet(std::size_t sink, TableRoute& route);
  bool takes_all(std::size_t sink, const transaction::Chunk& chunk);
  void add(std::size_t sink, const walspout_change& change, const walspout_txn& txn,
           Delivery::Own& own);
  void add_copied(TableRoute& route, const walspout_change& change, const walspout_txn& txn,
                  Delivery::Own& own);
  bool tell_shape(std::size_t sink, TableRoute& route, const walspout_change& change,
                  const walspout_txn& txn, Delivery::Own& own);
  void put(const walspout_change& change, const TableRoute& route, Delivery::Own& own);
  static void settle(Table& table);
  static SinkShape seen_shape(const TableRoute& route);
  static walspout_change* project(const walspout_change& change, const TableRoute& route,
                                  Delivery::Own& own);

  std::vector<State> states_;
  transaction::RelationCache& relations_;
  TableWatcher* watcher_ = nullptr;
};

}  // namespace walspout::route
