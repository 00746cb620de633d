// The messages of pgoutput, protocol 1 to 4, decoded from the payload of one XLogData each.
//
// Pure: no I/O, no state but what Context carries. All views point into the payload that decode()
// was given, or into the arena; rows are the ABI's own values, laid over the payload without
// copying it. Source: PostgreSQL documentation, "Logical Replication Message Formats".
#pragma once

#include <walspout/abi.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "base/arena.hpp"
#include "base/lsn.hpp"

namespace walspout::pgoutput {

using base::Lsn;

// Times are microseconds since the Unix epoch. xid is 0 where the message carries none (outside of
// a streamed block).
struct Begin {
  Lsn commit_lsn;
  std::int64_t commit_time_us;
  std::uint32_t xid;
};
struct Commit {
  Lsn commit_lsn;
  Lsn end_lsn;
  std::int64_t commit_time_us;
};
struct Origin {
  Lsn lsn;
  std::string_view name;
};
struct RelationColumn {
  bool key;
  std::string_view name;
  std::uint32_t type_oid;
  std::int32_t type_mod;
};
struct Relation {
  std::uint32_t xid;
  std::uint32_t oid;
  std::string_view schema;  // "pg_catalog" is sent as an empty string, and is put back here
  std::string_view name;
  char replica_identity;  // 'd' 'n' 'f' 'i'
  std::span<const RelationColumn> columns;
};
struct Type {
  std::uint32_t xid;
  std::uint32_t oid;
  std::string_view schema;
  std::string_view name;
};

// One value per column. WALSPOUT_NULL in an old key row may mean "not sent": the caller, who knows
// the relation, turns it into WALSPOUT_ABSENT.
using Row = std::span<walspout_value>;

enum class OldRow : char { kNone = 0, kKey = 'K', kFull = 'O' };

struct Insert {
  std::uint32_t xid;
  std::uint32_t relation_oid;
  Row new_row;
};
struct Update {
  std::uint32_t xid;
  std::uint32_t relation_oid;
  OldRow old_kind;
  Row old_row;
  Row new_row;
};
struct Delete {
  std::uint32_t xid;
  std::uint32_t relation_oid;
  OldRow old_kind;
  Row old_row;
};
struct Truncate {
  std::uint32_t xid;
  bool cascade;
  bool restart_identity;
  std::span<const std::uint32_t> relation_oids;
};
struct LogicalMessage {
  std::uint32_t xid;
  bool transactional;
  Lsn lsn;
  std::string_view prefix;
  std::string_view content;
};

struct StreamStart {
  std::uint32_t xid;
  bool first_segment;
};
struct StreamStop {};
struct StreamCommit {
  std::uint32_t xid;
  Lsn commit_lsn;
  Lsn end_lsn;
  std::int64_t commit_time_us;
};
struct StreamAbort {
  std::uint32_t xid;
  std::uint32_t subxid;
  Lsn abort_lsn;               // 0 unless the protocol is 4 with parallel streaming
  std::int64_t abort_time_us;  // likewise
};

struct BeginPrepare {
  Lsn prepare_lsn;
  Lsn end_lsn;
  std::int64_t prepare_time_us;
  std::uint32_t xid;
  std::string_view gid;
};
struct Prepare {
  Lsn prepare_lsn;
  Lsn end_lsn;
  std::int64_t prepare_time_us;
  std::uint32_t xid;
  std::string_view gid;
};
struct CommitPrepared {
  Lsn commit_lsn;
  Lsn end_lsn;
  std::int64_t commit_time_us;
  std::uint32_t xid;
  std::string_view gid;
};
struct RollbackPrepared {
  Lsn prepare_end_lsn;
  Lsn rollback_end_lsn;
  std::int64_t prepare_time_us;
  std::int64_t rollback_time_us;
  std::uint32_t xid;
  std::string_view gid;
};
struct StreamPrepare {
  Lsn prepare_lsn;
  Lsn end_lsn;
  std::int64_t prepare_time_us;
  std::uint32_t xid;
  std::string_view gid;
};

using Message =
    std::variant<Begin, Commit, Origin, Relation, Type, Insert, Update, Delete, Truncate,
                 LogicalMessage, StreamStart, StreamStop, StreamCommit, StreamAbort, BeginPrepare,
                 Prepare, CommitPrepared, RollbackPrepared, StreamPrepare>;

// What the decoder must know of the stream so far.
struct Context {
  bool in_stream = false;  // between Stream Start and Stream Stop: data messages carry an xid
  bool parallel = false;  // protocol 4 with streaming = parallel: Stream Abort carries LSN and time
};

// The bytes are not a message of the protocol: names the message type and the byte offset.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Decodes one message. payload must outlive the result (and be writable memory of the caller's
// choice: it is only read). Rows and lists are allocated in arena. Throws Malformed, never anything
// else but bad_alloc; bytes left over at the end are malformed, too.
Message decode(std::span<const std::byte> payload, const Context& context, base::Arena& arena);

// True for the messages whose views must outlive the call that delivers them (Insert, Update,
// Delete, Truncate, Message): the caller copies their payload into the chunk's arena before it
// decodes.
inline bool carries_data(std::byte type) {
  switch (static_cast<char>(type)) {
    case 'I':
    case 'U':
    case 'D':
    case 'T':
    case 'M':
      return true;
    default:
      return false;
  }
}

}  // namespace walspout::pgoutput
