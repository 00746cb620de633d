#include "postgres/interrupt.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>

namespace walspout::postgres {

namespace {

using Clock = std::chrono::steady_clock;

// Milliseconds for poll(), rounded up so that a wait never ends just before its deadline.
int poll_timeout(const Deadline& deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, INT_MAX));
}

}  // namespace

Deadline deadline_in(std::chrono::milliseconds span) { return Clock::now() + span; }

bool Interrupt::requested() const {
  if (fd_ < 0) return false;
  pollfd wanted{fd_, POLLIN, 0};
  return ::poll(&wanted, 1, 0) > 0 && wanted.revents != 0;
}

void Interrupt::check() const {
  if (requested()) throw Interrupted();
}

short Interrupt::wait(int socket, short events, Deadline deadline) const {
  for (;;) {
    // poll() skips negative descriptors.
    pollfd fds[2] = {{fd_, POLLIN, 0}, {socket, events, 0}};
    const int ready = ::poll(fds, 2, poll_timeout(deadline));
    if (ready < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "cannot wait for a socket");
    }
    if (ready > 0) {
      if (fds[0].revents != 0) throw Interrupted();
      return fds[1].revents;
    }
    if (deadline && Clock::now() >= *deadline) return 0;
  }
}

}  // namespace walspout::postgres
