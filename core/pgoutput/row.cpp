// Insert, Update, Delete and Truncate: the hot path. One arena allocation a row, none a value.
#include "pgoutput/reader.hpp"

namespace walspout::pgoutput {
namespace {

// TupleData. A column takes one byte at least, its kind: this bounds what a lying count can make us
// allocate to 16 bytes for each byte received.
Row read_row(Reader& in, base::Arena& arena) {
  const Row row = arena.array<walspout_value>(in.count<std::int16_t>(1));
  for (walspout_value& value : row) {
    const std::size_t at = in.offset();
    const std::uint8_t kind = in.u8();
    switch (kind) {
      case 't':
      case 'b': {
        const auto bytes = in.sized_bytes();
        value = {bytes.data(),
                 static_cast<std::uint32_t>(bytes.size()),
                 static_cast<std::uint8_t>(kind == 't' ? WALSPOUT_TEXT : WALSPOUT_BINARY),
                 {}};
        break;
      }
      case 'n':
        value = {nullptr, 0, WALSPOUT_NULL, {}};
        break;
      case 'u':
        value = {nullptr, 0, WALSPOUT_UNCHANGED, {}};
        break;
      default:
        in.fail_byte(at, "unknown kind of column value", kind);
    }
  }
  return row;
}

}  // namespace

Insert read_insert(Reader& in, const Context& context, base::Arena& arena) {
  Insert message{};
  message.xid = read_xid(in, context);
  message.relation_oid = in.u32();
  const std::size_t at = in.offset();
  const std::uint8_t kind = in.u8();
  if (kind != 'N') in.fail_byte(at, "'N' and a new row expected, not", kind);
  message.new_row = read_row(in, arena);
  return message;
}

Update read_update(Reader& in, const Context& context, base::Arena& arena) {
  Update message{};
  message.xid = read_xid(in, context);
  message.relation_oid = in.u32();
  std::size_t at = in.offset();
  std::uint8_t kind = in.u8();
  if (kind == 'K' || kind == 'O') {
    message.old_kind = static_cast<OldRow>(kind);
    message.old_row = read_row(in, arena);
    at = in.offset();
    kind = in.u8();
    if (kind != 'N') in.fail_byte(at, "'N' and a new row expected, not", kind);
  } else if (kind != 'N') {
    in.fail_byte(at, "'K', 'O' or 'N' and a row expected, not", kind);
  }
  message.new_row = read_row(in, arena);
  return message;
}

Delete read_delete(Reader& in, const Context& context, base::Arena& arena) {
  Delete message{};
  message.xid = read_xid(in, context);
  message.relation_oid = in.u32();
  const std::size_t at = in.offset();
  const std::uint8_t kind = in.u8();
  if (kind != 'K' && kind != 'O') in.fail_byte(at, "'K' or 'O' and an old row expected, not", kind);
  message.old_kind = static_cast<OldRow>(kind);
  message.old_row = read_row(in, arena);
  return message;
}

Truncate read_truncate(Reader& in, const Context& context, base::Arena& arena) {
  constexpr std::uint8_t kCascade = 1;
  constexpr std::uint8_t kRestartIdentity = 2;
  Truncate message{};
  message.xid = read_xid(in, context);
  // The flags stand between the count and the oids; a count that fits only with them is caught by
  // the last oid.
  const std::size_t count = in.count<std::int32_t>(sizeof(std::uint32_t));
  const std::uint8_t flags = in.flags(kCascade | kRestartIdentity);
  message.cascade = (flags & kCascade) != 0;
  message.restart_identity = (flags & kRestartIdentity) != 0;
  const auto oids = arena.array<std::uint32_t>(count);
  for (std::uint32_t& oid : oids) oid = in.u32();
  message.relation_oids = oids;
  return message;
}

}  // namespace walspout::pgoutput
