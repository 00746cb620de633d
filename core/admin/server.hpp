// The admin server: /metrics, /livez, /readyz and /status over HTTP, read-only. A request gets a
// connection of its own, and a slow client no more than two seconds.
//
// Threads: its own, a few; what is told is asked from them.
#pragma once

#include <memory>
#include <string>

#include "admin/figures.hpp"

namespace walspout::admin {

class Server {
 public:
  // Listens at once; told must outlive it. port 0: any. Throws std::runtime_error with one line.
  Server(const std::string& host, int port, const Told& told);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace walspout::admin
