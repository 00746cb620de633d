#include "progress/slot_outlook.hpp"

#include <algorithm>

namespace walspout::progress {

namespace {

// restart_lsn moves in steps of half a minute and more: over less the growth would be a saw.
constexpr std::chrono::minutes kMemory{5};
constexpr double kHalfUsed = 0.5, kUrgentUsed = 0.8;
constexpr double kFarOff = 10.0 * 365 * 24 * 3600;  // seconds; nobody acts on what lies behind it

}  // namespace

void SlotOutlook::add(const SlotSample& sample) {
  samples_.push_back(sample);
  while (samples_.size() > 2 && samples_[1].at + kMemory <= sample.at) samples_.pop_front();
}

std::uint64_t SlotOutlook::retained() const {
  return samples_.empty() ? 0 : samples_.back().retained();
}

std::optional<double> SlotOutlook::used() const {
  if (samples_.empty() || !samples_.back().safe) return std::nullopt;
  const auto safe = static_cast<double>(std::max<std::int64_t>(*samples_.back().safe, 0));
  const auto kept = static_cast<double>(retained());
  return kept + safe == 0 ? 0 : kept / (kept + safe);
}

double SlotOutlook::growth() const {
  if (samples_.size() < 2) return 0;
  const SlotSample &first = samples_.front(), &last = samples_.back();
  const double seconds = std::chrono::duration<double>(last.at - first.at).count();
  if (seconds <= 0 || last.retained() <= first.retained()) return 0;
  return static_cast<double>(last.retained() - first.retained()) / seconds;
}

std::optional<std::chrono::seconds> SlotOutlook::lost_in() const {
  const double rate = growth();
  if (rate <= 0 || !samples_.back().safe) return std::nullopt;
  const double seconds =
      static_cast<double>(std::max<std::int64_t>(*samples_.back().safe, 0)) / rate;
  if (seconds > kFarOff) return std::nullopt;
  return std::chrono::seconds(static_cast<std::int64_t>(seconds));
}

SlotOutlook::Level SlotOutlook::level() const {
  if (!samples_.empty() && samples_.back().unreserved) return Level::kLosing;
  const double share = used().value_or(0);
  if (share >= kUrgentUsed) return Level::kUrgent;
  return share >= kHalfUsed ? Level::kHalf : Level::kFine;
}

}  // namespace walspout::progress
