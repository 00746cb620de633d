// The only place that knows every stage: source -> decoder -> transactions -> routes -> sinks ->
// progress -> confirmation to PostgreSQL.
#pragma once

#include <atomic>
#include <string>

#include "base/wake.hpp"
#include "config/config.hpp"

namespace walspout {

// Exit statuses of the command line.
enum ExitStatus : int { kDone = 0, kFailed = 1, kUsage = 2, kSourceRefuses = 3 };

// Set by the signal handler: 1 = stop gracefully, 2 and more = stop at once. Its wake-up is an
// eventfd, so that poll() sees it; both are async-signal-safe to touch through request_stop().
class StopSignal {
 public:
  void request_stop() noexcept;  // async-signal-safe
  int level() const noexcept { return level_.load(std::memory_order_acquire); }
  int fd() const noexcept { return wake_.fd(); }  // readable once a stop was requested

 private:
  std::atomic<int> level_{0};
  base::Wake wake_;
};

struct RunOptions {
  bool until_caught_up = false;
  // tail: a temporary publication of this name is created, and dropped at the end
  bool temporary_publication = false;
};

// Runs the pipeline until stop is requested, it has caught up, or it fails; logs what happened.
// Returns an ExitStatus.
int run_pipeline(const config::Config& config, const RunOptions& options, StopSignal& stop);

}  // namespace walspout
