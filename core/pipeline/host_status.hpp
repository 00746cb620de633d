// What the host tells of itself: gathered where it is known, read by whoever asks. Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "admin/figures.hpp"
#include "base/lsn.hpp"
#include "base/memory_budget.hpp"
#include "control/status.hpp"
#include "pipeline/sinks.hpp"
#include "progress/lag_clock.hpp"
#include "progress/progress.hpp"
#include "transaction/chunk.hpp"

namespace walspout {

class HostStatus : public admin::Told {
 public:
  // A call of a plugin that takes longer is told of, and a reader that shows no sign of life for
  // so long is taken for dead.
  static constexpr std::chrono::seconds kHangs{30};

  // Everything must outlive it.
  HostStatus(const config::Config& config, const Sinks& sinks, const progress::Progress& progress,
             const base::MemoryBudget& budget)
      : config_(config), sinks_(sinks), progress_(progress), budget_(budget) {}

  // ---- the reader's ----
  void lives() { beat_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed); }
  // From now on it waits for others, however long that takes, until it lives() again.
  void waits() { beat_.store(0, std::memory_order_relaxed); }
  void count(const transaction::Chunk& chunk);
  // So many rows were read of a table that is copied; ratio: of all.
  void copied(const std::string& table, std::uint64_t rows, double ratio);

  void streaming(bool now) { streaming_.store(now, std::memory_order_relaxed); }
  void received(base::Lsn position, std::chrono::steady_clock::time_point now) {
    received_.store(position, std::memory_order_relaxed);
    lag_.received(position, now);
  }

  // As it was seen last; nothing when it could not be looked at.
  void slot(std::optional<control::SlotStatus> seen, base::Lsn written = 0);

  control::Status get() const;
  admin::Figures figures() const override;
  admin::Health health() const override;
  std::string status_json() const override;

  // The sink for whose sake the slot retains WAL: the slowest of those that lack for seconds what
  // was received; else "". And how far a sink is behind that, in bytes.
  std::string holds_back() const;
  std::uint64_t behind(const std::string& sink) const;

 private:
  using Clock = std::chrono::steady_clock;

  const config::Config& config_;
  const Sinks& sinks_;
  const progress::Progress& progress_;
  const base::MemoryBudget& budget_;
  const Clock::time_point begun_ = Clock::now();
  std::atomic<Clock::rep> beat_{0};  // 0: it waits
  std::atomic<std::uint64_t> transactions_{0};
  std::array<std::atomic<std::uint64_t>, 7> changes_{};  // by op
  std::atomic<bool> streaming_{false};
  std::atomic<base::Lsn> received_{0};
  progress::LagClock lag_;
  mutable std::mutex mutex_;
  std::optional<control::SlotStatus> slot_;
  base::Lsn written_ = 0;
  std::map<std::string, std::pair<std::uint64_t, double>> copies_;  // rows and ratio, by table
};

}  // namespace walspout
