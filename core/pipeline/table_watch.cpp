#include "pipeline/table_watch.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "log/log.hpp"
#include "pipeline/column_facts.hpp"
#include "pipeline/marker.hpp"
#include "transaction/column_match.hpp"

namespace walspout {

using postgres::TableFacts;
using route::ShapeStep;
using route::TableMode;
using transaction::Relation;

TableWatch::TableWatch(const config::Config& config, Sinks& sinks, route::Router& router,
                       CatalogueResolver& resolver, TableSync& tables, progress::StateStore& store,
                       base::MemoryBudget& budget, const HostStatus& status, base::Wake& wake)
    : config_(config),
      sinks_(sinks),
      router_(router),
      resolver_(resolver),
      tables_(tables),
      store_(store),
      budget_(budget),
      status_(status),
      wake_(wake) {
  control_ = std::make_unique<control::Server>(
      config_.state.directory,
      [this](const std::vector<std::string>& words) { return ask(words); });
}

TableWatch::~TableWatch() {
  {
    // Whoever waits for an answer gets one, so that the server can end.
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (Request& request : requests_) request.reply.set_value({false, {"the host is stopping"}});
    requests_.clear();
  }
  control_.reset();
}

void TableWatch::start() {
  known_.clear();
  for (const TableFacts& facts : resolver_.view().tables) {
    remember(facts, resolver_.view().snapshot);
    for (std::size_t i = 0; i < sinks_.size(); ++i) start_table(i, facts);
  }
  prune_due_ = true;
  examined_ = shapes_due_ = told_view_ = resolver_.view().lsn;
  reachable_after_ = Clock::now() + std::chrono::seconds(2);
  take_stored_requests();
  if (!watch_) watch_ = std::make_unique<SchemaWatch>(config_, wake_, resolver_.view().tables);
}

// What happened to a table while nobody was looking.
void TableWatch::start_table(std::size_t sink, const TableFacts& now) {
  SinkTables& mine = tables_.tables(sink);
  if (!router_.takes_table(sink, now.schema, now.name) || !mine.copies()) return;
  auto& whole = *mine.state().tables;
  const auto stored = whole.find(now.oid);
  if (stored == whole.end() || mine.state().copies.contains(now.oid)) return;
  const std::uint64_t hash = postgres::facts_hash(now);
  if (stored->second == SinkTables::kStale || stored->second == SinkTables::kBetween) {
    router_.set_shape(sink, now.oid, nullptr);
    tables_.want(sink, now.oid, now.full_name());
    return;
  }
  if (stored->second == hash || stored->second == 0) {
    stored->second = hash;
    resolver_.stands_at(now);
    router_.set_shape(sink, now.oid, resolver_.resolve(*resolver_.table(now.oid)));
    return;
  }
  const auto text = store_.get_facts(stored->second);
  const auto before = text ? postgres::parse_table_facts(*text) : std::nullopt;
  router_.set_shape(sink, now.oid, before ? resolver_.resolve(*before) : nullptr);
  if (before) {
    known_.at(now.oid).previous.emplace(*before, "");
    resolver_.stands_at(*before);
  }
  postgres::ValuesVerdict verdict{true, "it changed while no host ran"};
  if (before) verdict = postgres::compare_facts(*before, now);
  if (!verdict.values_changed) return;
  if (config_.source.on_schema_change == config::OnSchemaChange::kStop)
    return stop_table(sink, now.oid, now.full_name(), verdict.reason);
  log::info("sink " + sinks_.name(sink) + ": " + now.full_name() +
            " is copied anew: " + verdict.reason);
  tables_.want(sink, now.oid, now.full_name());
}

void TableWatch::remember(const TableFacts& facts, const std::string& snapshot) {
  const std::uint64_t hash = postgres::facts_hash(facts);
  const auto known = known_.find(facts.oid);
  if (known == known_.end()) {
    known_.emplace(facts.oid, Known{facts, snapshot, std::nullopt});
  } else if (postgres::facts_hash(known->second.facts) == hash) {
    known->second.snapshot = snapshot;  // they still held then
    known->second.facts.as_of = facts.as_of;
    return;
  } else {
    Known& mine = known->second;
    mine.previous.emplace(std::move(mine.facts), std::move(mine.snapshot));
    mine.facts = facts;
    mine.snapshot = snapshot;
    prune_due_ = true;
  }
  store_.put_facts(hash, postgres::serialize(facts));
}

void TableWatch::copy_anew(std::uint32_t oid, const std::string& why) {
  const postgres::PublishedTable* table = resolver_.table(oid);
  if (table == nullptr) return;
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    const SinkTables& mine = tables_.tables(i);
    if (!router_.takes_table(i, table->schema, table->name) || mine.stopped(oid)) continue;
    if (!mine.copies()) {
      log::warn("sink " + sinks_.name(i) + ": rows of " + table->full_name() +
                " changed without a message (" + why + "); it gets no copies, so it is not told");
      continue;
    }
    if (config_.source.on_schema_change == config::OnSchemaChange::kStop) {
      if (mine.has(oid)) stop_table(i, oid, table->full_name(), why);
      continue;
    }
    log::info("sink " + sinks_.name(i) + ": " + table->full_name() + " is copied anew: " + why);
    tables_.want(i, oid, table->full_name());
  }
}

// Compares the catalogue with what was acted upon before.
void TableWatch::examine(const postgres::CatalogueView& view) {
  examined_ = shapes_due_ = told_view_ = view.lsn;
  reachable_after_ = Clock::now() + std::chrono::seconds(2);
  std::set<std::uint32_t> there;
  for (const TableFacts& now : view.tables) {
    there.insert(now.oid);
    const auto known = known_.find(now.oid);
    if (known != known_.end()) {
      std::uint64_t& as_of = known->second.facts.as_of;
      as_of = std::max(as_of, view.unchanged_until);
      const auto verdict = postgres::compare_facts(known->second.facts, now);
      if (verdict.values_changed) copy_anew(now.oid, verdict.reason);
    } else {
      for (std::size_t i = 0; i < sinks_.size(); ++i) {
        const SinkTables& mine = tables_.tables(i);
        if (!router_.takes_table(i, now.schema, now.name) || !mine.copies()) continue;
        if (mine.has(now.oid) || mine.stopped(now.oid) || tables_.failed(i, now.oid)) continue;
        tables_.want(i, now.oid, now.full_name());
      }
    }
    remember(now, view.snapshot);
  }
  for (auto known = known_.begin(); known != known_.end();) {
    if (there.contains(known->first)) {
      ++known;
      continue;
    }
    log::info("table " + known->second.facts.full_name() + " is not published any more");
    tables_.forget(known->first);
    known = known_.erase(known);
    prune_due_ = true;
  }
}

void TableWatch::step(base::Lsn routed, std::vector<base::Lsn>& given, bool between,
                      bool caught_up) {
  take_requests();
  if (!between) return;
  if (const auto view = watch_->take()) {
    resolver_.update(*view);
    examine(*view);
  }
  tell_stopped();
  if (shapes_due_ != 0 && routed < shapes_due_ && caught_up && Clock::now() > reachable_after_) {
    // What the catalogue's snapshot saw is flushed by now; what lies behind may never be.
    shapes_due_ = std::min(shapes_due_, resolver_.flushed());
    reachable_after_ = Clock::now() + std::chrono::seconds(2);
  }
  if (shapes_due_ != 0 && routed >= shapes_due_) tell_shapes(routed, given);
  if (stored_requests_ != 0 && tables_.idle()) {
    store_.remove_requests(stored_requests_);
    stored_requests_ = 0;
  }
  if (prune_due_) prune_facts();
}

// Shapes that no row has told. The stream has passed the moment at which the catalogue was read, so
// nothing of an older shape is to come.
void TableWatch::tell_shapes(base::Lsn routed, std::vector<base::Lsn>& given) {
  if (told_view_ < resolver_.view().lsn) {  // somebody has looked again
    shapes_due_ = told_view_ = resolver_.view().lsn;
    reachable_after_ = Clock::now() + std::chrono::seconds(2);
    return;
  }
  shapes_due_ = 0;
  for (const TableFacts& facts : resolver_.view().tables) resolver_.stands_at(facts);
  std::uint64_t ordinal = 0;
  for (const postgres::PublishedTable& table : resolver_.tables()) {
    const transaction::RelationPtr relation = resolver_.resolve(table);
    ++ordinal;
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      if (!router_.shape_due(i, *relation)) {
        note_facts(i, table, relation);
        continue;
      }
      const transaction::ChunkPtr chunk = shape_marker(budget_, relation, routed, ordinal);
      route::Delivery delivery = router_.route(i, chunk);
      note_facts(i, table, relation);
      if (!delivery.empty()) {
        given[i] = std::max(given[i], routed);
        router_.skip_until(i, given[i]);
      }
      deliver(i, std::move(delivery));
    }
  }
}

TableMode TableWatch::first_change(std::size_t sink, const Relation& relation) {
  const SinkTables& mine = tables_.tables(sink);
  const std::uint32_t oid = relation.shape().oid;
  if (mine.stopped(oid) || tables_.failed(sink, oid)) return TableMode::kStopped;
  if (!mine.copies() || mine.has(oid)) return TableMode::kLive;
  // New since the catalogue was read.
  tables_.want(sink, oid, relation.shape().schema + "." + relation.shape().name);
  return TableMode::kWaiting;
}

ShapeStep TableWatch::shape_changed(std::size_t sink, const Relation* before, const Relation& now,
                                    const walspout_txn& txn) {
  if (config_.source.on_schema_change == config::OnSchemaChange::kStop) {
    stop_table(sink, now.shape().oid, now.shape().schema + "." + now.shape().name,
               "its shape changed");
    ShapeStep step;
    step.mode = TableMode::kStopped;
    return step;
  }
  if (step_now_ != &now || step_before_ != before) {
    step_ = make_step(before, now, txn.xid);
    step_before_ = before;
    step_now_ = &now;
  }
  note_told(sink, now, txn.commit_lsn);
  return step_;
}

// The newest facts that were read before this transaction could be seen.
const TableFacts* TableWatch::facts_before(std::uint32_t oid, std::uint32_t xid) const {
  const auto known = known_.find(oid);
  if (known == known_.end()) return nullptr;
  const auto& previous = known->second.previous;
  if (xid == 0) return previous ? &previous->first : nullptr;
  const auto sees = [xid](const std::string& snapshot) {
    if (snapshot.empty()) return false;  // of an earlier run
    const auto parsed = transaction::SnapshotXids::parse(snapshot);
    return !parsed || parsed->sees(xid);
  };
  if (!sees(known->second.snapshot)) return &known->second.facts;
  return previous && !sees(previous->second) ? &previous->first : nullptr;
}

namespace {

route::Fill fill_of(const Fill& known) {
  if (known.what == Fill::What::kText) return {route::Fill::Kind::kText, known.text};
  if (known.what == Fill::What::kNull || known.what == Fill::What::kDropped)
    return {route::Fill::Kind::kNull, {}};
  return {};
}

// The sink knows which columns are new to it, not we: what each would have.
std::vector<route::Fill> all_fills(const transaction::TableShape& shape, const TableFacts& facts) {
  std::vector<route::Fill> fills;
  for (const transaction::ColumnShape& column : shape.columns) {
    fills.emplace_back();
    for (const postgres::AttributeFacts& attribute : facts.attributes) {
      if (attribute.dropped || attribute.name != column.name ||
          attribute.type_oid != column.type_oid || attribute.missing_differs)
        continue;
      if (attribute.missing) {
        fills.back() = {route::Fill::Kind::kText, *attribute.missing};
      } else {
        fills.back().kind = route::Fill::Kind::kNull;
      }
    }
  }
  return fills;
}

}  // namespace

ShapeStep TableWatch::make_step(const Relation* before, const Relation& now, std::uint32_t xid) {
  const std::uint32_t oid = now.shape().oid;
  ShapeStep step;
  // Rows of the new shape have come, so a look now sees what made it, and maybe more.
  if (xid != 0) resolver_.look_again();
  const TableFacts* facts = resolver_.facts(oid);
  if (facts == nullptr) return step;  // gone by now: names and types are all there is
  if (before == nullptr) {
    step.fill = all_fills(now.shape(), *facts);
    return step;
  }
  const auto snapshot = transaction::SnapshotXids::parse(resolver_.view().snapshot);
  const bool sees = xid == 0 || (snapshot && snapshot->sees(xid));
  const TableFacts* old_facts = facts_before(oid, xid);
  transaction::TableShape old_shape = before->shape();
  // The catalogue may never have shown that shape: then what was found out on the way to it counts.
  if (const auto found = attnums_.find(before->version); found != attnums_.end())
    for (std::size_t i = 0; i < old_shape.columns.size(); ++i)
      if (old_shape.columns[i].attnum == 0) old_shape.columns[i].attnum = found->second[i];
  const auto match =
      transaction::match_columns(old_shape, now.shape(), table_now(old_facts, *facts, sees));
  if (match.certain) attnums_[now.version] = match.attnum;
  step.old_index = match.old_index;
  if (!match.certain) copy_anew(oid, "its columns cannot be told from those before");
  for (const Fill& fill : fill_values(old_shape, now.shape(), match, old_facts, *facts)) {
    if (fill.what == Fill::What::kUnknown && match.certain && step.fill.size() < now.column_count)
      copy_anew(oid, "column " + now.shape().columns[step.fill.size()].name +
                         " was added with values of its own");
    step.fill.push_back(fill_of(fill));
  }
  return step;
}

void TableWatch::stop_table(std::size_t sink, std::uint32_t oid, const std::string& name,
                            const std::string& why) {
  progress::HostState& state = tables_.tables(sink).state();
  state.stopped.insert(oid);
  if (state.tables) state.tables->erase(oid);
  tables_.cancel(sink, oid);
  tables_.store_state(sink);
  router_.set_mode(sink, oid, TableMode::kStopped);
  if (const auto* table = resolver_.table(oid))
    stopped_.push_back(
        {sink, resolver_.resolve(*table), why + ", and on_schema_change = \"stop\""});
  log::error("sink " + sinks_.name(sink) + ": table " + name + ": " + why +
             ", and on_schema_change = \"stop\": it gets no more changes; to go on with the new "
             "shape: walspout resync " +
             config_.file + " " + name);
}

void TableWatch::tell_stopped() {
  for (const Stopped& stopped : std::exchange(stopped_, {})) {
    const auto chunk =
        copy_marker(budget_, stopped.relation, WALSPOUT_COPY_FAILED, 0, stopped.why, 0);
    deliver(stopped.sink, router_.route(stopped.sink, chunk));
  }
}

}  // namespace walspout
