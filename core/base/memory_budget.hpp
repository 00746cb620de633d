// The bound of [host] memory: counts the bytes of all chunks that live, whoever holds them. The
// reader stops reading while it is exhausted and is woken when it no longer is. Threads: any.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/wake.hpp"

namespace walspout::base {

class MemoryBudget {
 public:
  // wake is rung when use falls below the limit; it must outlive the budget's last chunk.
  MemoryBudget(std::size_t limit, Wake& wake) : limit_(limit), wake_(wake) {}

  void take(std::size_t bytes) noexcept { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void give_back(std::size_t bytes) noexcept {
    const std::size_t before = used_.fetch_sub(bytes, std::memory_order_acq_rel);
    if (before >= limit_ && before - bytes < limit_) wake_.ring();
  }

  // A single chunk may overshoot: one row can be larger than any limit.
  bool exhausted() const noexcept { return used() >= limit_; }
  std::size_t used() const noexcept { return used_.load(std::memory_order_acquire); }
  std::size_t limit() const noexcept { return limit_; }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
  Wake& wake_;
};

}  // namespace walspout::base
