#include "control/status_json.hpp"

#include <fmt/format.h>

#include <ctime>
#include <walspout/json_text.hpp>

namespace walspout::control {
namespace {

std::string json(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

template <class T>
std::string or_null(const std::optional<T>& value) {
  return value ? std::to_string(*value) : "null";
}

std::string json_slot(const SlotStatus& slot) {
  return fmt::format(
      R"({{"name":{},"active":{},"wal_status":{},"retained_bytes":{},"safe_wal_bytes":{},)"
      R"("confirmed":{},"growth_bytes_per_second":{},"lost_in_seconds":{},"held_by":{}}})",
      json(slot.name), slot.active, json(slot.wal_status), slot.retained_bytes,
      or_null(slot.safe_bytes), json(base::format_lsn(slot.confirmed)), slot.growth,
      or_null(slot.lost_in_s), slot.held_by.empty() ? "null" : json(slot.held_by));
}

std::string json_sink(const SinkStatus& sink) {
  return fmt::format(
      R"({{"name":{},"plugin":{},"state":{},"position":{},"behind_bytes":{},"behind_seconds":{:.3f},)"
      R"("queue_bytes":{},"last_error":{},"last_error_at":{}}})",
      json(sink.name), json(sink.plugin), json(sink.state), json(base::format_lsn(sink.durable)),
      sink.behind_bytes, static_cast<double>(sink.behind_ms.value_or(0)) / 1000, sink.queue_bytes,
      sink.error.empty() ? "null" : json(sink.error),
      sink.error_at == 0 ? "null" : json(format_time(sink.error_at)));
}

}  // namespace

std::string format_time(std::int64_t unix_seconds) {
  const std::time_t at = unix_seconds;
  std::tm parts{};
  gmtime_r(&at, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string to_json(std::string_view pipeline, const std::optional<Status>& host,
                    const std::optional<SlotStatus>& slot, std::string_view slot_name,
                    std::string_view slot_error) {
  std::string out =
      fmt::format(R"({{"pipeline":{},"running":{})", json(pipeline), host.has_value());
  if (host) {
    out += fmt::format(
        R"(,"version":{},"pid":{},"up_seconds":{},"source":{},"received":{},"confirmed":{},)"
        R"("memory_used_bytes":{},"memory_bytes":{})",
        json(host->version), host->pid, host->up_seconds,
        json(host->streaming ? "streaming" : "connecting"), json(base::format_lsn(host->received)),
        json(base::format_lsn(host->confirmed)), host->memory_used, host->memory);
  }
  out += ",\"slot\":";
  if (!slot_error.empty())
    out += fmt::format(R"({{"name":{},"error":{}}})", json(slot_name), json(slot_error));
  else
    out += slot ? json_slot(*slot) : "null";
  out += ",\"sinks\":[";
  if (host)
    for (std::size_t i = 0; i < host->sinks.size(); ++i)
      out.append(i == 0 ? "" : ",").append(json_sink(host->sinks[i]));
  return out + "]}\n";
}

}  // namespace walspout::control
