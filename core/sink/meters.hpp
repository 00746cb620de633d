// What a runner counts of its sink, for whoever looks from outside. Threads: written by the
// runner's, read by any; a reader may see one figure newer than another.
#pragma once

#include <walspout/abi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace walspout::sink {

// How often something took how long. Source: Prometheus, "Histograms and summaries".
class Histogram {
 public:
  // Upper bounds, in seconds; what took longer falls into one more.
  static constexpr std::array kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                         0.5,   1.0,    2.5,   5.0,  10.0,  30.0, 60.0};
  struct Figures {
    std::array<std::uint64_t, kBounds.size() + 1> counts{};  // each bucket's own
    double sum = 0;                                          // seconds
  };

  void observe(std::chrono::nanoseconds time) {
    const double seconds = std::chrono::duration<double>(time).count();
    std::size_t bucket = 0;
    while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
    counts_[bucket].fetch_add(1, std::memory_order_relaxed);
    sum_ns_.fetch_add(static_cast<std::uint64_t>(time.count()), std::memory_order_relaxed);
  }
  Figures figures() const {
    Figures now;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      now.counts[i] = counts_[i].load(std::memory_order_relaxed);
    now.sum = static_cast<double>(sum_ns_.load(std::memory_order_relaxed)) / 1e9;
    return now;
  }

 private:
  std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> counts_{};
  std::atomic<std::uint64_t> sum_ns_{0};
};

struct Meters {
  // Calls of open, write and flush by their status; an unknown one counts as fatal.
  std::array<std::atomic<std::uint64_t>, WALSPOUT_FATAL + 1> calls{};
  Histogram flush;
  Histogram commit_to_durable;  // from the commit at the source, by both machines' clocks

  void called(walspout_status status) {
    const bool known = status >= WALSPOUT_OK && status <= WALSPOUT_FATAL;
    calls[static_cast<std::size_t>(known ? status : WALSPOUT_FATAL)].fetch_add(
        1, std::memory_order_relaxed);
  }
};

}  // namespace walspout::sink
