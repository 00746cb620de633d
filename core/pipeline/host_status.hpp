// What the host tells of itself: gathered where it is known, read by whoever asks. Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "base/lsn.hpp"
#include "base/memory_budget.hpp"
#include "control/status.hpp"
#include "pipeline/sinks.hpp"
#include "progress/lag_clock.hpp"
#include "progress/progress.hpp"

namespace walspout {

class HostStatus {
 public:
  // Everything must outlive it.
  HostStatus(const Sinks& sinks, const progress::Progress& progress,
             const base::MemoryBudget& budget)
      : sinks_(sinks), progress_(progress), budget_(budget) {}

  void streaming(bool now) { streaming_.store(now, std::memory_order_relaxed); }
  void received(base::Lsn position, std::chrono::steady_clock::time_point now) {
    received_.store(position, std::memory_order_relaxed);
    lag_.received(position, now);
  }

  // As it was seen last; nothing when it could not be looked at.
  void slot(std::optional<control::SlotStatus> seen);

  control::Status get() const;

  // The sink for whose sake the slot retains WAL: the slowest of those that lack for seconds what
  // was received; else "". And how far a sink is behind that, in bytes.
  std::string holds_back() const;
  std::uint64_t behind(const std::string& sink) const;

 private:
  const Sinks& sinks_;
  const progress::Progress& progress_;
  const base::MemoryBudget& budget_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::atomic<bool> streaming_{false};
  std::atomic<base::Lsn> received_{0};
  progress::LagClock lag_;
  mutable std::mutex mutex_;
  std::optional<control::SlotStatus> slot_;
};

}  // namespace walspout
