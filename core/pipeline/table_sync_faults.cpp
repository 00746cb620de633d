// Copies that cannot go on as they are: those that begin anew, and those that end without being
// whole.
#include <algorithm>
#include <utility>

#include "log/log.hpp"
#include "pipeline/marker.hpp"
#include "pipeline/table_sync.hpp"

namespace walspout {

std::string TableSync::broken(const TableJob& job) {
  for (const std::size_t sink : job.sinks) {
    const route::TableCopy* copy = router_.copy(sink, job.oid);
    if (copy != nullptr && !copy->broken().empty()) return copy->broken();
  }
  return {};
}

bool TableSync::has_to_read(const TableJob& job) {
  return !job.rereads.empty() || !broken(job).empty();
}

// Copies that were read whole, but to which something has come that has to be read (again). A copy
// that is under way waits for them, but not for two of them in a row.
void TableSync::mend_ending() {
  if (phase_ != Phase::kIdle) return;
  if (others_turn_ && (job_ || !queue_.empty())) return;
  const auto found = std::find_if(ending_.begin(), ending_.end(),
                                  [this](const TableJob& job) { return has_to_read(job); });
  if (found == ending_.end()) return;
  if (job_) queue_.push_front(std::move(*job_));
  job_ = std::move(*found);
  ending_.erase(found);
}

// The copy begins anew, under another id.
void TableSync::restart(const std::string& why) {
  log::info("copy of " + job_->name + ": " + why + "; it starts over");
  if (phase_ != Phase::kIdle && phase_ != Phase::kPreparing) phase_ = Phase::kIdle;
  next_attempt();
  phase_ = Phase::kIdle;
  job_->left_rows = job_->begun;
  job_->begun = job_->whole = false;
  job_->after.clear();
  job_->rows = job_->range_rows = job_->next_ordinal = job_->limit = 0;
  if (job_->progress) job_->progress->starts_over();
  job_->rereads.clear();
  job_->windows.clear();
  for (const std::size_t sink : job_->sinks) {
    router_.end_copy(sink, job_->oid);
    if (forget_ranges(sink, job_->oid)) store_state(sink);
    if (!tables_[sink].has(job_->oid))
      router_.set_mode(sink, job_->oid, route::TableMode::kWaiting);
  }
}

void TableSync::fail(TableJob& job, std::size_t sink, const std::string& why) {
  const std::string way_out =
      "; when that is mended: walspout resync " + config_.file + " " + job.name;
  log::error("sink " + sinks_.name(sink) + ": table " + job.name + " cannot be copied: " + why +
             way_out + "; the other tables go on");
  failed_.emplace(sink, job.oid);
  drop_sink(job, sink, why);
}

void TableSync::fail_all(const std::string& why) {
  const auto sinks = job_->sinks;
  for (const std::size_t sink : sinks) fail(*job_, sink, why);
  drop_empty();
}

// The copy goes on without this sink. drop_empty() is to follow.
void TableSync::drop_sink(TableJob& job, std::size_t sink, const std::string& reason) {
  if (std::erase(job.sinks, sink) == 0) return;
  router_.end_copy(sink, job.oid);
  tables_[sink].state().copies.erase(job.oid);
  if (reason.empty() || job.mends) return;
  if (!tables_[sink].has(job.oid)) router_.set_mode(sink, job.oid, route::TableMode::kStopped);
  if (!job.relation) {
    if (resolver_.table(job.oid) == nullptr) resolver_.look_again();
    job.relation = relation_of(job.oid);
  }
  if (!job.begun) job.copy_id = ++copy_id_;
  if (job.relation)
    later_.emplace_back(
        sink, copy_marker(budget_, job.relation, WALSPOUT_COPY_FAILED, job.copy_id, reason, 0));
  store_state(sink);
}

// Copies end with their last sink.
void TableSync::drop_empty() {
  const auto empty = [](const TableJob& job) { return job.sinks.empty(); };
  std::erase_if(queue_, empty);
  std::erase_if(ending_, empty);
  if (!job_ || !empty(*job_)) return;
  job_.reset();
  phase_ = Phase::kIdle;
  next_attempt();
}

void TableSync::drop_job(const std::string& reason) {
  if (!reason.empty()) log::info("copy of " + job_->name + " ends: " + reason);
  const auto sinks = job_->sinks;
  for (const std::size_t sink : sinks) drop_sink(*job_, sink, reason);
  drop_empty();
}

TableJob* TableSync::begun_job(std::uint64_t copy_id) {
  const auto is_it = [copy_id](const TableJob& job) { return job.begun && job.copy_id == copy_id; };
  if (job_ && is_it(*job_)) return &*job_;
  for (std::deque<TableJob>* jobs : {&ending_, &queue_}) {
    const auto found = std::find_if(jobs->begin(), jobs->end(), is_it);
    if (found != jobs->end()) return &*found;
  }
  return nullptr;
}

// It was handed over before the sink had come to what it cannot take.
bool TableSync::take_back(std::size_t sink, std::uint64_t copy_id, const std::string& why) {
  for (Finished& copy : finished_) {
    if (copy.job.copy_id != copy_id || copy.job.mends || !has_sink(copy.job, sink)) continue;
    std::erase_if(copy.stored, [sink](const auto& version) { return version.first == sink; });
    if (auto& whole = tables_[sink].state().tables) whole->erase(copy.job.oid);
    fail(copy.job, sink, why);
    return true;
  }
  return false;
}

// Whether it is being read, was read, or waits for its turn.
void TableSync::take_failures() {
  for (const Sinks::CopyFailure& failure : sinks_.take_copy_failures()) {
    TableJob* job = begun_job(failure.copy_id);
    if (job != nullptr && has_sink(*job, failure.sink)) {
      fail(*job, failure.sink, failure.text);
      drop_empty();
    } else if (!take_back(failure.sink, failure.copy_id, failure.text)) {
      log::warn("sink " + sinks_.name(failure.sink) + ": " + failure.text);
    }
  }
}

}  // namespace walspout
