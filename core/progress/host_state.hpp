// The piece of the host's knowledge that a sink keeps with its position, and gives back at open:
// which source the position belongs to, which tables are in step as of it, and how far copies are.
// Opaque to the sink; compared here, in one place.
//
// Text of the form "v1 system=7301… timeline=1 slot=walspout tables=16384:5f…"; unknown words are
// skipped, and an unknown version is refused.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/lsn.hpp"

namespace walspout::progress {

// A copy that is not complete.
struct CopyState {
  std::uint64_t copy_id = 0;
  std::uint64_t rows = 0;            // that were read and are durable
  std::uint64_t facts = 0;           // hash of what the catalogue said when it began
  std::string after;                 // the key up to which it is done, encoded; empty: it has begun
  std::vector<std::string> rereads;  // keys of rows to be read again
  bool operator==(const CopyState&) const = default;
};

struct HostState {
  std::string system_id;
  std::uint32_t timeline = 0;  // 0: not known, as of a standby, whose timeline may change any time
  std::string slot;
  // By oid: tables that the sink has whole, with the hash of what the catalogue said of them.
  // Nothing: all of them, as the sink gets no copies, or an older version stored the state.
  std::optional<std::map<std::uint32_t, std::uint64_t>> tables;
  std::map<std::uint32_t, CopyState> copies;
  std::set<std::uint32_t> stopped;  // tables that wait for the operator
  bool operator==(const HostState&) const = default;
};

std::string format_host_state(const HostState& state);
std::optional<HostState> parse_host_state(std::string_view text);

// The source as it is now.
struct SourceFacts {
  HostState identity;
  base::Lsn wal_end = 0;
  std::optional<base::Lsn> slot_confirmed;  // nothing: the slot does not exist
  // Timelines that lead to the present one, and where each ended.
  std::map<std::uint32_t, base::Lsn> timeline_ends = {};
};

// Nothing when this position of this timeline lies in the source's history too; else how the source
// differs, to go on with "the source ...".
std::optional<std::string> other_history(base::Lsn position, std::uint32_t timeline,
                                         const SourceFacts& source);

// Nothing when a sink that stored this position and state may go on from it; else what is missing,
// without the way out.
std::optional<std::string> refusal(std::string_view sink, base::Lsn position,
                                   std::string_view stored_state, const SourceFacts& source);

}  // namespace walspout::progress
