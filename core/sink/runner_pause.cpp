// How a runner waits, and what ends its waits: time, an operator, the end.
#include <mutex>

#include "sink/runner.hpp"

namespace walspout::sink {

void Runner::pause() {
  {
    const std::lock_guard lock(mutex_);
    paused_.store(true, std::memory_order_release);
  }
  queue_.kick();
}

void Runner::resume() {
  {
    const std::lock_guard lock(mutex_);
    paused_.store(false, std::memory_order_release);
    ++resumes_;
  }
  resumed_.notify_all();
}

void Runner::finish() {
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
  }
  queue_.push({Item::Kind::kFinish, {}, 0, {}, false});
  resumed_.notify_all();
}

void Runner::stop_now() {
  host_.stop();
  // Whoever has just looked and not yet begun to wait is to hear of it.
  { const std::lock_guard lock(mutex_); }
  resumed_.notify_all();
  queue_.kick();
}

// False when the runner is to end before the time is over. A resume() ends it, too, and lets the
// waits of a sink that fails begin anew.
bool Runner::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  const std::uint64_t before = resumes_;
  const auto ends = [this] { return host_.stopping() || (finishing_ && paused()); };
  resumed_.wait_for(lock, time, [&] { return ends() || resumes_ != before; });
  if (resumes_ != before) backoff_.reset();
  return !ends();
}

// Between two transactions: what was accepted is made durable first.
void Runner::pause_here() {
  while (!discarding_ && settle() == Outcome::kReopen) recover();
  wait_while_paused();
}

// What is not durable when the end comes first will be sent again.
void Runner::wait_while_paused() {
  if (!paused()) return;
  std::unique_lock lock(mutex_);
  resumed_.wait(lock, [this] { return !paused() || finishing_ || host_.stopping(); });
  if (paused()) throw Stopped();
}

}  // namespace walspout::sink
