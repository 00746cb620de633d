// Who the source is, and how far its write-ahead log is.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/lsn.hpp"
#include "postgres/connection.hpp"

namespace walspout::postgres {

struct SystemIdentity {
  std::string system_id;  // decimal, of 64 bits: the cluster, the same on its standbys
  std::uint32_t timeline = 0;
  base::Lsn wal_flushed = 0;
  std::string database;
};

// Source: documentation, "Streaming Replication Protocol", IDENTIFY_SYSTEM.
SystemIdentity identify_system(Connection& replication, const Interrupt& interrupt = Interrupt());

// The timelines that lead to this one, each with the position at which the next one left it. None
// for timeline 1. Throws SqlError (58P01: the server has no history file any more).
// Source: documentation, "Streaming Replication Protocol", TIMELINE_HISTORY, and "Timelines".
using TimelineEnds = std::map<std::uint32_t, base::Lsn>;
TimelineEnds timeline_history(Connection& replication, std::uint32_t timeline,
                              const Interrupt& interrupt = Interrupt());
// The content of a history file: a line each, "1\t0/3000148\treason". Throws std::runtime_error.
TimelineEnds parse_timeline_history(std::string_view text);

// After which silence the server ends a walsender; 0 = never. Reads the connection's own value.
std::chrono::milliseconds wal_sender_timeout(Connection& conn,
                                             const Interrupt& interrupt = Interrupt());

bool is_in_recovery(Connection& ordinary, const Interrupt& interrupt = Interrupt());

// The end of what is written now; on a standby, of what is replayed.
base::Lsn current_wal_lsn(Connection& ordinary, const Interrupt& interrupt = Interrupt());

// Up to where the WAL is flushed; on a standby, replayed.
base::Lsn flushed_wal_lsn(Connection& ordinary, const Interrupt& interrupt = Interrupt());

// A position at which everything is contained that has committed before the call, and which the
// stream reaches without any further write. Waits, for a second or so at most, for asynchronous
// commits to be flushed.
base::Lsn committed_end(Connection& ordinary, const Interrupt& interrupt = Interrupt());

// pg_current_wal_insert_lsn() just behind a page header, where no record lies, means the page's
// start: a stream never reports more. Exposed for its test.
base::Lsn without_page_header(base::Lsn lsn, std::uint64_t segment_size,
                              std::uint64_t block_size = 8192);

}  // namespace walspout::postgres
