#include "control/endpoint.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "control/protocol.hpp"

namespace walspout::control {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.fd_;
    other.fd_ = -1;
  }
  return *this;
}

void Descriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Endpoint::Endpoint(const std::filesystem::path& state_directory)
    : directory_(::open(state_directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
      shown_((state_directory / kSocketName).string()) {
  if (directory_.get() < 0)
    throw std::system_error(errno, std::generic_category(), state_directory.string());
  address_.sun_family = AF_UNIX;
  std::string path = shown_;
  if (path.size() >= sizeof address_.sun_path) {
    const std::string folder = "/proc/self/fd/" + std::to_string(directory_.get());
    struct stat found {};
    if (stat(folder.c_str(), &found) != 0)
      throw std::runtime_error(shown_ + ": the path is too long for a socket's address (" +
                               std::to_string(sizeof address_.sun_path - 1) +
                               " bytes), and /proc is not there to shorten it; set [state] "
                               "directory to a shorter path, or mount /proc");
    path = folder + '/' + kSocketName;
  }
  std::memcpy(address_.sun_path, path.c_str(), path.size() + 1);
}

}  // namespace walspout::control
