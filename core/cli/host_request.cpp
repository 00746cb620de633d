#include "cli/host_request.hpp"

#include <fmt/format.h>

#include <chrono>

#include "cli/console.hpp"
#include "control/client.hpp"
#include "pipeline/pipeline.hpp"

namespace walspout::cli {
namespace {

// A host that starts or stops has the state directory and does not listen: this long it may take.
constexpr std::chrono::milliseconds kStarting{5'000};
constexpr std::chrono::milliseconds kAgain{100};

int print_reply(const control::Reply& reply) {
  if (reply.ok) {
    for (const std::string& line : reply.lines) print(printable(line) + '\n');
    return kDone;
  }
  for (const std::string& line : reply.lines) print_error(line);
  if (reply.lines.empty()) print_error("the host did not do it; its log says why");
  return kFailed;
}

}  // namespace

int ask_host(const config::Config& config, const std::vector<std::string>& words,
             const postgres::Interrupt& interrupt,
             const std::function<std::optional<int>()>& without_host) {
  for (auto left = kStarting / kAgain; left >= 0; --left) {
    try {
      return print_reply(control::Client::call(config.state.directory, words));
    } catch (const control::NoHost&) {
      if (const auto status = without_host()) return *status;
    }
    if (left > 0) interrupt.wait(-1, 0, postgres::deadline_in(kAgain));
  }
  print_error(
      fmt::format("a walspout has the state directory {} and takes no requests; look at its "
                  "log, and try again",
                  printable(config.state.directory.string())));
  return kFailed;
}

}  // namespace walspout::cli
