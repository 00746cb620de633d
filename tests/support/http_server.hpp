// A receiver of HTTP requests that misbehaves as a test tells it to.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace walspout::test {

struct HttpRequest {
  std::string method, target, version;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  int connection = 0;          // counted from 1
  std::string client_subject;  // of its certificate; "" without

  // "" when there is none; values of several are joined by a comma.
  std::string header(const std::string& name) const;
};

struct HttpReply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};

  enum class Then {
    kKeep,     // the connection waits for the next request
    kClose,    // is closed behind the answer, which did not say so
    kDrop,     // is closed in place of an answer
    kHang,     // stays open without an answer
    kStream,   // the body never ends: as many bytes as the client takes
    kTrickle,  // the body never ends: one byte now and then
    kGate,     // answers once release() is called
  } then = Then::kKeep;
  std::string raw = {};  // sent in place of status, headers and body
};

class TlsServer;  // support/http_tls.hpp

class HttpServer {
 public:
  // Listens on 127.0.0.1, on a free port.
  HttpServer();
  explicit HttpServer(std::unique_ptr<TlsServer> tls);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }
  std::string url(const std::string& path = "/hook") const;

  // What the next requests get, in this order; then what `always` says, which is 200 at first.
  void answer(HttpReply reply, int times = 1);
  void always(HttpReply reply);
  void decide(std::function<HttpReply(const HttpRequest&)> decide);
  void release();                // what waits at a gate, and all that comes to one later
  void read_no_bodies(bool on);  // of requests: takes headers only
  void close_idle();             // all connections, once none has a request under way
  void go_away();                // closes all connections, and the port: connections are refused
  void come_back();

  std::vector<HttpRequest> requests() const;  // so far, as they came
  std::size_t count() const;
  void forget();                   // the requests so far
  bool wait_count(std::size_t n);  // false when so many have not come within ten seconds
  int connections() const;         // so far
  int in_flight() const;           // requests that were read and not answered
  int most_in_flight() const;
  std::size_t streamed() const { return streamed_; }  // bytes of endless bodies

 private:
  struct Connection;
  void open_port();
  void accept_all();
  void serve(Connection& connection);
  bool read_request(Connection& connection, HttpRequest& request);
  bool reply(Connection& connection, const HttpReply& reply);
  HttpReply next_reply(const HttpRequest& request);
  void endless(Connection& connection, bool trickle);
  void close_port();
  void close_connections();

  std::unique_ptr<TlsServer> tls_;
  int listener_ = -1, port_ = 0;
  mutable std::mutex mutex_;  // guards all below
  mutable std::condition_variable changed_;
  std::list<std::unique_ptr<Connection>> connections_;
  std::vector<HttpRequest> requests_;
  std::deque<HttpReply> answers_;
  HttpReply always_;
  std::function<HttpReply(const HttpRequest&)> decide_;
  bool released_ = false, ended_ = false, no_bodies_ = false;
  int accepted_ = 0, in_flight_ = 0, most_in_flight_ = 0;
  std::atomic<std::size_t> streamed_{0};
  std::thread thread_;
};

}  // namespace walspout::test
