#include "control/status.hpp"

#include <charconv>
#include <stdexcept>

#include "control/words.hpp"

namespace walspout::control {
namespace {

constexpr std::size_t kHostWords = 9, kSlotWords = 10, kSinkWords = 10;

template <class T>
T number(const std::string& word) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size())
    throw std::runtime_error("the host's status is not understood; it is of another version");
  return value;
}

void take_host(const std::vector<std::string>& words, Status& status) {
  status.version = words[1];
  status.pid = number<std::int64_t>(words[2]);
  status.up_seconds = number<std::int64_t>(words[3]);
  status.streaming = words[4] == "streaming";
  status.received = base::parse_lsn(words[5]).value_or(0);
  status.confirmed = base::parse_lsn(words[6]).value_or(0);
  status.memory_used = number<std::uint64_t>(words[7]);
  status.memory = number<std::uint64_t>(words[8]);
}

SinkStatus parse_sink(const std::vector<std::string>& words) {
  SinkStatus sink;
  sink.name = words[1];
  sink.plugin = words[2];
  sink.state = words[3];
  sink.durable = base::parse_lsn(words[4]).value_or(0);
  sink.behind_bytes = number<std::uint64_t>(words[5]);
  if (words[6] != "-") sink.behind_ms = number<std::int64_t>(words[6]);
  sink.queue_bytes = number<std::uint64_t>(words[7]);
  sink.error = words[8];
  sink.error_at = number<std::int64_t>(words[9]);
  return sink;
}

SlotStatus parse_slot(const std::vector<std::string>& words) {
  SlotStatus slot;
  slot.name = words[1];
  slot.wal_status = words[2];
  slot.active = words[3] == "active";
  slot.confirmed = base::parse_lsn(words[4]).value_or(0);
  slot.retained_bytes = number<std::uint64_t>(words[5]);
  if (words[6] != "-") slot.safe_bytes = number<std::int64_t>(words[6]);
  slot.growth = number<std::uint64_t>(words[7]);
  if (words[8] != "-") slot.lost_in_s = number<std::int64_t>(words[8]);
  slot.held_by = words[9];
  return slot;
}

}  // namespace

Reply to_reply(const Status& status) {
  Reply reply;
  reply.lines.push_back(encode_words(
      {"host", status.version, std::to_string(status.pid), std::to_string(status.up_seconds),
       status.streaming ? "streaming" : "connecting", base::format_lsn(status.received),
       base::format_lsn(status.confirmed), std::to_string(status.memory_used),
       std::to_string(status.memory)}));
  if (const auto& slot = status.slot) {
    reply.lines.push_back(encode_words(
        {"slot", slot->name, slot->wal_status, slot->active ? "active" : "idle",
         base::format_lsn(slot->confirmed), std::to_string(slot->retained_bytes),
         slot->safe_bytes ? std::to_string(*slot->safe_bytes) : "-", std::to_string(slot->growth),
         slot->lost_in_s ? std::to_string(*slot->lost_in_s) : "-", slot->held_by}));
  }
  for (const SinkStatus& sink : status.sinks) {
    reply.lines.push_back(encode_words(
        {"sink", sink.name, sink.plugin, sink.state, base::format_lsn(sink.durable),
         std::to_string(sink.behind_bytes), sink.behind_ms ? std::to_string(*sink.behind_ms) : "-",
         std::to_string(sink.queue_bytes), sink.error, std::to_string(sink.error_at)}));
  }
  return reply;
}

Status parse_status(const Reply& reply) {
  Status status;
  bool host = false;
  for (const std::string& line : reply.lines) {
    const auto words = decode_words(line);
    if (words && words->size() == kHostWords && words->front() == "host") {
      host = true;
      take_host(*words, status);
    } else if (words && words->size() == kSlotWords && words->front() == "slot") {
      status.slot = parse_slot(*words);
    } else if (words && words->size() == kSinkWords && words->front() == "sink") {
      status.sinks.push_back(parse_sink(*words));
    } else {
      host = false;
      break;
    }
  }
  if (!host)
    throw std::runtime_error("the host's status is not understood; it is of another version");
  return status;
}

}  // namespace walspout::control
