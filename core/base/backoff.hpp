// Waiting times between attempts: random(base, min(base * 2^n, cap)) for the n-th failure in a row,
// so that many clients of one server do not come back together.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>

namespace walspout::base {

class Backoff {
 public:
  using Milliseconds = std::chrono::milliseconds;

  explicit Backoff(Milliseconds base = Milliseconds(200), Milliseconds cap = Milliseconds(30000),
                   std::uint32_t seed = std::random_device{}())
      : base_(base), cap_(cap), random_(seed) {}

  Milliseconds next() {
    const auto doubled = base_.count() << std::min(failures_, 20);
    const auto top = std::max(base_.count(), std::min(doubled, cap_.count()));
    failures_ = std::min(failures_ + 1, 20);
    return Milliseconds(std::uniform_int_distribution<std::int64_t>(base_.count(), top)(random_));
  }
  void reset() { failures_ = 0; }
  int failures() const { return failures_; }

 private:
  Milliseconds base_;
  Milliseconds cap_;
  int failures_ = 0;
  std::minstd_rand random_;
};

}  // namespace walspout::base
