#include "pipeline/host_status.hpp"

#include <unistd.h>

namespace walspout {

namespace {

const char* state_of(const sink::Runner& runner, bool retries) {
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
