#include "raw_client.hpp"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace walspout::control {

StateFolder::StateFolder() {
  std::string pattern = "/tmp/control_XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = pattern;
}

StateFolder::~StateFolder() { std::filesystem::remove_all(path_); }

RawClient::RawClient(const std::filesystem::path& state_directory)
    : RawClient(state_directory, Later{}) {
  connect();
}

RawClient::RawClient(const std::filesystem::path& state_directory, Later)
    : endpoint_(state_directory), socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}

void RawClient::connect() const {
  const auto* address = reinterpret_cast<const sockaddr*>(&endpoint_.address());
  if (::connect(socket_.get(), address, sizeof(sockaddr_un)) != 0)
    throw std::system_error(errno, std::generic_category(), "connect");
}

void RawClient::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void RawClient::finish() const { ::shutdown(socket_.get(), SHUT_WR); }

std::string RawClient::rest() const {
  std::string text;
  char part[4096];
  while (true) {
    pollfd entry{socket_.get(), POLLIN, 0};
    if (::poll(&entry, 1, 30'000) != 1) throw std::runtime_error("nothing came for 30 s");
    const ssize_t got = ::recv(socket_.get(), part, sizeof part, 0);
    if (got <= 0) return text;
    text.append(part, static_cast<std::size_t>(got));
  }
}

}  // namespace walspout::control
