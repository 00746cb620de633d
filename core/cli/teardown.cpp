#include <fmt/format.h>

#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/verbs.hpp"
#include "postgres/connection.hpp"
#include "postgres/publication.hpp"
#include "postgres/slot.hpp"

namespace walspout::cli {
namespace {

void teardown_slot(postgres::Connection& connection, const std::string& name,
                   const postgres::Interrupt& interrupt) {
  const auto slot = postgres::find_slot(connection, name, interrupt);
  if (!slot) {
    print(fmt::format("slot {}: there is none\n", name));
    return;
  }
  if (slot->plugin != "pgoutput") {
    throw postgres::Refused(fmt::format(
        "slot {} is not for pgoutput, so others made it; drop it by hand if it is yours", name));
  }
  if (slot->active) {
    throw postgres::Refused(
        fmt::format("slot {} is in use by server process {}; stop that walspout first", name,
                    slot->active_pid));
  }
  postgres::drop_slot(connection, name, interrupt);
  print(fmt::format("slot {}: dropped\n", name));
}

void teardown_publication(postgres::Connection& connection, const std::string& name,
                          const postgres::Interrupt& interrupt) {
  const auto publication = postgres::find_publication(connection, name, interrupt);
  const std::string shown = printable(name);
  if (!publication) {
    print(fmt::format("publication {}: there is none\n", shown));
  } else if (!publication->managed) {
    print(fmt::format("publication {}: was made by others and is left\n", shown));
  } else {
    postgres::drop_publication(connection, name, interrupt);
    print(fmt::format("publication {}: dropped\n", shown));
  }
}

}  // namespace

int teardown(const Arguments& arguments, StopSignal& stop) {
  const auto config = load_configuration(arguments.file);
  if (!config) return kUsage;
  const postgres::Interrupt interrupt(stop.fd());
  postgres::ConnectOptions options;
  options.url = config->source.url;
  postgres::Connection connection(options, interrupt);
  // The slot first: without its publication it could not be read any more.
  if (!config->source.temporary) teardown_slot(connection, config->source.slot, interrupt);
  teardown_publication(connection, config->source.publication, interrupt);
  print(fmt::format("left as they are: what the sinks hold, and {}\n",
                    printable(config->state.directory.string())));
  return kDone;
}

}  // namespace walspout::cli
