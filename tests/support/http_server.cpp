#include "support/http_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "support/http_tls.hpp"

namespace walspout::test {

struct HttpServer::Connection {
  int socket = -1;
  int number = 0;
  bool idle = true;  // waits for a request, or has ended; guarded by the server's mutex
  std::string received;
  TlsServer::Session tls;
  std::thread thread;

  // More bytes; false at the end of the connection.
  bool read_more() {
    char block[16 * 1024];
    const auto n = tls ? SSL_read(tls.get(), block, sizeof block)
                       : static_cast<int>(::recv(socket, block, sizeof block, 0));
    if (n > 0) received.append(block, static_cast<std::size_t>(n));
    return n > 0;
  }
  bool write(const std::string& bytes) {
    std::size_t done_bytes = 0;
    while (done_bytes < bytes.size()) {
      const char* const from = bytes.data() + done_bytes;
      const std::size_t size = bytes.size() - done_bytes;
      const auto n = tls ? SSL_write(tls.get(), from, static_cast<int>(size))
                         : static_cast<int>(::send(socket, from, size, MSG_NOSIGNAL));
      if (n <= 0) return false;
      done_bytes += static_cast<std::size_t>(n);
    }
    return true;
  }
};

std::string HttpRequest::header(const std::string& name) const {
  std::string all;
  for (const auto& [key, value] : headers)
    if (key == name) all += (all.empty() ? "" : ",") + value;
  return all;
}

HttpServer::HttpServer() : HttpServer(nullptr) {}

HttpServer::HttpServer(std::unique_ptr<TlsServer> tls) : tls_(std::move(tls)) {
  if (tls_) ::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  open_port();
}

HttpServer::~HttpServer() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  close_port();
  close_connections();
  for (const auto& connection : connections_) {
    connection->thread.join();
    ::close(connection->socket);
  }
}

std::string HttpServer::url(const std::string& path) const {
  return (tls_ ? "https" : "http") + ("://127.0.0.1:" + std::to_string(port_)) + path;
}

void HttpServer::open_port() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int one = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port_));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (listener_ < 0 || ::bind(listener_, any, size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, any, &size) != 0)
    throw std::runtime_error("cannot listen on 127.0.0.1");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { accept_all(); });
}

void HttpServer::close_port() {
  if (listener_ < 0) return;
  ::shutdown(listener_, SHUT_RDWR);
  thread_.join();
  ::close(listener_);
  listener_ = -1;
}

void HttpServer::close_connections() {
  const std::lock_guard lock(mutex_);
  for (const auto& connection : connections_) ::shutdown(connection->socket, SHUT_RDWR);
}

void HttpServer::go_away() {
  close_port();
  close_connections();
}

void HttpServer::come_back() { open_port(); }

void HttpServer::close_idle() {
  {
    // A client may have its answer before the thread that gave it has come back.
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] {
      return std::all_of(connections_.begin(), connections_.end(),
                         [](const auto& connection) { return connection->idle; });
    });
  }
  close_connections();
}

void HttpServer::accept_all() {
  while (true) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    const int one = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    const std::lock_guard lock(mutex_);
    auto& connection = *connections_.emplace_back(std::make_unique<Connection>());
    connection.socket = socket;
    connection.number = ++accepted_;
    connection.thread = std::thread([this, &connection] {
      serve(connection);
      ::shutdown(connection.socket, SHUT_RDWR);
    });
  }
}

void HttpServer::serve(Connection& connection) {
  if (tls_ && !(connection.tls = tls_->accept(connection.socket))) return;
  while (true) {
    HttpRequest request;
    request.connection = connection.number;
    if (connection.tls) request.client_subject = TlsServer::subject(connection.tls.get());
    if (!read_request(connection, request)) return;
    HttpReply answer;
    {
      const std::lock_guard lock(mutex_);
      most_in_flight_ = std::max(most_in_flight_, ++in_flight_);
      requests_.push_back(request);
      answer = next_reply(request);
    }
    changed_.notify_all();
    const bool more = reply(connection, answer);
    {
      const std::lock_guard lock(mutex_);
      connection.idle = true;
    }
    changed_.notify_all();
    if (!more) return;
  }
}

HttpReply HttpServer::next_reply(const HttpRequest& request) {
  if (!answers_.empty()) {
    HttpReply answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }
  return decide_ ? decide_(request) : always_;
}

bool HttpServer::read_request(Connection& connection, HttpRequest& request) {
  std::string& in = connection.received;
  std::size_t end = 0;
  while ((end = in.find("\r\n\r\n")) == std::string::npos)
    if (!connection.read_more()) return false;
  bool no_bodies = false;
  {
    const std::lock_guard lock(mutex_);
    connection.idle = false;
    no_bodies = no_bodies_;
  }
  const std::string head = in.substr(0, end + 2);
  in.erase(0, end + 4);
  std::size_t line = head.find("\r\n") + 2;
  const std::string first = head.substr(0, line - 2);
  const std::size_t a = first.find(' '), b = first.rfind(' ');
  request.method = first.substr(0, a);
  request.target = first.substr(a + 1, b - a - 1);
  request.version = first.substr(b + 1);
  while (line < head.size()) {
    const std::size_t next = head.find("\r\n", line), colon = head.find(':', line);
    std::string name = head.substr(line, colon - line);
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::size_t value = std::min(head.find_first_not_of(' ', colon + 1), next);
    request.headers.emplace_back(name, head.substr(value, next - value));
    line = next + 2;
  }
  const std::string length = request.header("content-length");
  const std::size_t size = length.empty() ? 0 : std::stoul(length);
  while (!no_bodies && in.size() < size)
    if (!connection.read_more()) return false;
  if (no_bodies) return true;
  request.body = in.substr(0, size);
  in.erase(0, size);
  return true;
}

bool HttpServer::reply(Connection& connection, const HttpReply& answer) {
  using Then = HttpReply::Then;
  const auto answered = [this] {
    const std::lock_guard lock(mutex_);
    --in_flight_;
  };
  if (answer.then == Then::kGate) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return released_ || ended_; });
  }
  if (answer.then == Then::kHang) {
    while (connection.read_more()) connection.received.clear();
    answered();
    return false;
  }
  if (answer.then == Then::kDrop) {
    answered();
    return false;
  }
  const bool endless_body = answer.then == Then::kStream || answer.then == Then::kTrickle;
  std::string text = "HTTP/1.1 " + std::to_string(answer.status) + " Scripted\r\n";
  for (const auto& [name, value] : answer.headers) text += name + ": " + value + "\r\n";
  if (!endless_body) text += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n";
  text += "\r\n" + answer.body;
  answered();
  if (!connection.write(answer.raw.empty() ? text : answer.raw)) return false;
  if (endless_body) endless(connection, answer.then == Then::kTrickle);
  return !endless_body && answer.then != Then::kClose;
}

void HttpServer::endless(Connection& connection, bool trickle) {
  const std::string piece(trickle ? 1 : 16 * 1024, 'x');
  while (connection.write(piece)) {
    streamed_ += piece.size();
    std::unique_lock lock(mutex_);
    const auto pause = std::chrono::milliseconds(trickle ? 20 : 0);
    if (changed_.wait_for(lock, pause, [this] { return ended_; })) return;
  }
}

void HttpServer::answer(HttpReply reply, int times) {
  const std::lock_guard lock(mutex_);
  for (int i = 0; i < times; ++i) answers_.push_back(reply);
}

void HttpServer::always(HttpReply reply) {
  const std::lock_guard lock(mutex_);
  always_ = std::move(reply);
}

void HttpServer::decide(std::function<HttpReply(const HttpRequest&)> decide) {
  const std::lock_guard lock(mutex_);
  decide_ = std::move(decide);
}

void HttpServer::release() {
  {
    const std::lock_guard lock(mutex_);
    released_ = true;
  }
  changed_.notify_all();
}

void HttpServer::read_no_bodies(bool on) {
  const std::lock_guard lock(mutex_);
  no_bodies_ = on;
}

std::vector<HttpRequest> HttpServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::size_t HttpServer::count() const {
  const std::lock_guard lock(mutex_);
  return requests_.size();
}

void HttpServer::forget() {
  const std::lock_guard lock(mutex_);
  requests_.clear();
}

bool HttpServer::wait_count(std::size_t n) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(10), [&] { return requests_.size() >= n; });
}

int HttpServer::connections() const {
  const std::lock_guard lock(mutex_);
  return accepted_;
}

int HttpServer::in_flight() const {
  const std::lock_guard lock(mutex_);
  return in_flight_;
}

int HttpServer::most_in_flight() const {
  const std::lock_guard lock(mutex_);
  return most_in_flight_;
}

}  // namespace walspout::test
