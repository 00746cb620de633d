// The socket's address in a state directory, however long the directory's path is, and descriptors
// that close themselves. Of this folder alone.
#pragma once

#include <sys/un.h>

#include <filesystem>
#include <string>

namespace walspout::control {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  void reset();

 private:
  int fd_;
};

// A unix socket's address holds 107 bytes. A longer path is written by way of an open descriptor of
// its directory, as /proc/self/fd/N/control.sock, so the address is good as long as this object.
class Endpoint {
 public:
  // Throws std::system_error when the directory cannot be opened, and std::runtime_error with one
  // line when its path is too long and there is no /proc.
  explicit Endpoint(const std::filesystem::path& state_directory);

  const sockaddr_un& address() const { return address_; }
  int directory() const { return directory_.get(); }
  const std::string& shown() const { return shown_; }  // the whole path, for messages

 private:
  Descriptor directory_;
  sockaddr_un address_{};
  std::string shown_;
};

}  // namespace walspout::control
