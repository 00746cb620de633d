#include "route/router.hpp"

#include <utility>

namespace walspout::route {

using transaction::Chunk;
using transaction::ChunkPtr;
using transaction::Piece;
using transaction::Relation;
using transaction::TableShape;

Router::Router(std::vector<Rules> sinks, transaction::RelationCache& relations)
    : relations_(relations) {
  for (Rules& rules : sinks) {
    states_.emplace_back();
    states_.back().rules = std::move(rules);
  }
}

bool Router::takes_table(std::size_t sink, std::string_view schema, std::string_view table) const {
  return states_[sink].rules.tables.matches(schema, table);
}

void Router::skip_until(std::size_t sink, base::Lsn position) {
  State& state = states_[sink];
  state.skip_until = position;
  state.started = false;
  state.skipping = false;
}

const Router::TableRoute& Router::table_route(State& state, const walspout_relation& relation) {
  if (relation.version >= state.tables.size()) state.tables.resize(relation.version + 16);
  TableRoute& route = state.tables[relation.version];
  if (route.known) return route;
  route.known = true;
  const TableShape& shape = Relation::of(relation).shape();
  route.taken = state.rules.tables.matches(shape.schema, shape.name);
  if (!route.taken || state.rules.exclude_columns.empty()) return route;

  TableShape kept = shape;
  kept.columns.clear();
  const std::string table = shape.schema + '.' + shape.name + '.';
  for (std::uint32_t i = 0; i < shape.columns.size(); ++i) {
    bool excluded = false;
    for (const std::string& pattern : state.rules.exclude_columns)
      excluded = excluded || base::glob_match(pattern, table + shape.columns[i].name);
    if (excluded) continue;
    kept.columns.push_back(shape.columns[i]);
    route.from_column.push_back(i);
  }
  if (kept.columns.size() != shape.columns.size())
    route.projected = relations_.intern(std::move(kept));
  return route;
}

bool Router::takes_all(State& state, const Chunk& chunk) {
  for (const Piece& piece : chunk.pieces()) {
    if (piece.txn.commit_lsn < state.skip_until && piece.txn.kind == WALSPOUT_TXN_COMMIT)
      return false;
  }
  if (state.skipping || state.started != ((chunk.pieces().front().flags & WALSPOUT_FIRST) == 0))
    return false;
  const walspout_relation* last = nullptr;
  for (const walspout_change* change : chunk.changes()) {
    if ((state.rules.operations >> change->op & 1U) == 0) return false;
    if (change->relation == last || change->relation == nullptr) continue;
    const TableRoute& route = table_route(state, *change->relation);
    if (!route.taken || route.projected) return false;
    last = change->relation;
  }
  return true;
}

const walspout_change* Router::project(const walspout_change& change, const TableRoute& route,
                                       Delivery::Own& own) {
  const auto row = [&](const walspout_value* from) -> const walspout_value* {
    if (from == nullptr) return nullptr;
    const auto to = own.arena.array<walspout_value>(route.from_column.size());
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[route.from_column[i]];
    return to.data();
  };
  walspout_change* copy = own.arena.make(change);
  copy->relation = route.projected.get();
  copy->old_row = row(change.old_row);
  copy->new_row = row(change.new_row);
  if (own.relations.empty() || own.relations.back() != route.projected)
    own.relations.push_back(route.projected);
  return copy;
}

Delivery Router::route(std::size_t sink, const ChunkPtr& chunk) {
  State& state = states_[sink];
  if (takes_all(state, *chunk)) {
    state.started = (chunk->pieces().back().flags & WALSPOUT_LAST) == 0;
    return {chunk, nullptr};
  }
  auto own = std::make_shared<Delivery::Own>();
  for (const Piece& piece : chunk->pieces()) {
    if ((piece.flags & WALSPOUT_FIRST) != 0) {
      state.started = false;
      state.skipping =
          piece.txn.kind == WALSPOUT_TXN_COMMIT && piece.txn.commit_lsn < state.skip_until;
    }
    if (state.skipping) {
      if ((piece.flags & WALSPOUT_LAST) != 0) state.skipping = false;
      continue;
    }
    Piece mine = piece;
    mine.begin = static_cast<std::uint32_t>(own->changes.size());
    for (std::uint32_t i = piece.begin; i < piece.end; ++i) {
      const walspout_change& change = *chunk->changes()[i];
      if ((state.rules.operations >> change.op & 1U) == 0) continue;
      if (change.relation == nullptr) {
        own->changes.push_back(&change);
        continue;
      }
      const TableRoute& route = table_route(state, *change.relation);
      if (!route.taken) continue;
      own->changes.push_back(route.projected ? project(change, route, *own) : &change);
    }
    mine.end = static_cast<std::uint32_t>(own->changes.size());
    const bool last = (piece.flags & WALSPOUT_LAST) != 0;
    if (mine.begin == mine.end && !(state.started && last)) continue;  // nothing for this sink
    mine.flags = 0;
    if (!state.started) mine.flags |= WALSPOUT_FIRST;
    if (last) mine.flags |= WALSPOUT_LAST;
    state.started = !last;
    own->pieces.push_back(mine);
  }
  return {chunk, std::move(own)};
}

}  // namespace walspout::route
