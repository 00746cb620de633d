// Listens for requests and hands each to the handler. What is said and how: control/protocol.hpp.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "control/protocol.hpp"

namespace walspout::control {

class Server {
 public:
  // Called on the server's thread, one request at a time, with at least one word. Others wait
  // meanwhile, so it should take the order and not do the work. An std::exception that it throws
  // becomes an error reply. Never called again once ~Server has returned.
  using Handler = std::function<Reply(const std::vector<std::string>& words)>;

  // Listens when it returns. Only for whoever holds the lock of the state directory: a socket that
  // is there was left by a host that is gone, and is removed. Throws std::exception with one line
  // when it cannot listen.
  Server(const std::filesystem::path& state_directory, Handler handler);

  // Stops at once: requests under way are dropped unanswered, but for the one in the handler, which
  // is awaited and answered as far as that needs no waiting. Removes the socket.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace walspout::control
