#include "pipeline/watchdog.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "base/units.hpp"
#include "log/log.hpp"

namespace walspout {

namespace {

constexpr std::chrono::milliseconds kEvery{1000};

std::int64_t seconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

}  // namespace

Watchdog::Watchdog(const Sinks& sinks, const HostStatus& status)
    : sinks_(sinks), status_(status), hanging_(sinks.size()), thread_([this] { run(); }) {
  manager_.tell("READY=1");
}

Watchdog::~Watchdog() {
  manager_.tell("STOPPING=1");
  stop_.ring();
  thread_.join();
}

void Watchdog::run() {
  std::chrono::milliseconds every = kEvery;
  if (const auto asked = manager_.watchdog())
    every = std::clamp(std::chrono::duration_cast<std::chrono::milliseconds>(*asked) / 3,
                       std::chrono::milliseconds(1), kEvery);
  pollfd stop = {stop_.fd(), POLLIN, 0};
  do {
    look_at_calls();
    tell_manager();
  } while (poll(&stop, 1, static_cast<int>(every.count())) == 0);
}

// Told once it hangs, and again each time that it has taken twice as long.
void Watchdog::look_at_calls() {
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    Hanging& known = hanging_[i];
    const auto busy = sinks_.runner(i).busy();
    if (!busy || busy->time < known.told) {
      if (known.told != Clock::duration{})
        log::info(fmt::format("sink {}: {} has returned", sinks_.name(i), known.call));
      known = {};
    }
    if (!busy || busy->time < std::max<Clock::duration>(HostStatus::kHangs, 2 * known.told))
      continue;
    known.told = busy->time;
    known.call = busy->call;
    log::warn(fmt::format(
        "sink {}: {} of its plugin {} has not returned for {}; the other sinks go on, and nothing "
        "that is not durable is confirmed",
        sinks_.name(i), busy->call, sinks_.runner(i).plugin().name,
        base::format_seconds(seconds(busy->time))));
  }
}

void Watchdog::tell_manager() {
  const admin::Health health = status_.health();
  if (health.alive && manager_.watchdog()) manager_.tell("WATCHDOG=1");
  std::string status = "STATUS=" + (health.why.empty() ? "streaming" : health.why);
  std::replace(status.begin(), status.end(), '\n', ' ');
  if (status == told_) return;
  manager_.tell(status);
  told_ = std::move(status);
}

}  // namespace walspout
