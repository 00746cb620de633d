#include "support/tcp_proxy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

namespace walspout::test {
namespace {

constexpr std::size_t kPending = 256 * 1024;  // read no more from one side while the other is slow

// False when the connection has ended.
bool read_into(int fd, std::string& pending, std::uint64_t* count) {
  char buffer[65536];
  const ssize_t n = recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  if (n == 0) return false;
  pending.append(buffer, static_cast<std::size_t>(n));
  if (count) *count += static_cast<std::uint64_t>(n);
  return true;
}

bool write_from(int fd, std::string& pending) {
  const ssize_t n = send(fd, pending.data(), pending.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  pending.erase(0, static_cast<std::size_t>(n));
  return true;
}

}  // namespace

TcpProxy::TcpProxy(std::string unix_socket) : unix_socket_(std::move(unix_socket)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (listener_ < 0 || bind(listener_, generic, size) || listen(listener_, 64) ||
      getsockname(listener_, generic, &size))
    throw std::runtime_error("cannot listen on 127.0.0.1");
  port_ = ntohs(address.sin_port);
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  thread_ = std::thread([this] { run(); });
}

TcpProxy::~TcpProxy() {
  ended_ = true;
  wake();
  thread_.join();
  for (auto& link : links_) close_link(link);
  close(listener_);
  close(wake_);
}

std::string TcpProxy::url(const std::string& db, const std::string& user) const {
  return "host=127.0.0.1 port=" + std::to_string(port_) + " user=" + user + " dbname=" + db;
}

void TcpProxy::wake() {
  const std::uint64_t one = 1;
  if (write(wake_, &one, sizeof one) < 0) return;  // full: a wake-up is pending already
}

void TcpProxy::cut() {
  const std::lock_guard lock(mutex_);
  for (auto& link : links_) close_link(link);
}

void TcpProxy::cut_clients() {
  const std::lock_guard lock(mutex_);
  for (auto& link : links_) {
    link.frozen = true;
    if (link.client >= 0) close(link.client);
    link.client = -1;
  }
}

void TcpProxy::freeze() {
  const std::lock_guard lock(mutex_);
  frozen_ = true;
}

void TcpProxy::freeze_present() {
  const std::lock_guard lock(mutex_);
  for (auto& link : links_) link.frozen = true;
}

void TcpProxy::thaw() {
  const std::lock_guard lock(mutex_);
  frozen_ = false;
  for (auto& link : links_) {
    if (link.client < 0) close_link(link);
    link.frozen = false;
  }
  wake();
}

void TcpProxy::cut_after(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  limit_ = bytes;
  limit_cuts_ = true;
  limit_reached_ = false;
}

void TcpProxy::freeze_after(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  limit_ = bytes;
  limit_cuts_ = false;
  limit_reached_ = false;
}

void TcpProxy::close_link(Link& link) {
  if (link.client >= 0) close(link.client);
  if (link.server >= 0) close(link.server);
  link.client = link.server = -1;
}

void TcpProxy::check_limit(Link& link) {
  if (limit_ == 0 || link.from_server < limit_) return;
  limit_ = 0;
  limit_reached_ = true;  // first: who sees the cut may ask
  if (limit_cuts_)
    close_link(link);
  else
    link.frozen = true;
}

void TcpProxy::accept_one() {
  Link link;
  link.client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (link.client < 0) return;
  ++accepted_;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, unix_socket_.c_str(), sizeof address.sun_path - 1);
  link.server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(link.server, reinterpret_cast<sockaddr*>(&address), sizeof address))
    close_link(link);  // the server is down: so is the connection
  else
    links_.push_back(std::move(link));
}

void TcpProxy::forward(Link& link, short client_events, short server_events) {
  constexpr short kReadable = POLLIN | POLLHUP | POLLERR;
  bool open = true;
  if ((client_events & kReadable) && link.to_server.size() < kPending)
    open &= read_into(link.client, link.to_server, nullptr);
  if ((server_events & kReadable) && link.to_client.size() < kPending)
    open &= read_into(link.server, link.to_client, &link.from_server);
  if (!link.to_server.empty()) open &= write_from(link.server, link.to_server);
  if (!link.to_client.empty()) open &= write_from(link.client, link.to_client);
  if (!open) close_link(link);
  if (link.client >= 0) check_limit(link);
}

void TcpProxy::run() {
  while (!ended_) {
    std::vector<pollfd> fds;
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(links_, [](const Link& l) { return l.client < 0 && l.server < 0; });
      fds.push_back({wake_, POLLIN, 0});
      fds.push_back({frozen_ ? -1 : listener_, POLLIN, 0});
      for (const auto& link : links_) {
        const bool still = frozen_ || link.frozen;
        const auto wanted = [](const std::string& in, const std::string& out) {
          return static_cast<short>((in.size() < kPending ? POLLIN : 0) |
                                    (out.empty() ? 0 : POLLOUT));
        };
        fds.push_back({still ? -1 : link.client, wanted(link.to_server, link.to_client), 0});
        fds.push_back({still ? -1 : link.server, wanted(link.to_client, link.to_server), 0});
      }
    }
    // A short timeout: a link that is frozen or cut meanwhile is looked at anew.
    if (poll(fds.data(), fds.size(), 20) < 0) continue;
    const std::lock_guard lock(mutex_);
    std::uint64_t woken = 0;
    if ((fds[0].revents & POLLIN) && read(wake_, &woken, sizeof woken) < 0) continue;
    // Links are only appended and erased by this thread, so that indices still fit.
    for (std::size_t i = 0; 3 + 2 * i < fds.size(); ++i) {
      Link& link = links_[i];
      if (frozen_ || link.frozen || link.client < 0) continue;
      const short client = fds[2 + 2 * i].revents, server = fds[3 + 2 * i].revents;
      if (client || server) forward(link, client, server);
    }
    if (fds[1].revents & POLLIN) accept_one();
  }
}

}  // namespace walspout::test
