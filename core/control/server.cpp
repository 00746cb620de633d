#include "control/server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <list>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "base/quote.hpp"
#include "base/wake.hpp"
#include "control/endpoint.hpp"
#include "control/words.hpp"
#include "log/log.hpp"

namespace walspout::control {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostConnections = 64;
constexpr std::chrono::milliseconds kOutOfDescriptors{1'000};

struct Connection {
  Descriptor socket;
  Clock::time_point deadline;
  std::string request;  // so far
  std::string answer;   // what is left of it
  bool answering = false;
};

std::string to_text(const Reply& reply) {
  std::string text = reply.ok ? "ok\n" : "error\n";
  std::size_t first = 0;
  if (!reply.ok && !reply.lines.empty()) {
    text = "error " + base::one_line(reply.lines[0]) + '\n';
    first = 1;
  }
  for (std::size_t i = first; i < reply.lines.size(); ++i)
    text += base::one_line(reply.lines[i]) + '\n';
  return text + "end\n";
}

[[noreturn]] void fail(const Endpoint& endpoint, const std::string& what) {
  throw std::runtime_error(endpoint.shown() + ": " + what + ": " + std::strerror(errno));
}

// What a host that was killed has left. Anything but a socket is somebody's file.
void remove_stale(const Endpoint& endpoint) {
  struct stat found {};
  if (fstatat(endpoint.directory(), kSocketName, &found, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return;
    fail(endpoint, "cannot be looked at");
  }
  if (!S_ISSOCK(found.st_mode))
    throw std::runtime_error(endpoint.shown() +
                             ": is in the way of the control socket; move it away");
  if (unlinkat(endpoint.directory(), kSocketName, 0) != 0 && errno != ENOENT)
    fail(endpoint, "cannot remove what an earlier host has left");
}

Descriptor listen_at(const Endpoint& endpoint) {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0) fail(endpoint, "no socket");
  // Linux makes the file with the mode of the socket's own inode, less the umask. The umask itself
  // is the whole process's: changing it here would change the files that other threads make.
  if (fchmod(socket.get(), 0600) != 0) fail(endpoint, "cannot set the mode");
  const auto* address = reinterpret_cast<const sockaddr*>(&endpoint.address());
  if (::bind(socket.get(), address, sizeof(sockaddr_un)) != 0) fail(endpoint, "cannot be made");
  if (::chmod(endpoint.address().sun_path, 0600) != 0) fail(endpoint, "cannot set the mode");
  if (::listen(socket.get(), SOMAXCONN) != 0) fail(endpoint, "cannot listen");
  return socket;
}

}  // namespace

class Server::Loop {
 public:
  Loop(const std::filesystem::path& state_directory, Handler handler)
      : endpoint_(state_directory), handler_(std::move(handler)) {
    remove_stale(endpoint_);
    listener_ = listen_at(endpoint_);
    thread_ = std::thread([this] { run(); });
  }

  ~Loop() {
    stop_.ring();
    thread_.join();
    // Without it the next host finds a stale one, which it removes as well.
    unlinkat(endpoint_.directory(), kSocketName, 0);
  }

  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

 private:
  using Connections = std::list<Connection>;

  void run() {
    try {
      std::vector<pollfd> entries;
      while (true) {
        collect(entries);
        const int ready = ::poll(entries.data(), entries.size(), timeout());
        if (ready < 0 && errno != EINTR)
          throw std::runtime_error(std::string("poll: ") + std::strerror(errno));
        if (ready < 0) continue;
        if (entries[0].revents != 0) return;
        serve(entries);
        if (entries[1].revents != 0) accept_all();
      }
    } catch (const std::exception& error) {
      log::error(endpoint_.shown() +
                 ": control has ended, the pipeline goes on; restart the host " +
                 "to have it again: " + error.what());
    }
  }

  void collect(std::vector<pollfd>& entries) const {
    entries.clear();
    entries.push_back({stop_.fd(), POLLIN, 0});
    const bool paused = Clock::now() < listen_again_;
    entries.push_back({paused ? -1 : listener_.get(), POLLIN, 0});
    for (const Connection& one : connections_)
      entries.push_back(
          {one.socket.get(), static_cast<short>(one.answering ? POLLOUT : POLLIN), 0});
  }

  // Milliseconds to the next thing that is due; -1 = nothing is.
  int timeout() const {
    auto due = Clock::time_point::max();
    const auto now = Clock::now();
    if (now < listen_again_) due = listen_again_;
    for (const Connection& one : connections_) due = std::min(due, one.deadline);
    if (due == Clock::time_point::max()) return -1;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(due - now).count();
    return static_cast<int>(std::max<long long>(left + 1, 0));
  }

  // entries is what collect() gave for these connections, in their order, after two others.
  void serve(const std::vector<pollfd>& entries) {
    std::size_t at = 2;
    for (auto one = connections_.begin(); one != connections_.end(); ++at) {
      const bool ready = entries[at].revents != 0;
      const bool over = (ready && !advance(*one)) || Clock::now() >= one->deadline;
      one = over ? connections_.erase(one) : std::next(one);
    }
  }

  // False when the connection is done with.
  bool advance(Connection& one) {
    if (!one.answering && !receive(one)) return false;
    return !one.answering || send(one);
  }

  bool receive(Connection& one) {
    char part[16 * 1024];
    const ssize_t got = ::recv(one.socket.get(), part, sizeof part, 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;  // gone, before its line was whole
    const std::string_view text(part, static_cast<std::size_t>(got));
    const std::size_t end = text.find('\n');
    one.request.append(text.substr(0, end));
    if (one.request.size() >= kLongestRequest) {
      answer(one, {false, {"the request is longer than 1 MiB; ask for less at once"}});
    } else if (end != std::string_view::npos && end + 1 != text.size()) {
      answer(one, {false, {"one connection is one request; connect again for another"}});
    } else if (end != std::string_view::npos) {
      answer(one, ask(one.request));
    }
    return true;
  }

  Reply ask(std::string_view line) {
    const auto words = decode_words(line);
    if (!words) return {false, {"the request is not in percent-encoded words"}};
    if (words->empty()) return {false, {"the request is empty"}};
    try {
      return handler_(*words);
    } catch (const std::exception& error) {
      return {false, {error.what()}};
    }
  }

  static void answer(Connection& one, const Reply& reply) {
    one.request = {};
    one.answer = to_text(reply);
    one.answering = true;
    one.deadline = Clock::now() + kAnswerTime;
  }

  static bool send(Connection& one) {
    while (!one.answer.empty()) {
      const ssize_t sent =
          ::send(one.socket.get(), one.answer.data(), one.answer.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return errno == EAGAIN;
      one.answer.erase(0, static_cast<std::size_t>(sent));
    }
    return false;
  }

  void accept_all() {
    while (true) {
      Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (socket.get() >= 0) {
        // The oldest has had its time; a new one is not to wait for silent ones.
        if (connections_.size() >= kMostConnections) connections_.pop_front();
        connections_.push_back({std::move(socket), Clock::now() + kRequestTime, {}, {}, false});
      } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        // The listener stays readable, so that polling it would only burn a processor.
        if (!connections_.empty()) connections_.pop_front();
        listen_again_ = Clock::now() + kOutOfDescriptors;
        return;
      } else if (errno != EINTR && errno != ECONNABORTED) {
        if (errno == EAGAIN) return;
        throw std::runtime_error(std::string("accept: ") + std::strerror(errno));
      }
    }
  }

  Endpoint endpoint_;
  Handler handler_;
  base::Wake stop_;
  Descriptor listener_;
  Connections connections_;  // oldest first
  Clock::time_point listen_again_{};
  std::thread thread_;
};

Server::Server(const std::filesystem::path& state_directory, Handler handler)
    : loop_(std::make_unique<Loop>(state_directory, std::move(handler))) {}

Server::~Server() = default;

}  // namespace walspout::control
