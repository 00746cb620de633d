#include <fmt/format.h>

#include "base/lsn.hpp"
#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/source.hpp"
#include "cli/verbs.hpp"
#include "postgres/connection.hpp"
#include "postgres/publication.hpp"
#include "postgres/slot.hpp"

namespace walspout::cli {
namespace {

using What = postgres::PublicationOutcome::What;

void print_list(std::string_view title, const std::vector<std::string>& names) {
  for (const std::string& name : names) print(fmt::format("  {} {}\n", title, printable(name)));
}

// Returns true if it was created.
bool setup_publication(postgres::Connection& connection, const config::Source& source,
                       const postgres::Interrupt& interrupt) {
  const postgres::PublicationOutcome outcome =
      postgres::ensure_publication(connection, source.publication, source.tables, interrupt);
  const char* what = "is there already and in step with `tables`";
  if (outcome.what == What::kUsedAsIs) what = "was made by others and is used as it is";
  if (outcome.what == What::kCreated)
    what = outcome.all_tables ? "created for all tables" : "created";
  if (outcome.what == What::kAltered) what = "brought into step with `tables`";
  print(fmt::format("publication {}: {}\n", printable(source.publication), what));
  print_list("added", outcome.added);
  print_list("removed", outcome.removed);
  print_list("has no replica identity, so that its updates and deletes now fail:",
             outcome.without_identity);
  return outcome.what == What::kCreated;
}

void setup_slot(postgres::Connection& connection, const config::Source& source,
                bool new_publication, const postgres::Interrupt& interrupt) {
  if (source.temporary) {
    print("slot: temporary, each run makes its own\n");
    return;
  }
  const auto slot = postgres::find_slot(connection, source.slot, interrupt);
  if (!slot) {
    postgres::ConnectOptions options = connection.options();
    options.replication = true;
    postgres::Connection replication(options, interrupt);
    postgres::SlotOptions wanted;
    wanted.name = source.slot;
    const auto on_waiting = [](std::string_view text) { print_error(text); };
    const postgres::CreatedSlot created =
        postgres::create_slot(replication, wanted, interrupt, on_waiting);
    print(fmt::format("slot {}: created at {}\n", source.slot,
                      base::format_lsn(created.consistent_point)));
    return;
  }
  if (slot->plugin != "pgoutput") {
    throw postgres::Refused(fmt::format(
        "slot {} is there but not for pgoutput; set another slot in [source]", source.slot));
  }
  if (slot->lost()) {
    throw postgres::Refused(fmt::format(
        "slot {} is there but has lost its WAL; run `walspout teardown`, then `setup` again",
        source.slot));
  }
  print(fmt::format("slot {}: is there already, confirmed up to {}\n", source.slot,
                    base::format_lsn(slot->confirmed_flush_lsn)));
  if (new_publication) {
    // The publication is looked up as of the change that is decoded.
    print(
        fmt::format("warning: slot {} is older than the publication, and what was written in "
                    "between cannot be decoded; run `walspout teardown`, then `setup` again\n",
                    source.slot));
  }
}

}  // namespace

int setup(const Arguments& arguments, StopSignal& stop) {
  const auto config = load_configuration(arguments.file);
  if (!config) return kUsage;
  // A half-done setup leaves orphans, so whatever would fail later is said before the first step.
  const postgres::Preflight source = look_at_source(*config, stop);
  if (!source.ok()) {
    print_findings(source.findings);
    print_error("nothing was created; mend what is wrong and run `walspout setup` again");
    return kSourceRefuses;
  }
  const postgres::Interrupt interrupt(stop.fd());
  postgres::ConnectOptions options;
  options.url = config->source.url;
  postgres::Connection connection(options, interrupt);
  // The publication first: a slot's changes are decoded with the publications of their time.
  const bool created = setup_publication(connection, config->source, interrupt);
  setup_slot(connection, config->source, created, interrupt);
  return kDone;
}

}  // namespace walspout::cli
