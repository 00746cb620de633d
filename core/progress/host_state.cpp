#include "progress/host_state.hpp"

#include <charconv>

namespace walspout::progress {
namespace {

std::string hex(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

template <class Number>
bool parse_number(std::string_view text, Number& number, int base = 10) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

std::optional<std::string> unhex(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned char byte = 0;
    if (!parse_number(text.substr(i, 2), byte, 16) || i + 2 > text.size()) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

std::string hex(std::uint64_t number) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
  return {digits, end};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

// "16384:5f3a,16390:77"
bool parse_tables(std::string_view value, HostState& state) {
  state.tables.emplace();
  for (const std::string_view entry : split(value, ',')) {
    const auto parts = split(entry, ':');
    std::uint32_t oid = 0;
    std::uint64_t facts = 0;
    if (parts.size() != 2 || !parse_number(parts[0], oid) || !parse_number(parts[1], facts, 16))
      return false;
    state.tables->emplace(oid, facts);
  }
  return true;
}

// "oid:copy id:rows:facts:key[:key to read again]..."
bool parse_copy(std::string_view value, HostState& state) {
  const auto parts = split(value, ':');
  CopyState copy;
  std::uint32_t oid = 0;
  if (parts.size() < 4 || !parse_number(parts[0], oid) || !parse_number(parts[1], copy.copy_id) ||
      !parse_number(parts[2], copy.rows) || !parse_number(parts[3], copy.facts, 16))
    return false;
  for (std::size_t i = 4; i < parts.size(); ++i) {
    auto key = unhex(parts[i]);
    if (!key) return false;
    if (i == 4) {
      copy.after = std::move(*key);
    } else {
      copy.rereads.push_back(std::move(*key));
    }
  }
  state.copies.emplace(oid, std::move(copy));
  return true;
}

bool parse_stopped(std::string_view value, HostState& state) {
  for (const std::string_view entry : split(value, ',')) {
    std::uint32_t oid = 0;
    if (!parse_number(entry, oid)) return false;
    state.stopped.insert(oid);
  }
  return true;
}

bool parse_word(std::string_view key, std::string_view value, HostState& state) {
  if (key == "system") state.system_id = value;
  if (key == "slot") state.slot = value;
  if (key == "timeline") return parse_number(value, state.timeline);
  if (key == "tables") return parse_tables(value, state);
  if (key == "copy") return parse_copy(value, state);
  if (key == "stopped") return parse_stopped(value, state);
  return true;
}

}  // namespace

std::string format_host_state(const HostState& state) {
  std::string text = "v1 system=" + state.system_id +
                     " timeline=" + std::to_string(state.timeline) + " slot=" + state.slot;
  if (state.tables) {
    text += " tables=";
    for (const auto& [oid, facts] : *state.tables)
      text += (text.back() == '=' ? "" : ",") + std::to_string(oid) + ':' + hex(facts);
  }
  for (const auto& [oid, copy] : state.copies) {
    text += " copy=" + std::to_string(oid) + ':' + std::to_string(copy.copy_id) + ':' +
            std::to_string(copy.rows) + ':' + hex(copy.facts) + ':' + hex(copy.after);
    for (const std::string& key : copy.rereads) text += ':' + hex(key);
  }
  if (!state.stopped.empty()) {
    text += " stopped=";
    for (const std::uint32_t oid : state.stopped)
      text += (text.back() == '=' ? "" : ",") + std::to_string(oid);
  }
  return text;
}

std::optional<HostState> parse_host_state(std::string_view text) {
  if (!text.starts_with("v1 ")) return std::nullopt;
  HostState state;
  for (const std::string_view word : split(text.substr(3), ' ')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    if (!parse_word(word.substr(0, equals), word.substr(equals + 1), state)) return std::nullopt;
  }
  return state;
}

std::optional<std::string> other_history(base::Lsn position, std::uint32_t timeline,
                                         const SourceFacts& source) {
  const std::uint32_t now = source.identity.timeline;
  if (timeline == 0 || now == 0 || timeline == now) return std::nullopt;
  const auto end = source.timeline_ends.find(timeline);
  if (end == source.timeline_ends.end())
    return "the source is on timeline " + std::to_string(now) +
           ", whose history does not contain timeline " + std::to_string(timeline) +
           ": it was restored from a backup, or is another copy of the cluster";
  if (position > end->second)
    return "the source left timeline " + std::to_string(timeline) + " at " +
           base::format_lsn(end->second) + " for timeline " + std::to_string(now) +
           ": it is a copy of the cluster, or a backup of it, that lacks what came after";
  return std::nullopt;
}

std::optional<std::string> refusal(std::string_view sink, base::Lsn position,
                                   std::string_view stored_state, const SourceFacts& source) {
  const std::string who = "sink " + std::string(sink) + " stands at " + base::format_lsn(position);
  if (!stored_state.empty()) {
    const auto stored = parse_host_state(stored_state);
    if (!stored)
      return who +
             " with a state that this version does not understand; use the version that wrote it";
    if (stored->system_id != source.identity.system_id)
      return who + " of the cluster with system identifier " + stored->system_id +
             ", but the source is cluster " + source.identity.system_id +
             "; point [source] url to the old cluster";
    if (const auto differs = other_history(position, stored->timeline, source))
      return who + " on timeline " + std::to_string(stored->timeline) + ", but " + *differs;
  }
  if (position > source.wal_end)
    return who + ", but the source has written only up to " + base::format_lsn(source.wal_end) +
           ": it was restored from a backup, or is another copy of the cluster";
  if (!source.slot_confirmed)
    return who + ", but slot " + source.identity.slot +
           " does not exist any more: the changes since then are lost";
  if (*source.slot_confirmed > position)
    return who + ", but slot " + source.identity.slot + " has moved past it to " +
           base::format_lsn(*source.slot_confirmed) + ": " +
           std::to_string(*source.slot_confirmed - position) + " bytes of WAL are missing";
  return std::nullopt;
}

}  // namespace walspout::progress
