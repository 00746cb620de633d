#include "pipeline/table_sync.hpp"

#include <algorithm>
#include <utility>

#include "log/log.hpp"
#include "pipeline/marker.hpp"

namespace walspout {

namespace {

constexpr double kNearlyWhole = 0.99;    // by an estimate
constexpr std::size_t kMaxUnstored = 3;  // ranges that a kill may cost

}  // namespace

TableSync::TableSync(const config::Config& config, Sinks& sinks, route::Router& router,
                     CatalogueResolver& resolver, base::MemoryBudget& budget, HostStatus& status,
                     base::Wake& wake)
    : config_(config),
      sinks_(sinks),
      router_(router),
      resolver_(resolver),
      budget_(budget),
      status_(status),
      reader_(config, budget, wake) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  copy_id_ = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

bool TableSync::shadows(std::size_t sink) const {
  return (sinks_.caps(sink) & WALSPOUT_CAP_SHADOW) != 0;
}

transaction::RelationPtr TableSync::relation_of(std::uint32_t oid) const {
  const auto* table = resolver_.table(oid);
  return table == nullptr ? nullptr : resolver_.resolve(*table);
}

// ---- between the stream's chunks ----

bool TableSync::holds(const transaction::Chunk& chunk) const {
  if (phase_ == Phase::kSnapshot) return true;
  if (phase_ != Phase::kReading) return false;
  // The rows that are still to come cannot be put into the middle of a transaction.
  if ((chunk.pieces().back().flags & WALSPOUT_LAST) == 0) return true;
  const walspout_relation* last = nullptr;
  for (const walspout_change* change : chunk.changes()) {
    if (change->relation == last || change->relation == nullptr) continue;
    last = change->relation;
    if (last->oid == job_->oid) return true;
  }
  return false;
}

// The copy begins anew wherever it is taken up. False: no range of it was stored.
bool TableSync::forget_ranges(std::size_t sink, std::uint32_t oid) {
  auto& copies = tables_[sink].state().copies;
  const auto found = copies.find(oid);
  if (found == copies.end()) return false;
  progress::CopyState left;
  left.copy_id = found->second.copy_id;
  if (found->second == left) return false;
  found->second = std::move(left);
  return true;
}

void TableSync::routed_chunk(std::size_t sink) {
  bool stored = false;
  const auto take = [&](TableJob& job) {
    route::TableCopy* copy = job.begun ? router_.copy(sink, job.oid) : nullptr;
    if (copy == nullptr || job.mends || copy->id() != job.copy_id) return;
    // What broke it was not applied: its ranges must not be gone on with behind that position.
    if (!copy->broken().empty() && forget_ranges(sink, job.oid)) stored = true;
    for (std::string& key : copy->take_rereads()) {
      auto& copies = tables_[sink].state().copies;
      if (const auto state = copies.find(job.oid); state != copies.end()) {
        state->second.rereads.push_back(key);
        stored = true;
      }
      job.rereads.push_back(std::move(key));
    }
  };
  if (job_) take(*job_);
  for (TableJob& job : ending_) take(job);
  for (TableJob& job : queue_) take(job);
  // Their need must not be forgotten once the position lies behind the change that made it.
  if (stored) store_state(sink);
}

bool TableSync::wants_commit() const { return phase_ == Phase::kPrepared; }

void TableSync::at_commit(base::Lsn position) {
  if (phase_ != Phase::kPrepared) return;
  stands_at_ = position;
  phase_ = Phase::kSnapshot;
  reading_since_ = Clock::now();
  reader_.take_snapshot();
}

bool TableSync::has_room() const {
  if (budget_.used() > budget_.limit() / 2) return false;
  return std::all_of(job_->sinks.begin(), job_->sinks.end(), [this](std::size_t sink) {
    return tables_[sink].pending(sinks_.stored_state(sink)) < kMaxUnstored;
  });
}

void TableSync::step(base::Lsn routed, std::vector<base::Lsn>& given, bool between,
                     bool caught_up) {
  // Taken before the failures are: what is durable then has no failure that is still to come.
  std::vector<std::uint64_t> stored;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    stored.push_back(sinks_.stored_state(i));
    tables_[i].durable(stored.back());
  }
  if (between)
    for (const auto& [sink, chunk] : std::exchange(later_, {})) deliver(sink, chunk);
  for (ReaderEvent& event : reader_.take_events())
    if (job_ && event.attempt == attempt_) on_event(event);
  take_failures();
  const auto now = Clock::now();
  report_progress();
  if (between) store_states();
  report_finished(stored);
  mend_ending();
  if (job_ && job_->begun && phase_ != Phase::kReading)
    if (const std::string why = broken(*job_); !why.empty()) restart(why);
  if (between) {
    if (job_) pass_windows(*job_, routed, given);
    for (TableJob& job : queue_) pass_windows(job, routed, given);
    for (std::size_t i = 0; i < ending_.size();) {
      pass_windows(ending_[i], routed, given);
      if (!ending_[i].windows.empty() || has_to_read(ending_[i])) {
        ++i;
        continue;
      }
      const TableJob done = std::move(ending_[i]);
      ending_.erase(ending_.begin() + static_cast<std::ptrdiff_t>(i));
      finish(done, routed, given);
    }
  }
  if (phase_ == Phase::kIdle && awaited() > routed && routed != 0 && caught_up &&
      now - window_since_ > std::chrono::milliseconds(300) &&
      now - asked_reached_ > std::chrono::milliseconds(300)) {
    asked_reached_ = now;
    reader_.ask_reached();
  }
  if (phase_ == Phase::kIdle) start_next(now, caught_up);
}

std::optional<TableSync::Clock::time_point> TableSync::next_step() const {
  if (idle()) return std::nullopt;
  // Waiting for the server, or for a sink: the wake is rung. For time: looked at again.
  return Clock::now() + std::chrono::milliseconds(phase_ == Phase::kIdle ? 5 : 100);
}

base::Lsn TableSync::awaited() const {
  base::Lsn end = job_ && !job_->windows.empty() ? job_->windows.back().end : 0;
  for (const std::deque<TableJob>* jobs : {&queue_, &ending_})
    for (const TableJob& job : *jobs)
      if (!job.windows.empty()) end = std::max(end, job.windows.back().end);
  return end;
}

void TableSync::start_next(Clock::time_point now, bool caught_up) {
  if (!job_) {
    const auto ready = std::find_if(queue_.begin(), queue_.end(),
                                    [now](const TableJob& job) { return job.not_before <= now; });
    if (ready == queue_.end()) return;
    job_ = std::move(*ready);
    queue_.erase(ready);
  }
  if (now < job_->not_before || (!caught_up && now < not_before_) || !has_room()) return;
  others_turn_ = job_->whole;
  next_attempt();
  phase_ = Phase::kPreparing;
  reader_.prepare(attempt_, job_->oid);
}

void TableSync::next_attempt() {
  ++attempt_;
  reader_.give_up_before(attempt_);
}

// The stream has passed a snapshot: its range is done for good.
void TableSync::pass_windows(TableJob& job, base::Lsn routed, std::vector<base::Lsn>& given) {
  while (!job.windows.empty() && job.windows.front().end <= routed) {
    const TableJob::Window window = std::move(job.windows.front());
    job.windows.pop_front();
    window_since_ = Clock::now();
    for (const std::size_t sink : job.sinks) {
      if (route::TableCopy* copy = router_.copy(sink, job.oid)) copy->passed(window.range_end);
      if (job.mends || job.key.empty() || !broken(job).empty()) continue;
      auto& copies = tables_[sink].state().copies;
      const bool recorded = copies.contains(job.oid);
      progress::CopyState& state = copies[job.oid];
      state.copy_id = job.copy_id;
      state.facts = job.facts;
      if (!window.after.empty()) {
        state.after = window.after;
        state.rows = window.rows;
      }
      // Until the first range is done, nothing of the copy is stored, and so no row to read again.
      if (!recorded) {
        state.rereads = job.rereads;
        for (const TableJob::Window& later : job.windows)
          state.rereads.insert(state.rereads.end(), later.reread.begin(), later.reread.end());
      }
      for (const std::string& key : window.reread)
        if (const auto it = std::find(state.rereads.begin(), state.rereads.end(), key);
            it != state.rereads.end())
          state.rereads.erase(it);
      if (!(job.whole && job.windows.empty())) store_state_at(sink, routed, given);
    }
  }
}

// A state is stored with the sink's next position; where none comes, with the one that it has.
void TableSync::store_states() {
  asked_.resize(tables_.size());
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (tables_[i].number() == asked_[i]) continue;
    asked_[i] = tables_[i].number();
    sinks_.runner(i).advance(0);
  }
}

void TableSync::report_finished(const std::vector<std::uint64_t>& stored) {
  for (Finished& copy : finished_) {
    const TableJob& job = copy.job;
    std::erase_if(copy.stored, [&](const auto& version) {
      const auto& [sink, number] = version;
      if (stored[sink] < number) return false;
      if (job.progress) {
        job.progress->finished(sinks_.name(sink), job.rows);
      } else {
        log::info("sink " + sinks_.name(sink) + ": mended " + std::to_string(job.rows) +
                  " rows of " + job.name);
      }
      return true;
    });
  }
  std::erase_if(finished_, [](const Finished& copy) { return copy.stored.empty(); });
}

// "Table 3 of 7": of all that are copied in a row, each once, however often it is taken up.
void TableSync::number_job() {
  if (job_->mends || job_->progress) return;
  if (job_->number == 0) job_->number = ++numbered_;
  const auto others = std::count_if(queue_.begin(), queue_.end(), [](const TableJob& job) {
    return !job.mends && job.number == 0;
  });
  job_->progress.emplace(job_->name, job_->rows, job_->estimated_rows, job_->number,
                         numbered_ + static_cast<std::size_t>(others));
}

void TableSync::report_progress() {
  if (!job_ || !job_->progress) return;
  const std::uint64_t rows = job_->rows + job_->range_rows;
  job_->progress->rows(rows);
  const double done =
      job_->estimated_rows > 0 ? static_cast<double>(rows) / job_->estimated_rows : 0;
  status_.copied(job_->name, rows, std::min(done, kNearlyWhole));
}

void TableSync::report_begun(const TableJob& job, base::Lsn position) const {
  const std::string what =
      job.mends ? "reading rows of " + job.name + " again" : "copying " + job.name;
  for (const std::size_t sink : job.sinks)
    log::info("sink " + sinks_.name(sink) + ": " + what + " under a snapshot at " +
              base::format_lsn(position));
}

void TableSync::finish(const TableJob& job, base::Lsn routed, std::vector<base::Lsn>& given) {
  std::vector<std::pair<std::size_t, std::uint64_t>> stored;
  for (const std::size_t sink : job.sinks) {
    router_.end_copy(sink, job.oid);
    if (job.mends) {
      store_state_at(sink, routed, given);
      stored.emplace_back(sink, tables_[sink].number());
      continue;
    }
    progress::HostState& state = tables_[sink].state();
    if (state.tables) (*state.tables)[job.oid] = job.facts;
    state.copies.erase(job.oid);
    state.stopped.erase(job.oid);
    failed_.erase({sink, job.oid});
    router_.set_mode(sink, job.oid, route::TableMode::kLive);
    router_.set_shape(sink, job.oid, job.relation);
    // The swap and the state that knows of it are stored together.
    store_state(sink);
    deliver_marker(job, sink, WALSPOUT_COPY_END, {}, routed);
    given[sink] = std::max(given[sink], routed);
    router_.skip_until(sink, given[sink]);
    sinks_.runner(sink).advance(given[sink]);
    stored.emplace_back(sink, tables_[sink].number());
  }
  if (!job.mends) status_.copied(job.name, job.rows, 1);
  finished_.push_back({job, std::move(stored)});
  if (job.again)
    for (const std::size_t sink : job.sinks) want(sink, job.oid, job.name);
  if (!job_ && queue_.empty()) {
    reader_.release();
    numbered_ = 0;
  }
}

void TableSync::deliver(std::size_t sink, const transaction::ChunkPtr& chunk) {
  route::Delivery delivery = router_.route(sink, chunk);
  if (!delivery.empty()) sinks_.runner(sink).deliver(std::move(delivery));
}

void TableSync::deliver_marker(const TableJob& job, std::size_t sink, std::uint16_t op,
                               const std::string& content, base::Lsn position) {
  deliver(sink, copy_marker(budget_, job.relation, op, job.copy_id, content, position));
}

}  // namespace walspout
