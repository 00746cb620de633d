#include "pipeline/host_status.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace walspout {

namespace {

// Less than that is a matter of moments.
constexpr std::uint64_t kWorthNaming = std::uint64_t{1} << 20;
constexpr std::chrono::seconds kHolds{5};

const char* state_of(const sink::Runner& runner, bool retries) {
  if (const auto busy = runner.busy(); busy && busy->time >= HostStatus::kHangs) return "hanging";
  if (runner.state() == sink::Runner::State::kOpen && runner.paused()) return "paused";
  switch (runner.state()) {
    case sink::Runner::State::kOpening:
      return retries ? "retrying" : "opening";
    case sink::Runner::State::kOpen:
      return retries ? "retrying" : "running";
    case sink::Runner::State::kFailed:
      return "failed";
    case sink::Runner::State::kFinished:
      return "finished";
  }
  return "unknown";
}

std::int64_t unix_seconds(std::chrono::system_clock::time_point at) {
  return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
}

}  // namespace

void HostStatus::slot(std::optional<control::SlotStatus> seen, base::Lsn written) {
  const std::lock_guard lock(mutex_);
  slot_ = std::move(seen);
  written_ = written;
}

std::uint64_t HostStatus::behind(const std::string& sink) const {
  const base::Lsn received = received_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < sinks_.size(); ++i)
    if (sinks_.name(i) == sink) return received - std::min(received, progress_.durable(i));
  return 0;
}

std::string HostStatus::holds_back() const {
  const auto now = std::chrono::steady_clock::now();
  std::string slowest;
  std::uint64_t most = kWorthNaming;
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    const std::uint64_t behind_by = behind(sinks_.name(i));
    if (behind_by < most ||
        lag_.behind(progress_.durable(i), now).value_or(std::chrono::seconds(0)) < kHolds)
      continue;
    most = behind_by;
    slowest = sinks_.name(i);
  }
  return slowest;
}

control::Status HostStatus::get() const {
  const auto now = std::chrono::steady_clock::now();
  control::Status status;
  status.version = WALSPOUT_VERSION;
  status.pid = getpid();
  status.up_seconds = std::chrono::duration_cast<std::chrono::seconds>(now - begun_).count();
  status.streaming = streaming_.load(std::memory_order_relaxed);
  status.received = received_.load(std::memory_order_relaxed);
  status.confirmed = progress_.confirmed();
  status.memory_used = budget_.used();
  status.memory = budget_.limit();
  {
    const std::lock_guard lock(mutex_);
    status.slot = slot_;
  }
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    const sink::Runner& runner = sinks_.runner(i);
    const sink::Runner::Trouble trouble = runner.trouble();
    control::SinkStatus& sink = status.sinks.emplace_back();
    sink.name = runner.name();
    sink.plugin = runner.plugin().name;
    sink.state = state_of(runner, trouble.lasts);
    sink.durable = progress_.durable(i);
    if (sink.durable != 0 && status.received > sink.durable) {
      sink.behind_bytes = status.received - sink.durable;
      if (const auto behind = lag_.behind(sink.durable, now))
        sink.behind_ms = std::chrono::duration_cast<std::chrono::milliseconds>(*behind).count();
    }
    sink.queue_bytes = runner.queued_bytes();
    sink.error = trouble.text;
    if (!sink.error.empty()) sink.error_at = unix_seconds(trouble.at);
    if (runner.state() == sink::Runner::State::kFailed) sink.error = runner.failure().text;
  }
  return status;
}

}  // namespace walspout
