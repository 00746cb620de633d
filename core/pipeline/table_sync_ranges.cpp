// What the table reader brings, and what becomes of copies that cannot go on as they are.
#include <algorithm>
#include <utility>

#include "log/log.hpp"
#include "pipeline/marker.hpp"
#include "pipeline/table_sync.hpp"

namespace walspout {

using Kind = ReaderEvent::Kind;

namespace {

constexpr std::size_t kRangeBytes = std::size_t{4} << 20;
constexpr std::uint64_t kFirstRows = 20'000;  // of a table whose rows' width is not known yet
constexpr std::size_t kMostRereads = 500;     // single rows in one query

}  // namespace

void TableSync::on_event(ReaderEvent& event) {
  switch (event.kind) {
    case Kind::kPrepared:
      return on_prepared(event);
    case Kind::kGone:
      return forget(job_->oid);
    case Kind::kSnapshot:
      return on_snapshot(event);
    case Kind::kRows:
      return on_rows(event);
    case Kind::kDone:
      return on_done(event);
    case Kind::kReached:
      return reach(event.position);
    case Kind::kLocked:
      return on_locked();
    case Kind::kChanged:
      log::info("copy of " + job_->name + ": " + event.text + "; it is looked at again");
      return on_lost(event);
    case Kind::kRefused:
      return fail_all(event.text);
    case Kind::kLost:
      log::warn("copy of " + job_->name + ": " + event.text + "; it goes on from the last range");
      return on_lost(event);
  }
}

std::vector<std::uint32_t> TableSync::key_of(const postgres::PublishedTable& table,
                                             const transaction::Relation& relation) const {
  const std::vector<std::string>& names = key_names(table);
  std::vector<std::uint32_t> key;
  for (const std::string& name : names) {
    for (std::uint32_t i = 0; i < relation.column_count; ++i)
      if (relation.shape().columns[i].name == name) key.push_back(i);
  }
  if (key.size() != names.size()) key.clear();
  return key;
}

void TableSync::on_prepared(const ReaderEvent& event) {
  const transaction::RelationPtr relation = resolver_.resolve(*event.table);
  if (job_->begun && job_->relation->version != relation->version) restart("its shape changed");
  if (!job_->begun) {
    job_->relation = relation;
    job_->key = key_of(*event.table, *relation);
    job_->name = event.table->full_name();
  }
  const postgres::PublishedTable* known = resolver_.table(job_->oid);
  if (known == nullptr || resolver_.resolve(*known)->version != relation->version)
    resolver_.look_again();
  job_->facts = resolver_.facts_hash(job_->oid);
  if (const postgres::TableFacts* facts = resolver_.facts(job_->oid)) resolver_.copied_at(*facts);
  job_->estimated_rows = event.table->estimated_rows;
  if (job_->limit == 0) {
    job_->limit = kFirstRows;
    if (job_->estimated_rows >= 1000)
      next_limit(static_cast<std::uint64_t>(job_->estimated_rows),
                 static_cast<std::uint64_t>(event.table->bytes));
  }
  if (job_->mends && job_->key.empty()) {
    log::warn(job_->name + " has no key: single rows cannot be mended; it is copied anew");
    const std::size_t sink = job_->sinks.front();
    const std::uint32_t oid = job_->oid;
    const std::string name = job_->name;
    drop_job({});
    return want(sink, oid, name);
  }
  number_job();
  phase_ = Phase::kPrepared;
}

void TableSync::on_snapshot(const ReaderEvent& event) {
  if (!recent_.all_seen(job_->oid, *event.snapshot)) {
    // A transaction that the stream brought already is not over for other sessions yet.
    job_->not_before = Clock::now() + std::chrono::milliseconds(5);
    phase_ = Phase::kIdle;
    return;
  }
  if (!job_->begun) begin_job(*event.snapshot, event.position);
  snapshot_ = event.snapshot;
  snapshot_end_ = event.position;
  RangeRequest request;
  request.relation = job_->relation;
  request.copy_id = job_->copy_id;
  request.first_ordinal = job_->next_ordinal;
  // Not the snapshot's own: a commit that it does not see may have been written before that.
  request.position = stands_at_;
  request.key = job_->key;
  request.in_shadow = !job_->mends;
  std::vector<std::string>& wanted = !job_->mends ? job_->rereads : job_->repair;
  const std::size_t count = std::min(wanted.size(), kMostRereads);
  reading_keys_.assign(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(count));
  request.keys = reading_keys_;
  request.keep_keys = !job_->key.empty() && (!job_->first_range || !reading_keys_.empty());
  if (reading_keys_.empty()) {
    request.after = job_->after;
    request.limit = job_->key.empty() ? 0 : job_->limit;
    request.max_bytes = job_->key.empty() ? 0 : 4 * kRangeBytes;
  }
  phase_ = Phase::kReading;
  reader_.read(std::move(request));
}

// Nothing of the table was copied yet: what this first snapshot sees, all ranges will contain.
void TableSync::begin_job(const transaction::SnapshotXids& snapshot, base::Lsn position) {
  job_->copy_id = ++copy_id_;
  job_->begun = true;
  job_->first_range = true;
  for (const std::size_t sink : job_->sinks) {
    if (job_->mends) {
      router_.begin_copy(sink, job_->oid,
                         route::TableCopy::repair(job_->copy_id, job_->relation, job_->key));
      job_->first_range = false;
      continue;
    }
    const bool whole = tables_[sink].has(job_->oid);
    const bool keeps = (sinks_.caps(sink) & WALSPOUT_CAP_POSITION) != 0;
    deliver_marker(*job_, sink, WALSPOUT_COPY_BEGIN, {}, 0);
    // What is there already goes first, or what a copy that broke off may have left; a sink with a
    // shadow swaps instead, and one that keeps its position has cut that back itself.
    if (!shadows(sink) && (whole || !keeps || job_->left_rows)) {
      deliver_marker(*job_, sink, WALSPOUT_TRUNCATE, {}, 0);
      job_->next_ordinal = 1;  // it is the first event of the copy
    }
    route::TableCopy copy(job_->copy_id, job_->relation, job_->key, shadows(sink),
                          shadows(sink) && whole);
    copy.set_first(snapshot);
    router_.begin_copy(sink, job_->oid, std::move(copy));
    if (shadows(sink)) continue;
    // Its rows are seen at once: whoever begins anew has to know of them.
    progress::CopyState& state = tables_[sink].state().copies[job_->oid];
    state = {};
    state.copy_id = job_->copy_id;
    store_state(sink);
  }
  report_begun(*job_, position);
}

void TableSync::on_rows(const ReaderEvent& event) {
  for (const std::size_t sink : job_->sinks) deliver(sink, event.rows);
  job_->next_ordinal = event.rows->changes().back()->ordinal + 1;
  if (reading_keys_.empty()) job_->range_rows += event.rows->changes().size();
}

void TableSync::on_done(ReaderEvent& event) {
  phase_ = Phase::kIdle;
  const auto now = Clock::now();
  not_before_ = now + (now - reading_since_);  // the stream gets as much time as the range took
  window_since_ = now;
  job_->backoff.reset();
  job_->range_rows = 0;
  TableJob::Window window;
  window.end = window.range_end = snapshot_end_;
  const bool single = !reading_keys_.empty();
  if (single) {
    take_read_keys(event.keys);
    window.reread = reading_keys_;
  } else {
    job_->rows += event.row_count;
    if (!event.last_key.empty()) job_->after = event.last_key;
    job_->whole = event.complete;
    next_limit(event.row_count, event.byte_count);
    window.after = job_->after;
    window.rows = job_->rows;
  }
  if (!job_->first_range || single) {
    for (const std::size_t sink : job_->sinks)
      if (route::TableCopy* copy = router_.copy(sink, job_->oid))
        copy->add_range(*snapshot_, snapshot_end_, event.keys);
  }
  job_->first_range = false;
  job_->windows.push_back(std::move(window));
  if (!job_->whole || !job_->rereads.empty()) return;
  ending_.push_back(std::move(*job_));
  job_.reset();
}

// The stream gets here, with everything that snapshots so far see; what lies behind may stay in the
// server's buffers for ever.
void TableSync::reach(base::Lsn position) {
  const auto lower = [position](TableJob& job) {
    for (TableJob::Window& window : job.windows) window.end = std::min(window.end, position);
  };
  if (job_) lower(*job_);
  for (TableJob& job : ending_) lower(job);
}

// Single rows were read: they are not wanted any more, and what was not found is not there.
void TableSync::take_read_keys(route::KeyList& found) {
  const bool repair = job_->mends;
  std::vector<std::string>& wanted = repair ? job_->repair : job_->rereads;
  wanted.erase(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(reading_keys_.size()));
  if (!repair) return;
  delete_unfound(found);
  for (const std::string& key : reading_keys_) found.add(key);
  job_->rows += reading_keys_.size();
  job_->whole = wanted.empty();
}

// Of rows that were to be mended, those that are not at the source.
void TableSync::delete_unfound(const route::KeyList& found) {
  auto chunk = std::make_shared<transaction::Chunk>(budget_);
  chunk->keep(job_->relation);
  for (const std::string& key : reading_keys_) {
    if (found.contains(key)) continue;
    const auto values = route::decode_key(key);
    const auto row = chunk->arena().array<walspout_value>(job_->relation->column_count);
    for (walspout_value& value : row) value = {nullptr, 0, WALSPOUT_ABSENT, {}};
    for (std::size_t i = 0; i < values.size() && i < job_->key.size(); ++i) {
      const std::string_view text = chunk->arena().copy(std::string_view(values[i]));
      row[job_->key[i]] = {text.data(), static_cast<std::uint32_t>(text.size()), WALSPOUT_TEXT, {}};
    }
    auto* change = chunk->arena().make(walspout_change{});
    change->struct_size = sizeof *change;
    change->op = WALSPOUT_DELETE;
    change->relation = job_->relation.get();
    change->old_row = row.data();
    chunk->add(change);
  }
  if (chunk->changes().empty()) return;
  transaction::ChunkPtr sealed = sealed_copy_rows(std::move(chunk), job_->copy_id, stands_at_);
  for (const std::size_t sink : job_->sinks) deliver(sink, sealed);
}

void TableSync::next_limit(std::uint64_t rows, std::uint64_t bytes) {
  if (rows == 0 || bytes == 0) return;
  const std::size_t wanted = std::min(kRangeBytes, budget_.limit() / 8);
  const std::uint64_t fitting = rows * wanted / bytes;
  job_->limit = std::clamp<std::uint64_t>(fitting, 500, std::uint64_t{1} << 20);
}

// The others go first.
void TableSync::on_locked() {
  if (job_->backoff.failures() == 0)
    log::info("copy of " + job_->name + ": the table is locked exclusively; others go first");
  job_->not_before = Clock::now() + job_->backoff.next();
  phase_ = Phase::kIdle;
  next_attempt();
  queue_.push_back(std::move(*job_));
  job_.reset();
}

void TableSync::on_lost(const ReaderEvent&) {
  const bool reading = phase_ == Phase::kReading;
  phase_ = Phase::kIdle;
  job_->range_rows = 0;
  job_->not_before = Clock::now() + job_->backoff.next();
  next_attempt();
  // Without a key nobody can tell which rows are there already.
  if (reading && job_->key.empty()) restart("it broke off");
  // And a first range's rows are only in the sink if all are.
  if (reading && job_->first_range) restart("it broke off in its first range");
}

}  // namespace walspout
