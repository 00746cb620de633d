#include "progress/host_state.hpp"

#include <charconv>

namespace walspout::progress {

std::string format_host_state(const HostState& state) {
  return "v1 system=" + state.system_id + " timeline=" + std::to_string(state.timeline) +
         " slot=" + state.slot;
}

std::optional<HostState> parse_host_state(std::string_view text) {
  if (!text.starts_with("v1 ")) return std::nullopt;
  HostState state;
  text.remove_prefix(3);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size() == text.size() ? word.size() : word.size() + 1);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    if (key == "system") state.system_id = value;
    if (key == "slot") state.slot = value;
    if (key == "timeline") {
      const auto parsed =
          std::from_chars(value.data(), value.data() + value.size(), state.timeline);
      if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size())
        return std::nullopt;
    }
  }
  return state;
}

std::optional<std::string> refusal(std::string_view sink, base::Lsn position,
                                   std::string_view stored_state, const SourceFacts& source) {
  const std::string who = "sink " + std::string(sink) + " stands at " + base::format_lsn(position);
  const std::string way_out = "; to copy everything anew, remove the sink's target and its state";
  if (!stored_state.empty()) {
    const auto stored = parse_host_state(stored_state);
    if (!stored)
      return who +
             " with a state that this version does not understand; use the version that wrote it" +
             way_out;
    if (stored->system_id != source.identity.system_id)
      return who + " of the cluster with system identifier " + stored->system_id +
             ", but the source is cluster " + source.identity.system_id +
             "; point [source] url to the old cluster" + way_out;
    if (stored->timeline > source.identity.timeline)
      return who + " on timeline " + std::to_string(stored->timeline) + ", but the source is on " +
             std::to_string(source.identity.timeline) + ": it is an older copy of the cluster" +
             way_out;
  }
  if (position > source.wal_end)
    return who + ", but the source has written only up to " + base::format_lsn(source.wal_end) +
           ": it was restored from a backup, or is another copy of the cluster" + way_out;
  if (!source.slot_confirmed)
    return who + ", but slot " + source.identity.slot +
           " does not exist any more: the changes since then are lost" + way_out;
  if (*source.slot_confirmed > position)
    return who + ", but slot " + source.identity.slot + " has moved past it to " +
           base::format_lsn(*source.slot_confirmed) + ": " +
           std::to_string(*source.slot_confirmed - position) + " bytes of WAL are missing" +
           way_out;
  return std::nullopt;
}

}  // namespace walspout::progress
