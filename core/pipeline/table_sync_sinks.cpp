// What each sink has, and what is to be copied to it.
#include <algorithm>
#include <utility>

#include "log/log.hpp"
#include "pipeline/marker.hpp"
#include "pipeline/table_sync.hpp"

namespace walspout {

// ---- the state of the sinks ----

void TableSync::start_over() {
  queue_.clear();
  ending_.clear();
  finished_.clear();
  job_.reset();
  phase_ = Phase::kIdle;
  failed_.clear();
  numbered_ = 0;
  next_attempt();
  router_.forget_all();
}

void TableSync::start_sink(std::size_t sink, SinkTables tables) {
  if (tables_.size() <= sink) tables_.resize(sink + 1, SinkTables({}, false));
  tables_[sink] = std::move(tables);
  SinkTables& mine = tables_[sink];
  for (const std::uint32_t oid : mine.state().stopped)
    router_.set_mode(sink, oid, route::TableMode::kStopped);
  if (!mine.copies()) return;
  auto copies = mine.state().copies;
  for (const postgres::PublishedTable& table : resolver_.tables()) {
    if (!router_.takes_table(sink, table.schema, table.name) || mine.stopped(table.oid)) continue;
    const auto copy = copies.find(table.oid);
    if (copy != copies.end() && !copy->second.after.empty()) {
      resume_copy(sink, table, copy->second);
      copies.erase(copy);
    } else if (copy != copies.end()) {
      want(sink, table.oid, table.full_name());
      for (TableJob& job : queue_) job.left_rows = job.left_rows || job.oid == table.oid;
      copies.erase(copy);
    } else if (!mine.has(table.oid) || mine.stale(table.oid)) {
      want(sink, table.oid, table.full_name());
    }
  }
  for (const auto& [oid, state] : copies) mine.state().copies.erase(oid);  // not published any more
}

// What the stream brings goes to the copy from the first change on, long before it is read on.
void TableSync::resume_copy(std::size_t sink, const postgres::PublishedTable& table,
                            const progress::CopyState& state) {
  const transaction::RelationPtr relation = resolver_.resolve(table);
  const auto key = key_of(table, *relation);
  const bool same = std::any_of(queue_.begin(), queue_.end(), [&](TableJob& job) {
    if (!shadows(sink) || job.oid != table.oid || job.copy_id != state.copy_id ||
        job.after != state.after)
      return false;
    job.sinks.push_back(sink);
    for (const std::string& key : state.rereads)
      if (std::find(job.rereads.begin(), job.rereads.end(), key) == job.rereads.end())
        job.rereads.push_back(key);
    return true;
  });
  const bool live = shadows(sink) && tables_[sink].has(table.oid);
  // Rows that were read, and are not known to be, come again: not under the names of others.
  const std::uint64_t id = shadows(sink) ? state.copy_id : ++copy_id_;
  router_.begin_copy(sink, table.oid, route::TableCopy(id, relation, key, shadows(sink), live));
  log::info("sink " + sinks_.name(sink) + ": the copy of " + table.full_name() + " goes on after " +
            std::to_string(state.rows) + " rows");
  if (same) return;
  TableJob job;
  job.oid = table.oid;
  job.name = table.full_name();
  job.sinks = {sink};
  job.copy_id = id;
  job.begun = true;
  job.first_range = false;
  job.relation = relation;
  job.key = key;
  job.facts = state.facts;
  job.after = state.after;
  job.rows = job.next_ordinal = state.rows;
  job.rereads = state.rereads;
  queue_.push_front(std::move(job));
}

void TableSync::sink_replays(std::size_t sink, base::Lsn position) {
  router_.replay_from(sink, position);
  for (const auto& [oid, state] : tables_[sink].state().copies) router_.end_copy(sink, oid);
  if (job_) drop_sink(*job_, sink, {});
  for (std::deque<TableJob>* jobs : {&queue_, &ending_})
    for (TableJob& job : *jobs) drop_sink(job, sink, {});
  drop_empty();
  finished_.clear();  // whether they were, the sink's state tells
  SinkTables tables = std::move(tables_[sink]);
  tables.roll_back();
  start_sink(sink, std::move(tables));
  store_state(sink);
}

void TableSync::store_state(std::size_t sink) {
  sinks_.runner(sink).host_state(tables_[sink].next());
}

void TableSync::store_state_at(std::size_t sink, base::Lsn routed, std::vector<base::Lsn>& given) {
  store_state(sink);
  given[sink] = std::max(given[sink], routed);
  router_.skip_until(sink, given[sink]);
  sinks_.runner(sink).advance(given[sink]);
}

// ---- what is to be copied ----

void TableSync::want(std::size_t sink, std::uint32_t oid, const std::string& name) {
  if (!tables_[sink].has(oid)) router_.set_mode(sink, oid, route::TableMode::kWaiting);
  auto& whole = tables_[sink].state().tables;
  if (const auto entry = whole ? whole->find(oid) : decltype(whole->end()){};
      whole && entry != whole->end() && entry->second != SinkTables::kStale) {
    entry->second = SinkTables::kStale;
    store_state(sink);
  }
  // One copy of a table at a time: what has begun is finished first, then made again.
  const auto goes_on = [&](TableJob& job) {
    if (job.oid != oid || job.mends || !has_sink(job, sink)) return false;
    job.again = job.again || job.begun;
    return true;
  };
  if (job_ && goes_on(*job_)) return;
  for (std::deque<TableJob>* jobs : {&ending_, &queue_})
    for (TableJob& job : *jobs)
      if (goes_on(job)) return;
  for (TableJob& job : queue_) {
    if (job.oid != oid || job.mends || job.begun) continue;
    job.sinks.push_back(sink);
    return;
  }
  TableJob job;
  job.oid = oid;
  job.name = name;
  job.sinks = {sink};
  queue_.push_back(std::move(job));
}

void TableSync::want_repair(std::size_t sink, std::uint32_t oid, const std::string& name,
                            std::vector<std::string> keys) {
  // A copy that goes on mends every row.
  if (router_.copy(sink, oid) != nullptr) return want(sink, oid, name);
  for (TableJob& job : queue_) {
    if (!job.mends || job.oid != oid || job.sinks.front() != sink) continue;
    job.repair.insert(job.repair.end(), keys.begin(), keys.end());
    return;
  }
  TableJob job;
  job.oid = oid;
  job.name = name;
  job.sinks = {sink};
  job.mends = true;
  job.repair = std::move(keys);
  queue_.push_back(std::move(job));
}

void TableSync::cancel(std::size_t sink, std::uint32_t oid) {
  const bool known = tables_[sink].state().copies.contains(oid);
  if (job_ && job_->oid == oid) drop_sink(*job_, sink, {});
  for (std::deque<TableJob>* jobs : {&queue_, &ending_})
    for (TableJob& job : *jobs)
      if (job.oid == oid) drop_sink(job, sink, {});
  drop_empty();
  if (tables_[sink].state().copies.erase(oid) != 0 || known) store_state(sink);
}

void TableSync::forget(std::uint32_t oid) {
  if (job_ && job_->oid == oid) drop_job("the table is not published any more");
  std::erase_if(queue_, [oid](const TableJob& job) { return job.oid == oid; });
  std::erase_if(ending_, [oid](const TableJob& job) { return job.oid == oid; });
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    progress::HostState& state = tables_[i].state();
    const bool known = (state.tables && state.tables->erase(oid) != 0) |
                       (state.copies.erase(oid) != 0) | (state.stopped.erase(oid) != 0);
    if (known && shadows(i)) {
      if (const transaction::RelationPtr relation = router_.shape(i, oid))
        later_.emplace_back(
            i, copy_marker(budget_, relation, WALSPOUT_COPY_FAILED, 0,
                           "it is not published any more; its rows stay as they were", 0));
    }
    router_.forget_table(i, oid);
    failed_.erase({i, oid});
    if (known) store_state(i);
  }
}

}  // namespace walspout
