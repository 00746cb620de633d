// Looks every second whether the host lives: names a call of a plugin that does not return, and
// keeps the service manager informed.
#pragma once

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "base/wake.hpp"
#include "pipeline/host_status.hpp"
#include "pipeline/service_manager.hpp"
#include "pipeline/sinks.hpp"

namespace walspout {

class Watchdog {
 public:
  // Starts at once, and says that the host is ready. Everything must outlive it.
  Watchdog(const Sinks& sinks, const HostStatus& status);
  ~Watchdog();  // says that it stops
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void look_at_calls();
  void tell_manager();

  const Sinks& sinks_;
  const HostStatus& status_;
  const ServiceManager manager_;
  base::Wake stop_;
  struct Hanging {
    Clock::duration told{};  // how long it took when that was told last; 0 = nothing to tell
    std::string call;
  };
  std::vector<Hanging> hanging_;  // by sink
  std::string told_;              // the manager: the newest STATUS

  std::thread thread_;  // last: starts when all of the above is there
};

}  // namespace walspout
