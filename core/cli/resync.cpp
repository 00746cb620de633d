#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/host_request.hpp"
#include "cli/names.hpp"
#include "cli/verbs.hpp"
#include "control/requests.hpp"
#include "log/log.hpp"
#include "pipeline/rule_check.hpp"
#include "pipeline/source.hpp"
#include "postgres/catalogue.hpp"
#include "postgres/interrupt.hpp"
#include "postgres/publication.hpp"
#include "postgres/slot.hpp"
#include "progress/state_store.hpp"

namespace walspout::cli {
namespace {

// True if it was stored; false when a host has the state directory.
bool store(const config::Config& config, const control::Resync& request) {
  try {
    progress::StateStore(config.state.directory).add_request(control::to_words(request));
    return true;
  } catch (const progress::StateInUse&) {
    return false;
  }
}

void print_stored(const config::Config& config, const control::Resync& request) {
  std::string what;
  for (const std::string& pattern : request.patterns)
    what += (what.empty() ? "" : ", ") + printable(pattern);
  print(fmt::format("{} will be copied anew{} at the next `walspout run {}`\n",
                    what.empty() ? "all tables" : what,
                    request.sink.empty() ? "" : " into sink " + request.sink,
                    printable(config.file)));
}

// Before a request for single tables is stored: the exit status when it would not help, with the
// error printed. Where the source cannot be asked, the next run finds out.
std::optional<int> refusal(const config::Config& config, const control::Resync& request,
                           const postgres::Interrupt& interrupt) {
  if (config.source.temporary || (request.patterns.empty() && request.sink.empty()))
    return std::nullopt;
  try {
    const auto connection = connect_ordinary(config, interrupt);
    const auto slot = postgres::find_slot(*connection, config.source.slot, interrupt);
    if (!slot || slot->lost()) {
      print_error(printable(fmt::format(
          "slot {} {}; {}", config.source.slot,
          slot ? "is lost, which a copy of single tables does not mend"
               : "does not exist: unless nothing was mirrored yet, a copy of single tables is not "
                 "enough",
          resync_all(config))));
      if (slot) return kSourceRefuses;
    }
    if (!postgres::find_publication(*connection, config.source.publication, interrupt))
      return std::nullopt;
    const auto none =
        unmatched(request.patterns,
                  postgres::published_tables(*connection, config.source.publication, interrupt));
    if (none.empty()) return std::nullopt;
    print_error(printable(nothing_matches(none)));
    return kFailed;
  } catch (const std::runtime_error& error) {
    log::debug(std::string("the source was not asked: ") + error.what());
    return std::nullopt;
  }
}

}  // namespace

int resync(const Arguments& arguments, StopSignal& stop) {
  const auto config = load_configuration(arguments.file);
  if (!config) return kUsage;
  const auto tables = table_patterns(arguments.tables);
  if (!tables) return kUsage;
  if (!arguments.sink.empty() && !known_sink(*config, arguments.sink)) return kUsage;
  const control::Resync request{arguments.sink, *tables};

  const postgres::Interrupt interrupt(stop.fd());
  bool asked = false;
  return ask_host(*config, to_words(request), interrupt, [&]() -> std::optional<int> {
    if (!std::exchange(asked, true))
      if (const auto status = refusal(*config, request, interrupt)) return status;
    if (!store(*config, request)) return std::nullopt;
    print_stored(*config, request);
    return kDone;
  });
}

}  // namespace walspout::cli
