#include "base/wake.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace walspout::base {

Wake::Wake() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Wake::~Wake() { close(fd_); }

void Wake::ring() noexcept {
  const std::uint64_t one = 1;
  // Fails only when the counter is full, and then the fd is readable already.
  [[maybe_unused]] const auto written = write(fd_, &one, sizeof one);
}

void Wake::clear() noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = read(fd_, &count, sizeof count);  // EAGAIN: was quiet
}

}  // namespace walspout::base
