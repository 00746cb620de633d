// systemd, or whatever started the host with NOTIFY_SOCKET set: told that it is ready, what it
// does, and that it lives. Nobody is told where that is not set.
//
// Source: sd_notify(3), "Well-known assignments".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace walspout {

class ServiceManager {
 public:
  ServiceManager();  // from the environment

  // "READY=1", "STATUS=…", "WATCHDOG=1", "STOPPING=1". Threads: any.
  void tell(std::string_view assignment) const;
  // How often it wants to hear WATCHDOG=1; nothing = never.
  std::optional<std::chrono::microseconds> watchdog() const { return watchdog_; }

 private:
  std::string socket_;  // as in sockaddr_un: an abstract one begins with a NUL; empty = none
  std::optional<std::chrono::microseconds> watchdog_;
};

}  // namespace walspout
