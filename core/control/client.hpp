// Asks the host that runs with a state directory. Threads: any.
#pragma once

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "control/protocol.hpp"

namespace walspout::control {

// Nobody listens there: no host runs, or it has not come so far yet.
struct NoHost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Client {
 public:
  // Sends the words as one request (control/protocol.hpp) and waits for the whole answer, `timeout`
  // in all. Throws NoHost before anything was asked, and std::runtime_error with one line when the
  // host may not be asked, does not answer in time, or ends in the middle: then it may have done
  // what was asked.
  static Reply call(const std::filesystem::path& state_directory,
                    const std::vector<std::string>& words,
                    std::chrono::milliseconds timeout = std::chrono::seconds(30));
};

}  // namespace walspout::control
