#include "progress/lag_clock.hpp"

#include <algorithm>

namespace walspout::progress {

namespace {

constexpr std::chrono::milliseconds kEvery{1000};
constexpr std::size_t kMost = 1024;
constexpr int kShare = 100;  // samples of an age may lie as far apart as one part in so many of it

}  // namespace

void LagClock::received(base::Lsn position, Clock::time_point now) {
  if (now < next_) return;
  next_ = now + kEvery;
  const std::lock_guard lock(mutex_);
  // The first that came is what is waited for longest: a position that is known keeps its time.
  if (!samples_.empty() && position <= samples_.back().position) return;
  samples_.push_back({position, now});
  if (samples_.size() >= kMost) thin_out();
}

std::optional<LagClock::Clock::duration> LagClock::behind(base::Lsn durable,
                                                          Clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  const auto first =
      std::upper_bound(samples_.begin(), samples_.end(), durable,
                       [](base::Lsn at, const Sample& sample) { return at < sample.position; });
  if (first == samples_.end()) return std::nullopt;
  return now - first->at;
}

void LagClock::thin_out() {
  const Clock::time_point now = samples_.back().at;
  std::vector<Sample> kept;
  for (const Sample& sample : samples_) {
    const auto apart = (now - sample.at) / kShare;
    if (kept.empty() || &sample == &samples_.back() || sample.at - kept.back().at > apart)
      kept.push_back(sample);
  }
  // All of one day and more are as far apart as they may be: then the oldest go.
  if (kept.size() > kMost * 3 / 4) kept.erase(kept.begin(), kept.end() - kMost / 2);
  samples_ = std::move(kept);
}

}  // namespace walspout::progress
