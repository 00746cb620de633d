// What the tests of this folder share: a database of their own on the program's throwaway server,
// connections to it, and a switch that interrupts.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "postgres/connection.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"

namespace walspout::postgres {

using test::eventually;
using test::shared_server;
using namespace std::chrono_literals;

// Turned on once; then every wait that has its interrupt ends.
class Switch {
 public:
  Switch();
  ~Switch();
  Switch(const Switch&) = delete;
  Switch& operator=(const Switch&) = delete;

  void on();
  Interrupt interrupt() const { return Interrupt(fd_); }

 private:
  int fd_;
};

class WithDatabase : public ::testing::Test {
 protected:
  WithDatabase();  // a new database, empty

  Connection connect(const std::string& user = "postgres");
  Connection replicate(const std::string& user = "postgres");
  ConnectOptions options(const std::string& user = "postgres") const;
  void sql(const std::string& text) { shared_server().sql(db_, text); }
  std::string value(const std::string& text) { return shared_server().value(db_, text); }
  bool before(int major) { return connect().server_version() < major * 10000; }
  int slots(const std::string& name);

  std::string db_;
  std::string url_;
};

// Runs the command, expects an exception of type E, and gives its message.
template <class E>
std::string message_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no exception";
  return "";
}

}  // namespace walspout::postgres
