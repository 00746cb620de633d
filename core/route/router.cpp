#include "route/router.hpp"

#include <utility>

namespace walspout::route {

using transaction::Chunk;
using transaction::ChunkPtr;
using transaction::Piece;
using transaction::Relation;
using transaction::RelationPtr;
using transaction::TableShape;

Router::Router(std::vector<Rules> sinks, transaction::RelationCache& relations)
    : states_(sinks.size()), relations_(relations) {
  for (std::size_t i = 0; i < sinks.size(); ++i) states_[i].rules = std::move(sinks[i]);
}

Delivery Delivery::take_before(base::Lsn commit) {
  Delivery before = *this;
  std::size_t count = 0;
  for (const Piece& piece : pieces()) {
    if (piece.txn.commit_lsn >= commit) break;
    ++count;
  }
  before.end = first = first + count;
  return before;
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

void Router::replay_from(std::size_t sink, base::Lsn position) {
  skip_until(sink, position);
  for (auto& [oid, table] : states_[sink].tables) {
    if (!table.shape || table.told_at < position) continue;
    table.shape.reset();
    table.announce = true;
    settle(table);
  }
}

void Router::settle(Table& table) {
  const bool plain = table.seen && table.mode == TableMode::kLive && !table.copy && table.shape;
  table.plain = plain ? table.shape->version : 0;
}

void Router::set_mode(std::size_t sink, std::uint32_t oid, TableMode mode) {
  Table& table = states_[sink].tables[oid];
  table.seen = true;
  table.mode = mode;
  settle(table);
}

void Router::set_shape(std::size_t sink, std::uint32_t oid, RelationPtr relation) {
  Table& table = states_[sink].tables[oid];
  table.announce = relation == nullptr;
  table.shape = std::move(relation);
  settle(table);
}

RelationPtr Router::shape(std::size_t sink, std::uint32_t oid) const {
  const auto found = states_[sink].tables.find(oid);
  return found == states_[sink].tables.end() ? nullptr : found->second.shape;
}

bool Router::shape_due(std::size_t sink, const Relation& relation) {
  const TableRoute& route = table_route(states_[sink], relation);
  const Table& table = *route.table;
  if (!route.taken || table.mode != TableMode::kLive) return false;
  if (table.copy && !table.copy->live()) return false;
  return table.shape ? table.shape->version != relation.version : table.announce;
}

TableCopy& Router::begin_copy(std::size_t sink, std::uint32_t oid, TableCopy copy) {
  Table& table = states_[sink].tables[oid];
  table.copy = std::make_unique<TableCopy>(std::move(copy));
  settle(table);
  return *table.copy;
}

TableCopy* Router::copy(std::size_t sink, std::uint32_t oid) {
  const auto found = states_[sink].tables.find(oid);
  return found == states_[sink].tables.end() ? nullptr : found->second.copy.get();
}

void Router::end_copy(std::size_t sink, std::uint32_t oid) {
  Table& table = states_[sink].tables[oid];
  table.copy.reset();
  settle(table);
}

void Router::forget_table(std::size_t sink, std::uint32_t oid) {
  Table& table = states_[sink].tables[oid];  // stays: routes point to it
  table = Table();
}

void Router::forget_all() {
  for (State& state : states_)
    for (auto& [oid, table] : state.tables) table = Table();
}

SinkShape Router::seen_shape(const TableRoute& route) {
  if (!route.projected) return {route.relation.get(), {}};
  return {route.projected.get(), route.from_column};
}

Router::TableRoute& Router::table_route(State& state, const walspout_relation& relation) {
  if (relation.version >= state.routes.size()) state.routes.resize(relation.version + 16);
  TableRoute& route = state.routes[relation.version];
  if (route.known) return route;
  route.known = true;
  const TableShape& shape = Relation::of(relation).shape();
  route.taken = state.rules.tables.matches(shape.schema, shape.name);
  route.table = &state.tables[relation.oid];
  route.relation = relations_.find(relation);
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

// At the first change of a table that this sink gets.
void Router::meet(std::size_t sink, TableRoute& route) {
  Table& table = *route.table;
  if (table.seen) return;
  table.seen = true;
  if (table.copy) return;
  if (watcher_ != nullptr && !table.shape)
    table.mode = watcher_->first_change(sink, *route.relation);
  if (!table.shape && !table.announce) table.shape = route.relation;
  settle(table);
}

bool Router::takes_all(std::size_t sink, const Chunk& chunk) {
  State& state = states_[sink];
  for (const Piece& piece : chunk.pieces()) {
    if (piece.txn.commit_lsn < state.skip_until && piece.txn.kind == WALSPOUT_TXN_COMMIT)
      return false;
  }
  if (state.skipping || state.started != ((chunk.pieces().front().flags & WALSPOUT_FIRST) == 0))
    return false;
  const bool copied = chunk.pieces().front().txn.kind == WALSPOUT_TXN_SNAPSHOT;
  const walspout_relation* last = nullptr;
  for (const walspout_change* change : chunk.changes()) {
    if ((state.rules.operations >> change->op & 1U) == 0) return false;
    if (change->relation == last || change->relation == nullptr) continue;
    TableRoute& route = table_route(state, *change->relation);
    if (!route.taken || route.projected) return false;
    if (!copied) meet(sink, route);
    if (!copied && route.table->plain != change->relation->version) return false;
    last = change->relation;
  }
  return true;
}

walspout_change* Router::project(const walspout_change& change, const TableRoute& route,
                                 Delivery::Own& own) {
  walspout_change* copy = own.arena.make(change);
  if (!route.projected) return copy;
  const auto row = [&](const walspout_value* from) -> const walspout_value* {
    if (from == nullptr) return nullptr;
    const auto to = own.arena.array<walspout_value>(route.from_column.size());
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[route.from_column[i]];
    return to.data();
  };
  copy->relation = route.projected.get();
  copy->old_row = row(change.old_row);
  copy->new_row = row(change.new_row);
  if (own.relations.empty() || own.relations.back() != route.projected)
    own.relations.push_back(route.projected);
  return copy;
}

void Router::put(const walspout_change& change, const TableRoute& route, Delivery::Own& own) {
  own.changes.push_back(route.projected ? project(change, route, own) : &change);
}

void Router::add(std::size_t sink, const walspout_change& change, const walspout_txn& txn,
                 Delivery::Own& own) {
  State& state = states_[sink];
  if (change.op == WALSPOUT_SCHEMA) {
    TableRoute& route = table_route(state, *change.relation);
    if (route.taken) tell_shape(sink, route, change, txn, own);
    return;
  }
  if ((state.rules.operations >> change.op & 1U) == 0) return;
  if (change.relation == nullptr) {
    own.changes.push_back(&change);
    return;
  }
  TableRoute& route = table_route(state, *change.relation);
  if (!route.taken) return;
  Table& table = *route.table;
  // What the host itself sends is for the table that it names: rows and marks of a copy.
  if (txn.kind == WALSPOUT_TXN_SNAPSHOT) return put(change, route, own);
  meet(sink, route);
  if (table.copy) {
    if (table.copy->is_repair() && !tell_shape(sink, route, change, txn, own)) return;
    add_copied(route, change, txn, own);
    if (!table.copy->live()) return;
  }
  if (table.mode != TableMode::kLive || !tell_shape(sink, route, change, txn, own)) return;
  put(change, route, own);
}

void Router::add_copied(TableRoute& route, const walspout_change& change, const walspout_txn& txn,
                        Delivery::Own& own) {
  TableCopy& copy = *route.table->copy;
  const TableCopy::Verdict verdict = copy.judge(change, txn.xid);
  if (verdict == TableCopy::Verdict::kSkip) return;
  if (!copy.shadow() && verdict == TableCopy::Verdict::kApply) return put(change, route, own);
  walspout_change* mine = project(change, route, own);
  if (copy.shadow()) mine->copy_id = copy.id();
  if (verdict == TableCopy::Verdict::kDelete) {
    mine->op = WALSPOUT_DELETE;
    mine->new_row = nullptr;
  } else if (verdict == TableCopy::Verdict::kInsert) {
    mine->op = WALSPOUT_INSERT;
    mine->old_row = nullptr;
    mine->flags = 0;
  }
  own.changes.push_back(mine);
}

// Before the first change of a new shape. False: the sink gets no changes of the table any more.
bool Router::tell_shape(std::size_t sink, TableRoute& route, const walspout_change& change,
                        const walspout_txn& txn, Delivery::Own& own) {
  State& state = states_[sink];
  Table& table = *route.table;
  if (table.shape && table.shape->version == route.relation->version) return true;
  const RelationPtr before = table.shape;
  const bool tell = watcher_ != nullptr && (before || table.announce);
  ShapeStep step;
  if (tell) step = watcher_->shape_changed(sink, before.get(), *route.relation, txn);
  if (step.mode != TableMode::kLive) {
    set_mode(sink, change.relation->oid, step.mode);
    return false;
  }
  table.shape = route.relation;
  table.announce = false;
  table.told_at = txn.commit_lsn;
  settle(table);
  if (!tell || (state.rules.operations & kSchema) == 0) return true;
  SinkShape old;
  if (before) old = seen_shape(table_route(state, *before));
  const SinkShape now = seen_shape(route);
  if (old.relation == now.relation) return true;  // what changed is left out for this sink
  own.changes.push_back(make_schema_change(change, old, now, step, own.arena));
  own.relations.push_back(route.relation);
  if (route.projected) own.relations.push_back(route.projected);
  return true;
}

Delivery Router::route(std::size_t sink, const ChunkPtr& chunk) {
  State& state = states_[sink];
  if (takes_all(sink, *chunk)) {
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
    for (std::uint32_t i = piece.begin; i < piece.end; ++i)
      add(sink, *chunk->changes()[i], piece.txn, *own);
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
