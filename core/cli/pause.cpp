#include <fmt/format.h>

#include <optional>

#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/host_request.hpp"
#include "cli/names.hpp"
#include "cli/verbs.hpp"
#include "postgres/interrupt.hpp"
#include "progress/state_store.hpp"

namespace walspout::cli {
namespace {

// For the next run. Nothing when a host has the state directory.
std::optional<int> store(const config::Config& config, const std::string& sink, bool pause) {
  try {
    progress::StateStore state(config.state.directory);
    if (pause)
      state.save_pause(sink, "walspout pause");
    else
      state.remove_pause(sink);
  } catch (const progress::StateInUse&) {
    return std::nullopt;
  }
  print(fmt::format("sink {} {} with the next `walspout run {}`\n", printable(sink),
                    pause ? "stays paused" : "goes on", printable(config.file)));
  return kDone;
}

int ask(const Arguments& arguments, StopSignal& stop, bool pause) {
  const auto config = load_configuration(arguments.file);
  if (!config) return kUsage;
  if (!known_sink(*config, arguments.sink, "sink")) return kUsage;
  return ask_host(*config, {pause ? "pause" : "resume", arguments.sink},
                  postgres::Interrupt(stop.fd()),
                  [&] { return store(*config, arguments.sink, pause); });
}

}  // namespace

int pause(const Arguments& arguments, StopSignal& stop) { return ask(arguments, stop, true); }

int resume(const Arguments& arguments, StopSignal& stop) { return ask(arguments, stop, false); }

}  // namespace walspout::cli
