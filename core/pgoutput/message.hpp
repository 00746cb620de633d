// The messages of pgoutput, protocol 1 to 4, decoded from the payload of one XLogData each.
//
// Pure: no I/O, no state but what Context carries. All views point into the payload that decode()
// was given, or into the arena; rows are the ABI's own values, laid over the payload without
// copying it. Source: PostgreSQL documentation, "Logical Replication Message Formats".
#pragma once

#include <walspout/abi.h>

#include <cstddef>
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

// Everywhere below: times are microseconds since the Unix epoch (saturated where the server's would
// not fit), and the xid of a data message is 0 outside of a streamed block, where none is sent.

// Not streamed transactions arrive whole, in the order of their commits: Begin, data, Commit.
struct Begin {
  Lsn commit_lsn;  // of the commit record, as Commit repeats it; the position is Commit's end_lsn
  std::int64_t commit_time_us;
  std::uint32_t xid;
};
struct Commit {
  Lsn commit_lsn;
  Lsn end_lsn;  // first byte after the commit record: the transaction's position
  std::int64_t commit_time_us;
};
// Follows Begin or a transaction's first Stream Start when another server wrote the transaction.
// Carries no xid, not even inside of a streamed block.
struct Origin {
  Lsn lsn;  // of the commit on that server
  std::string_view name;
};
struct RelationColumn {
  bool key;  // part of the replica identity; under identity 'f' the server marks every column
  std::string_view name;
  std::uint32_t type_oid;
  std::int32_t type_mod;  // as pg_attribute.atttypmod; -1 = none
};
// Comes before the first row of a table in each session, again when its shape has changed, and in
// each streamed transaction by itself. There xid is that of the subtransaction whose row needed it
// first; when any part of the transaction aborts, the server sends it again before the next row.
struct Relation {
  std::uint32_t xid;
  std::uint32_t oid;
  std::string_view schema;  // "pg_catalog" is sent as an empty string, and is put back here
  std::string_view name;
  char replica_identity;  // 'd' 'n' 'f' 'i'
  std::span<const RelationColumn> columns;
};
// Names a type that is not built in, before the Relation that uses it. For a domain the oid is its
// own and the name that of its base type.
struct Type {
  std::uint32_t xid;
  std::uint32_t oid;
  std::string_view schema;  // as in Relation
  std::string_view name;
};

// One value per column. data of a text or binary value points into the payload, also when its size
// is 0, and is nullptr in the other states. A row of no columns is empty but not nullptr; only a
// row that was not sent is.
//
// WALSPOUT_NULL in an old key row may mean "not sent": the caller, who knows the relation, turns it
// into WALSPOUT_ABSENT.
using Row = std::span<walspout_value>;

enum class OldRow : char { kNone = 0, kKey = 'K', kFull = 'O' };

// In a streamed block xid is that of the subtransaction which made the change, the one that a
// Stream Abort names.
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
// One message for all tables of a TRUNCATE that the publication holds.
struct Truncate {
  std::uint32_t xid;
  bool cascade;
  bool restart_identity;
  std::span<const std::uint32_t> relation_oids;
};
// pg_logical_emit_message(). One that is not transactional comes at once, outside of Begin and
// Commit and of streamed blocks.
struct LogicalMessage {
  std::uint32_t xid;
  bool transactional;
  Lsn lsn;
  std::string_view prefix;
  std::string_view content;
};

// Blocks of a transaction that is still running, between Start and Stop; blocks of several
// transactions may take turns, and Begin ... Commit may stand between blocks, never inside of one.
struct StreamStart {
  std::uint32_t xid;  // of the top-level transaction
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
  std::uint32_t subxid;        // equal to xid when the whole transaction aborted
  Lsn abort_lsn;               // 0 unless the protocol is 4 with parallel streaming
  std::int64_t abort_time_us;  // likewise
};

// PREPARE TRANSACTION on a slot with two_phase: Begin Prepare, data, Prepare; or streamed blocks
// and Stream Prepare. Later, perhaps in another session: Commit Prepared or Rollback Prepared.
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

// The bytes are not a message of the protocol: one line that names the message type and the byte
// offset, and quotes no value of a row.
struct Malformed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Decodes one message. Views in the result point into payload, which must outlive it and is only
// read; rows and lists are allocated in arena, each as one piece, at most 16 bytes for each byte of
// payload whatever it claims. Throws Malformed, never anything else but bad_alloc; unknown flags
// and bytes left over at the end are malformed, too. Safe to call from several threads with an
// arena each.
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
