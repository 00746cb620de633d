// Decides which sink gets which change, without copying rows: a sink that takes everything gets the
// chunk as it is, another one a list of pointers into it. Only a sink with excluded columns gets
// row headers of its own (16 bytes a value, never the value's bytes).
//
// Threads: one, the reader. What it gives out is immutable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/lsn.hpp"
#include "base/table_pattern.hpp"
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

  const std::vector<transaction::Piece>& pieces() const {
    return own ? own->pieces : chunk->pieces();
  }
  const std::vector<const walspout_change*>& changes() const {
    return own ? own->changes : chunk->changes();
  }
  bool empty() const { return pieces().empty(); }
};

class Router {
 public:
  Router(std::vector<Rules> sinks, transaction::RelationCache& relations);

  // True if the sink gets rows of this table at all.
  bool takes_table(std::size_t sink, std::string_view schema, std::string_view table) const;

  // Transactions whose commit lies before this position are not delivered to the sink (again).
  // Resets what the router knows of a transaction that is under way for this sink.
  void skip_until(std::size_t sink, base::Lsn position);
  base::Lsn skip_until(std::size_t sink) const { return states_[sink].skip_until; }

  // The sink's part of a chunk of the stream; chunks must come in order.
  Delivery route(std::size_t sink, const transaction::ChunkPtr& chunk);

  // True if the sink was given the beginning of a transaction but not its end.
  bool in_transaction(std::size_t sink) const { return states_[sink].started; }

 private:
  struct TableRoute {
    bool known = false;
    bool taken = false;
    transaction::RelationPtr projected;      // null: all columns
    std::vector<std::uint32_t> from_column;  // of projected: the column of the source's row
  };
  struct State {
    Rules rules;
    base::Lsn skip_until = 0;
    bool started = false;            // a FIRST piece was delivered, its LAST was not
    bool skipping = false;           // the transaction under way is skipped
    std::vector<TableRoute> tables;  // by relation version
  };

  const TableRoute& table_route(State& state, const walspout_relation& relation);
  bool takes_all(State& state, const transaction::Chunk& chunk);
  static const walspout_change* project(const walspout_change& change, const TableRoute& route,
                                        Delivery::Own& own);

  std::vector<State> states_;
  transaction::RelationCache& relations_;
};

}  // namespace walspout::route
