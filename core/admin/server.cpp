#include "admin/server.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "admin/metrics_text.hpp"

namespace walspout::admin {

namespace {

constexpr int kSeconds = 2;  // that a client may take
constexpr std::size_t kThreads = 4;
constexpr std::size_t kMostBytes = 4096;  // of a request's body, which nobody asks for

// As httplib sets it by itself, a second server could listen at the same address unseen.
void set_socket_options(socket_t socket) {
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
}

}  // namespace

class Server::Impl {
 public:
  Impl(const std::string& host, int port, const Told& told) {
    server_.set_socket_options(set_socket_options);
    server_.set_read_timeout(kSeconds);
    server_.set_write_timeout(kSeconds);
    server_.set_keep_alive_max_count(1);  // an idle connection would hold a thread
    server_.set_payload_max_length(kMostBytes);
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    answer(told);
    errno = 0;
    port_ = port == 0 ? server_.bind_to_any_port(host.c_str()) : port;
    const bool bound = port == 0 ? port_ > 0 : server_.bind_to_port(host.c_str(), port);
    if (!bound)
      throw std::runtime_error(fmt::format(
          "[admin] listen: cannot listen at {} port {}: {}; choose another address or port", host,
          port, errno != 0 ? std::strerror(errno) : "it is none of this machine's addresses"));
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      ended_.store(true);
    });
    // stop() has no effect on a server that does not run yet.
    while (!server_.is_running() && !ended_.load()) std::this_thread::yield();
  }
  ~Impl() {
    server_.stop();
    thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  int port() const { return port_; }

 private:
  void answer(const Told& told) {
    using httplib::Request;
    using httplib::Response;
    server_.Get("/metrics", [&told](const Request&, Response& response) {
      response.set_content(metrics_text(told.figures()), "text/plain; version=0.0.4");
    });
    server_.Get("/status", [&told](const Request&, Response& response) {
      response.set_content(told.status_json(), "application/json");
    });
    server_.Get("/livez", [&told](const Request&, Response& response) {
      const bool alive = told.health().alive;
      response.status = alive ? 200 : 503;
      response.set_content(alive ? "ok\n" : "the reader does not go on\n", "text/plain");
    });
    server_.Get("/readyz", [&told](const Request&, Response& response) {
      const std::string why = told.health().why;
      response.status = why.empty() ? 200 : 503;
      response.set_content(why.empty() ? "ok\n" : why + "\n", "text/plain");
    });
    server_.set_error_handler([](const Request&, Response& response) {
      if (response.body.empty())
        response.set_content("there are /metrics, /livez, /readyz and /status, to be read\n",
                             "text/plain");
    });
  }

  httplib::Server server_;
  int port_ = 0;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

Server::Server(const std::string& host, int port, const Told& told)
    : impl_(std::make_unique<Impl>(host, port, told)) {}
Server::~Server() = default;

int Server::port() const { return impl_->port(); }

}  // namespace walspout::admin
