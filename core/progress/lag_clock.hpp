// How old the oldest change is that a sink has not made durable: when was received what it lacks?
// Samples of the received position, about one a second; of long ago ever fewer, so that the answer
// is right to a hundredth of the age, or a second.
//
// Threads: any; one short lock.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

#include "base/lsn.hpp"

namespace walspout::progress {

class LagClock {
 public:
  using Clock = std::chrono::steady_clock;

  // Everything up to this position had come by now. Cheap when called more often than it samples.
  void received(base::Lsn position, Clock::time_point now);
  // Nothing when everything that has come lies before this position.
  std::optional<Clock::duration> behind(base::Lsn durable, Clock::time_point now) const;

 private:
  struct Sample {
    base::Lsn position;
    Clock::time_point at;
  };
  void thin_out();

  mutable std::mutex mutex_;
  std::vector<Sample> samples_;  // by position, and by time
  Clock::time_point next_{};     // the thread's that calls received()
};

}  // namespace walspout::progress
