#include "raw_http.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

namespace walspout::admin {

RawHttp::RawHttp(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return;
  close(fd_);
  throw std::runtime_error("nobody listens");
}

RawHttp::~RawHttp() { close(fd_); }

void RawHttp::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string RawHttp::rest() const {
  std::string all;
  char buffer[4096];
  while (true) {
    const ssize_t got = recv(fd_, buffer, sizeof buffer, 0);
    if (got <= 0) return all;
    all.append(buffer, static_cast<std::size_t>(got));
  }
}

Answer get(int port, const std::string& path, const std::string& method) {
  const RawHttp client(port);
  client.send(method + " " + path +
              " HTTP/1.1\r\nHost: here\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  const std::string all = client.rest();
  const std::size_t end = all.find("\r\n\r\n");
  if (!all.starts_with("HTTP/1.1 ") || end == std::string::npos)
    throw std::runtime_error("no answer: " + all);
  return {std::atoi(all.c_str() + 9), all.substr(0, end), all.substr(end + 4)};
}

}  // namespace walspout::admin
