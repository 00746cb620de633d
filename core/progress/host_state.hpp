// The piece of the host's knowledge that a sink keeps with its position, and gives back at open:
// which source the position belongs to. Opaque to the sink; compared here, in one place.
//
// Text of the form "v1 system=7301… timeline=1 slot=walspout"; unknown words are kept for later
// versions to read, and an unknown version is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/lsn.hpp"

namespace walspout::progress {

struct HostState {
  std::string system_id;
  std::uint32_t timeline = 0;
  std::string slot;
};

std::string format_host_state(const HostState& state);
std::optional<HostState> parse_host_state(std::string_view text);

// The source as it is now.
struct SourceFacts {
  HostState identity;
  base::Lsn wal_end = 0;
  std::optional<base::Lsn> slot_confirmed;  // nothing: the slot does not exist
};

// Nothing when a sink that stored this position and state may go on from it; else one line that
// says what is missing and how to go on.
std::optional<std::string> refusal(std::string_view sink, base::Lsn position,
                                   std::string_view stored_state, const SourceFacts& source);

}  // namespace walspout::progress
