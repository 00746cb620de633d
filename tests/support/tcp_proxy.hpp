// A network between the host and the server that a test can break.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace walspout::test {

// Listens on 127.0.0.1 on a free port and forwards to a unix socket. Safe to command from the
// test's thread while its own thread forwards.
class TcpProxy {
 public:
  explicit TcpProxy(std::string unix_socket);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  int port() const { return port_; }
  // A libpq URL through this proxy.
  std::string url(const std::string& db, const std::string& user = "postgres") const;

  void cut();             // closes every connection, both sides
  void cut_clients();     // closes the client's side only: the server learns nothing
  void freeze();          // present and new connections: open, but nothing passes
  void freeze_present();  // present connections only; new ones pass
  void thaw();
  // The first connection over which the server has sent this many bytes is cut; once.
  void cut_after(std::uint64_t bytes);
  // The first connection over which the server has sent this many bytes is frozen; once.
  void freeze_after(std::uint64_t bytes);

  bool limit_reached() const { return limit_reached_; }  // cut_after or freeze_after has happened
  int accepted() const { return accepted_; }             // connections so far

 private:
  struct Link {
    int client = -1, server = -1;
    std::string to_client, to_server;  // read, not yet written
    std::uint64_t from_server = 0;     // bytes so far
    bool frozen = false;
  };

  void run();
  void accept_one();
  void forward(Link& link, short client_events, short server_events);
  void close_link(Link& link);
  void check_limit(Link& link);
  void wake();

  std::string unix_socket_;
  int listener_ = -1, wake_ = -1, port_ = 0;
  std::mutex mutex_;  // guards links_, the limits and frozen_
  std::vector<Link> links_;
  bool frozen_ = false;
  std::uint64_t limit_ = 0;  // 0: none
  bool limit_cuts_ = false;
  std::atomic<bool> ended_{false}, limit_reached_{false};
  std::atomic<int> accepted_{0};
  std::thread thread_;  // last: starts when all of the above is there
};

}  // namespace walspout::test
