// Internal to pgoutput/: one message as a cursor over its payload. Adds to the bounds-checked
// ByteReader what the messages share (positions, times, strings, flags, counts) and the one way to
// say that they are malformed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_reader.hpp"
#include "pgoutput/message.hpp"

namespace walspout::pgoutput {

class Reader : public base::ByteReader {
 public:
  // Starts behind the type byte. Throws Malformed when there is none.
  explicit Reader(std::span<const std::byte> payload);

  char type() const { return type_; }

  Lsn lsn() { return u64(); }

  // Microseconds since 2000-01-01 UTC on the wire, since 1970-01-01 UTC here. Saturates: a time
  // orders nothing, and a server with an absurd clock must not end the pipeline.
  std::int64_t time_us() {
    const std::int64_t wire = i64();
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    return wire > kMax - kPostgresEpochUs ? kMax : wire + kPostgresEpochUs;
  }

  // Up to the NUL, which is consumed; the view points into the payload.
  std::string_view string();

  // A schema's name: the server sends "pg_catalog" as an empty string.
  std::string_view schema();

  // A byte of which only the bits of `known` may be set.
  std::uint8_t flags(std::uint8_t known);

  // A number of items, each of which takes at least item_size bytes of what is left of the message:
  // checked here, before anything is allocated by it.
  template <class T>
  std::size_t count(std::size_t item_size) {
    const std::size_t at = offset();
    const T value = number<T>();
    if (value < 0 || static_cast<std::size_t>(value) > remaining() / item_size) [[unlikely]] {
      fail_count(at, value);
    }
    return static_cast<std::size_t>(value);
  }

  // A length of Int32 with as many bytes behind it.
  std::span<const std::byte> sized_bytes() { return bytes(count<std::int32_t>(1)); }

  // Throws Malformed for the byte at `at`, counted from the type byte, which is 0. `what` must not
  // quote a row's values: they may be secret.
  [[noreturn]] void fail(std::size_t at, std::string_view what) const;

  // The same for a byte that is none of those that may stand there.
  [[noreturn]] void fail_byte(std::size_t at, std::string_view what, std::uint8_t byte) const;

 private:
  static constexpr std::int64_t kPostgresEpochUs = 946'684'800'000'000;

  [[noreturn]] void fail_count(std::size_t at, std::int64_t value) const;

  std::size_t size_;
  char type_;
};

// One function per message type, each behind the type byte. They may throw base::Truncated as well
// as Malformed, and leave it to decode() to look for bytes that are left over.

// transaction.cpp
Begin read_begin(Reader& in);
Commit read_commit(Reader& in);
Origin read_origin(Reader& in);
LogicalMessage read_message(Reader& in, const Context& context);

// relation.cpp
Relation read_relation(Reader& in, const Context& context, base::Arena& arena);
Type read_type(Reader& in, const Context& context);

// row.cpp
Insert read_insert(Reader& in, const Context& context, base::Arena& arena);
Update read_update(Reader& in, const Context& context, base::Arena& arena);
Delete read_delete(Reader& in, const Context& context, base::Arena& arena);
Truncate read_truncate(Reader& in, const Context& context, base::Arena& arena);

// stream.cpp
StreamStart read_stream_start(Reader& in);
StreamCommit read_stream_commit(Reader& in);
StreamAbort read_stream_abort(Reader& in, const Context& context);

// two_phase.cpp
BeginPrepare read_begin_prepare(Reader& in);
Prepare read_prepare(Reader& in);
CommitPrepared read_commit_prepared(Reader& in);
RollbackPrepared read_rollback_prepared(Reader& in);
StreamPrepare read_stream_prepare(Reader& in);

// Data messages carry the transaction's id only inside of a streamed block.
inline std::uint32_t read_xid(Reader& in, const Context& context) {
  return context.in_stream ? in.u32() : 0;
}

}  // namespace walspout::pgoutput
