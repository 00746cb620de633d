// A child process that cannot outlive the test, however the test ends.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/wait.hpp"

namespace walspout::test {

struct Command {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> env = {};  // added to the test's own
  std::string directory = {};  // working directory; "" keeps the test's
  std::string user = {};       // run as this user (the test must be root); "" keeps the test's
  std::string input = {};      // on standard input
  int death_signal = 9;        // what the kernel sends it when the test process dies
};

// Standard output and standard error are appended to `log`. Start it from the main thread: the
// death signal follows the thread that forked.
class Process {
 public:
  Process(const Command& command, const std::string& log);
  ~Process();  // SIGKILL, if it still runs
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  bool running();
  void send(int signal);
  // The exit status, or minus the signal that ended it; nullopt when it still runs after `timeout`.
  std::optional<int> wait(Seconds timeout);

 private:
  void reap(int status);

  pid_t pid_;
  std::optional<int> status_;
};

struct Finished {
  int status;          // as of Process::wait
  std::string output;  // standard output and standard error
};

// Runs it to its end; throws when that takes longer than `timeout`.
Finished run_to_end(const Command& command, Seconds timeout = Seconds(120));

}  // namespace walspout::test
