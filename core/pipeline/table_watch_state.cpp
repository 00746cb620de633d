// What is stored of a sink's tables: which facts of the catalogue each of them stands at.
#include <utility>

#include "pipeline/table_watch.hpp"

namespace walspout {

using postgres::TableFacts;
using transaction::Relation;

// The resolver looks at the catalogue more often than examine() compares. Facts that are stored as
// those a sink has are not compared with older ones again after a crash: whether they ask for a
// copy must be known by then.
bool TableWatch::judged(const TableFacts& facts) const {
  const auto known = known_.find(facts.oid);
  return known != known_.end() &&
         !postgres::compare_facts(known->second.facts, facts).values_changed;
}

// A sink that knows the catalogue's shape stands where these facts say; one that does not has older
// ones stored, which say where it stands.
void TableWatch::note_facts(std::size_t sink, const postgres::PublishedTable& table,
                            const transaction::RelationPtr& relation) {
  auto& whole = tables_.tables(sink).state().tables;
  if (!whole || !router_.takes_table(sink, table.schema, table.name)) return;
  const auto entry = whole->find(table.oid);
  const transaction::RelationPtr shape = router_.shape(sink, table.oid);
  if (entry == whole->end() || entry->second == SinkTables::kStale) return;
  if (shape && shape->version != relation->version) return;
  const TableFacts* facts = resolver_.facts(table.oid);
  if (facts == nullptr || !judged(*facts)) return;
  const std::uint64_t hash = postgres::facts_hash(*facts);
  if (entry->second == hash) return;
  store_.put_facts(hash, postgres::serialize(*facts));
  entry->second = hash;
  tables_.store_state(sink);
}

// The state that is stored with this change says which shape the sink has from then on.
void TableWatch::note_told(std::size_t sink, const Relation& now, base::Lsn commit) {
  const auto& whole = tables_.tables(sink).state().tables;
  if (!whole || !whole->contains(now.shape().oid)) return;
  Told told{commit, now.shape().oid, SinkTables::kBetween};
  const postgres::PublishedTable* table = resolver_.table(told.oid);
  if (table != nullptr && resolver_.resolve(*table)->version == now.version &&
      judged(*resolver_.facts(told.oid))) {
    const TableFacts& facts = *resolver_.facts(told.oid);
    told.facts = postgres::facts_hash(facts);
    store_.put_facts(told.facts, postgres::serialize(facts));
  }
  told_.push_back(told);
}

// What no sink has stored, nor will: of tables that left, and of shapes that all sinks are past. A
// copy under way, or a state that is not durable, may still go back to older ones.
void TableWatch::prune_facts() {
  if (!tables_.idle() || shapes_due_ != 0) return;
  std::vector<std::uint64_t> used;
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    const SinkTables& mine = tables_.tables(i);
    if (mine.pending(sinks_.stored_state(i)) != 0) return;
    if (mine.state().tables)
      for (const auto& [oid, facts] : *mine.state().tables) used.push_back(facts);
    for (const auto& [oid, copy] : mine.state().copies) used.push_back(copy.facts);
  }
  for (const auto& [oid, known] : known_) used.push_back(postgres::facts_hash(known.facts));
  store_.keep_facts(used);
  prune_due_ = false;
}

void TableWatch::deliver(std::size_t sink, route::Delivery delivery) {
  for (const Told& told : std::exchange(told_, {})) {
    route::Delivery before = delivery.take_before(told.commit);
    if (!before.empty()) sinks_.runner(sink).deliver(std::move(before));
    auto& whole = tables_.tables(sink).state().tables;
    const auto entry = whole ? whole->find(told.oid) : decltype(whole->end()){};
    if (!whole || entry == whole->end() || entry->second == SinkTables::kStale) continue;
    entry->second = told.facts;
    tables_.store_state(sink);
  }
  if (!delivery.empty()) sinks_.runner(sink).deliver(std::move(delivery));
}

}  // namespace walspout
