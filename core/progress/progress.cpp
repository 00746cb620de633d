#include "progress/progress.hpp"

#include <algorithm>

namespace walspout::progress {

void Progress::start(std::size_t sink, base::Lsn position) {
  const std::lock_guard lock(mutex_);
  durable_[sink] = position;
}

void Progress::new_slot() {
  const std::lock_guard lock(mutex_);
  confirmed_ = 0;
  for (base::Lsn& position : durable_) position = 0;
}

void Progress::durable(std::size_t sink, base::Lsn position) {
  const std::lock_guard lock(mutex_);
  durable_[sink] = std::max(durable_[sink], position);
}

base::Lsn Progress::durable(std::size_t sink) const {
  const std::lock_guard lock(mutex_);
  return durable_[sink];
}

base::Lsn Progress::confirmed() const {
  const std::lock_guard lock(mutex_);
  if (durable_.empty()) return confirmed_;
  confirmed_ = std::max(confirmed_, *std::min_element(durable_.begin(), durable_.end()));
  return confirmed_;
}

}  // namespace walspout::progress
