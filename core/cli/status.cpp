#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/units.hpp"
#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/verbs.hpp"
#include "control/client.hpp"
#include "control/status.hpp"
#include "control/status_json.hpp"
#include "pipeline/slot_status.hpp"
#include "pipeline/source.hpp"
#include "postgres/identify.hpp"
#include "postgres/interrupt.hpp"
#include "postgres/slot.hpp"

namespace walspout::cli {
namespace {

// What is asked of the source itself: a host that is away cannot tell how much WAL its slot keeps.
struct Slot {
  std::optional<control::SlotStatus> info;
  std::string error;  // instead, when the source could not be asked
};

Slot ask_source(const config::Config& config, const postgres::Interrupt& interrupt) {
  Slot slot;
  try {
    const auto connection = connect_ordinary(config, interrupt);
    const auto info = postgres::find_slot(*connection, config.source.slot, interrupt);
    if (info) slot.info = slot_status(*info, postgres::flushed_wal_lsn(*connection, interrupt));
  } catch (const std::runtime_error& error) {
    slot.error = error.what();
  }
  return slot;
}

// What takes longer to see than one look.
void take_outlook(const control::Status& host, Slot& slot) {
  if (!slot.info || !host.slot || host.slot->name != slot.info->name) return;
  slot.info->growth = host.slot->growth;
  slot.info->lost_in_s = host.slot->lost_in_s;
  slot.info->held_by = host.slot->held_by;
}

void print_slot(const config::Config& config, const Slot& slot) {
  std::string what;
  if (!slot.error.empty())
    what = "unknown: " + slot.error;
  else
    what = slot.info ? describe(*slot.info) : "does not exist";
  print(fmt::format("slot      {}: {}\n", printable(config.source.slot), printable(what)));
}

void print_host(const config::Config& config, const control::Status& host) {
  print(fmt::format("pipeline  {}: {}, walspout {}, process {}, up {} s, {} of {} memory\n",
                    printable(config.host.name), host.streaming ? "streaming" : "connecting",
                    printable(host.version), host.pid, host.up_seconds,
                    base::format_bytes(host.memory_used), base::format_bytes(host.memory)));
  print(fmt::format("source    received {}, confirmed {}\n", base::format_lsn(host.received),
                    base::format_lsn(host.confirmed)));
}

void print_sinks(const control::Status& host) {
  std::vector<std::vector<std::string>> rows = {
      {"sink", "plugin", "state", "behind", "queue", "position", "last error"}};
  for (const control::SinkStatus& sink : host.sinks) {
    rows.push_back({printable(sink.name), printable(sink.plugin), sink.state,
                    fmt::format("{}, {:.1f} s", base::format_bytes(sink.behind_bytes),
                                static_cast<double>(sink.behind_ms.value_or(0)) / 1000),
                    base::format_bytes(sink.queue_bytes), base::format_lsn(sink.durable),
                    sink.error.empty()
                        ? "-"
                        : control::format_time(sink.error_at) + " " + printable(sink.error)});
  }
  print('\n' + columns(rows));
}

}  // namespace

int status(const Arguments& arguments, StopSignal& stop) {
  const auto config = load_configuration(arguments.file);
  if (!config) return kUsage;
  std::optional<control::Status> host;
  std::string away;
  try {
    const control::Reply reply = control::Client::call(config->state.directory, {"status"});
    if (!reply.ok)
      throw std::runtime_error(reply.lines.empty() ? "the host does not tell" : reply.lines[0]);
    host = control::parse_status(reply);
  } catch (const control::NoHost&) {
    away = "no host runs with " + printable(config->file) + "; start it with `walspout run " +
           printable(config->file) + "`";
  }
  Slot slot = ask_source(*config, postgres::Interrupt(stop.fd()));
  if (host) take_outlook(*host, slot);
  if (arguments.json) {
    print(control::to_json(config->host.name, host, slot.info, config->source.slot, slot.error));
  } else {
    if (host) print_host(*config, *host);
    print_slot(*config, slot);
    if (host) print_sinks(*host);
  }
  if (!away.empty()) print_error(away);
  return host ? kDone : kFailed;
}

}  // namespace walspout::cli
