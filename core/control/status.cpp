#include "control/status.hpp"

#include <charconv>
#include <stdexcept>

#include "control/words.hpp"

namespace walspout::control {
namespace {

constexpr std::size_t kHostWords = 9, kSinkWords = 10;

template <class T>
T number(const std::string& word) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size())
    throw std::runtime_error("the host's status is not understood; it is of another version");
  return value;
}

}  // namespace

Reply to_reply(const Status& status) {
  Reply reply;
  reply.lines.push_back(encode_words(
      {"host", status.version, std::to_string(status.pid), std::to_string(status.up_seconds),
       status.streaming ? "streaming" : "connecting", base::format_lsn(status.received),
       base::format_lsn(status.confirmed), std::to_string(status.memory_used),
       std::to_string(status.memory)}));
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
      status.version = (*words)[1];
      status.pid = number<std::int64_t>((*words)[2]);
      status.up_seconds = number<std::int64_t>((*words)[3]);
      status.streaming = (*words)[4] == "streaming";
      status.received = base::parse_lsn((*words)[5]).value_or(0);
      status.confirmed = base::parse_lsn((*words)[6]).value_or(0);
      status.memory_used = number<std::uint64_t>((*words)[7]);
      status.memory = number<std::uint64_t>((*words)[8]);
    } else if (words && words->size() == kSinkWords && words->front() == "sink") {
      SinkStatus& sink = status.sinks.emplace_back();
      sink.name = (*words)[1];
      sink.plugin = (*words)[2];
      sink.state = (*words)[3];
      sink.durable = base::parse_lsn((*words)[4]).value_or(0);
      sink.behind_bytes = number<std::uint64_t>((*words)[5]);
      if ((*words)[6] != "-") sink.behind_ms = number<std::int64_t>((*words)[6]);
      sink.queue_bytes = number<std::uint64_t>((*words)[7]);
      sink.error = (*words)[8];
      sink.error_at = number<std::int64_t>((*words)[9]);
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
