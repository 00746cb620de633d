#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <string>
#include <walspout/json_text.hpp>

#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/verbs.hpp"
#include "control/client.hpp"
#include "control/status.hpp"
#include "pipeline/source.hpp"
#include "postgres/identify.hpp"
#include "postgres/interrupt.hpp"
#include "postgres/slot.hpp"

namespace walspout::cli {
namespace {

// What is asked of the source itself: a host that is away cannot tell how much WAL its slot keeps.
struct Slot {
  std::optional<postgres::SlotInfo> info;
  base::Lsn written = 0;  // the end of the server's WAL
  std::string error;      // instead, when the source could not be asked
};

Slot ask_source(const config::Config& config, const postgres::Interrupt& interrupt) {
  Slot slot;
  try {
    const auto connection = connect_ordinary(config, interrupt);
    slot.info = postgres::find_slot(*connection, config.source.slot, interrupt);
    slot.written = postgres::flushed_wal_lsn(*connection, interrupt);
  } catch (const std::runtime_error& error) {
    slot.error = error.what();
  }
  return slot;
}

std::uint64_t retained(const Slot& slot) {
  return slot.written > slot.info->restart_lsn ? slot.written - slot.info->restart_lsn : 0;
}

std::string size(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit < 4; ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string time_of(std::int64_t unix_seconds) {
  const std::time_t at = unix_seconds;
  std::tm parts{};
  gmtime_r(&at, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string json(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

std::string json_slot(const config::Config& config, const Slot& slot) {
  if (!slot.error.empty())
    return fmt::format(R"({{"name":{},"error":{}}})", json(config.source.slot), json(slot.error));
  if (!slot.info) return "null";
  return fmt::format(
      R"({{"name":{},"active":{},"wal_status":{},"retained_bytes":{},"safe_wal_bytes":{},"confirmed":{}}})",
      json(slot.info->name), slot.info->active, json(slot.info->wal_status), retained(slot),
      slot.info->safe_wal_size ? std::to_string(*slot.info->safe_wal_size) : "null",
      json(base::format_lsn(slot.info->confirmed_flush_lsn)));
}

std::string json_sink(const control::SinkStatus& sink) {
  return fmt::format(
      R"({{"name":{},"plugin":{},"state":{},"position":{},"behind_bytes":{},"behind_seconds":{:.3f},)"
      R"("queue_bytes":{},"last_error":{},"last_error_at":{}}})",
      json(sink.name), json(sink.plugin), json(sink.state), json(base::format_lsn(sink.durable)),
      sink.behind_bytes, static_cast<double>(sink.behind_ms.value_or(0)) / 1000, sink.queue_bytes,
      sink.error.empty() ? "null" : json(sink.error),
      sink.error_at == 0 ? "null" : json(time_of(sink.error_at)));
}

void print_json(const config::Config& config, const std::optional<control::Status>& host,
                const Slot& slot) {
  std::string out =
      fmt::format(R"({{"pipeline":{},"running":{})", json(config.host.name), host.has_value());
  if (host) {
    out += fmt::format(
        R"(,"version":{},"pid":{},"up_seconds":{},"source":{},"received":{},"confirmed":{},)"
        R"("memory_used_bytes":{},"memory_bytes":{})",
        json(host->version), host->pid, host->up_seconds,
        json(host->streaming ? "streaming" : "connecting"), json(base::format_lsn(host->received)),
        json(base::format_lsn(host->confirmed)), host->memory_used, host->memory);
  }
  out += ",\"slot\":" + json_slot(config, slot) + ",\"sinks\":[";
  if (host)
    for (std::size_t i = 0; i < host->sinks.size(); ++i)
      out += (i == 0 ? "" : ",") + json_sink(host->sinks[i]);
  print(out + "]}\n");
}

void print_slot(const config::Config& config, const Slot& slot) {
  std::string what;
  if (!slot.error.empty()) {
    what = "unknown: " + slot.error;
  } else if (!slot.info) {
    what = "does not exist";
  } else {
    what = fmt::format("{}, {} of WAL retained", slot.info->wal_status, size(retained(slot)));
    if (slot.info->safe_wal_size)
      what += fmt::format(
          ", lost after {} more",
          size(static_cast<std::uint64_t>(std::max<std::int64_t>(*slot.info->safe_wal_size, 0))));
    what += slot.info->active ? ", in use" : ", not in use";
  }
  print(fmt::format("slot      {}: {}\n", printable(config.source.slot), printable(what)));
}

void print_host(const config::Config& config, const control::Status& host) {
  print(fmt::format("pipeline  {}: {}, walspout {}, process {}, up {} s, {} of {} memory\n",
                    printable(config.host.name), host.streaming ? "streaming" : "connecting",
                    printable(host.version), host.pid, host.up_seconds, size(host.memory_used),
                    size(host.memory)));
  print(fmt::format("source    received {}, confirmed {}\n", base::format_lsn(host.received),
                    base::format_lsn(host.confirmed)));
}

void print_sinks(const control::Status& host) {
  std::vector<std::vector<std::string>> rows = {
      {"sink", "plugin", "state", "behind", "queue", "position", "last error"}};
  for (const control::SinkStatus& sink : host.sinks) {
    rows.push_back(
        {printable(sink.name), printable(sink.plugin), sink.state,
         fmt::format("{}, {:.1f} s", size(sink.behind_bytes),
                     static_cast<double>(sink.behind_ms.value_or(0)) / 1000),
         size(sink.queue_bytes), base::format_lsn(sink.durable),
         sink.error.empty() ? "-" : time_of(sink.error_at) + " " + printable(sink.error)});
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
  const Slot slot = ask_source(*config, postgres::Interrupt(stop.fd()));
  if (arguments.json) {
    print_json(*config, host, slot);
  } else {
    if (host) print_host(*config, *host);
    print_slot(*config, slot);
    if (host) print_sinks(*host);
  }
  if (!away.empty()) print_error(away);
  return host ? kDone : kFailed;
}

}  // namespace walspout::cli
