#include "control/client.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "control/endpoint.hpp"
#include "control/words.hpp"

namespace walspout::control {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const Endpoint& endpoint, const std::string& why) {
  throw std::runtime_error(endpoint.shown() + ": " + why);
}

// The socket is blocking while it connects, with SO_SNDTIMEO as its limit: a unix socket whose
// queue is full cannot be polled for room. unix(7).
Descriptor connect_to(const Endpoint& endpoint, std::chrono::milliseconds timeout) {
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) fail(endpoint, std::string("no socket: ") + std::strerror(errno));
  timeval limit{};
  limit.tv_sec = static_cast<time_t>(timeout.count() / 1000);
  limit.tv_usec = static_cast<suseconds_t>(timeout.count() % 1000 * 1000);
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  const auto* address = reinterpret_cast<const sockaddr*>(&endpoint.address());
  int result = 0;
  do {
    result = ::connect(socket.get(), address, sizeof(sockaddr_un));
  } while (result != 0 && errno == EINTR);
  if (result == 0) return socket;
  const int why = errno;
  if (why == ENOENT || why == ECONNREFUSED) throw NoHost(endpoint.shown() + ": no host listens");
  if (why == EACCES || why == EPERM)
    fail(endpoint, "may not be used by this user; run the command as the host's user");
  if (why == EAGAIN) fail(endpoint, "the host does not answer; look at its log, and try again");
  fail(endpoint, std::string("cannot connect: ") + std::strerror(why));
}

// Waits for `events`; false when the time is over.
bool wait_for(int socket, short events, Clock::time_point deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd entry{socket, events, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(std::min<long long>(left + 1, 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

[[noreturn]] void too_late(const Endpoint& endpoint) {
  fail(endpoint,
       "the host did not answer in time, and may still do what was asked; look at its log");
}

void send_all(const Endpoint& endpoint, int socket, std::string_view text,
              Clock::time_point deadline) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!wait_for(socket, POLLOUT, deadline)) too_late(endpoint);
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return;  // it has heard enough: its answer says why
    } else if (errno != EINTR) {
      fail(endpoint, std::string("cannot send: ") + std::strerror(errno));
    }
  }
}

std::string receive_all(const Endpoint& endpoint, int socket, Clock::time_point deadline) {
  std::string text;
  char part[16 * 1024];
  while (true) {
    const ssize_t got = ::recv(socket, part, sizeof part, MSG_DONTWAIT);
    if (got > 0) {
      text.append(part, static_cast<std::size_t>(got));
    } else if (got == 0 || errno == ECONNRESET) {
      return text;  // whether it is whole its last line says
    } else if (errno == EAGAIN) {
      if (!wait_for(socket, POLLIN, deadline)) too_late(endpoint);
    } else if (errno != EINTR) {
      fail(endpoint, std::string("cannot receive: ") + std::strerror(errno));
    }
  }
}

Reply parse(const Endpoint& endpoint, std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (!text.empty() || lines.size() < 2 || lines.back() != "end")
    fail(
        endpoint,
        "the host ended before it had answered, and may have done what was asked; look at its log");
  lines.pop_back();
  Reply reply;
  const std::string first = lines.front();
  lines.erase(lines.begin());
  reply.ok = first == "ok";
  constexpr std::string_view kError = "error";
  if (!reply.ok && !first.starts_with(kError)) fail(endpoint, "what answers there is no walspout");
  if (first.size() > kError.size()) lines.insert(lines.begin(), first.substr(kError.size() + 1));
  reply.lines = std::move(lines);
  return reply;
}

Endpoint endpoint_in(const std::filesystem::path& state_directory) {
  try {
    return Endpoint(state_directory);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::no_such_file_or_directory) throw NoHost(error.what());
    throw;
  }
}

}  // namespace

Reply Client::call(const std::filesystem::path& state_directory,
                   const std::vector<std::string>& words, std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  const std::string request = encode_words(words) + '\n';
  const Endpoint endpoint = endpoint_in(state_directory);
  if (request.size() > kLongestRequest)
    fail(endpoint, "the request is longer than 1 MiB; ask for less at once");
  const Descriptor socket = connect_to(endpoint, timeout);
  send_all(endpoint, socket.get(), request, deadline);
  return parse(endpoint, receive_all(endpoint, socket.get(), deadline));
}

}  // namespace walspout::control
