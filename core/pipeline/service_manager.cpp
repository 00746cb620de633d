#include "pipeline/service_manager.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "log/log.hpp"

namespace walspout {

namespace {

std::optional<std::int64_t> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const char* end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, number);
  if (read.ec != std::errc() || read.ptr != end || number <= 0) return std::nullopt;
  return number;
}

}  // namespace

ServiceManager::ServiceManager() {
  const char* socket = std::getenv("NOTIFY_SOCKET");
  if (socket == nullptr || (socket[0] != '/' && socket[0] != '@')) return;
  if (std::strlen(socket) >= sizeof(sockaddr_un::sun_path)) return;
  socket_ = socket;
  if (socket_[0] == '@') socket_[0] = '\0';
  // Set for another process, as after an exec in between: not for us.
  const auto pid = number_in("WATCHDOG_PID");
  if (pid && *pid != getpid()) return;
  if (const auto time = number_in("WATCHDOG_USEC")) watchdog_ = std::chrono::microseconds(*time);
}

void ServiceManager::tell(std::string_view assignment) const {
  if (socket_.empty()) return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool sent = fd >= 0 && sendto(fd, assignment.data(), assignment.size(), MSG_NOSIGNAL,
                                      reinterpret_cast<const sockaddr*>(&address), length) >= 0;
  if (!sent) log::debug(std::string("the service manager was not told: ") + std::strerror(errno));
  if (fd >= 0) ::close(fd);
}

}  // namespace walspout
