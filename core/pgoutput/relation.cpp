// Relation and Type.
#include <new>

#include "pgoutput/reader.hpp"

namespace walspout::pgoutput {
namespace {

// Flags, an empty name's NUL, type oid, type modifier.
constexpr std::size_t kSmallestColumn = 1 + 1 + 4 + 4;

RelationColumn read_column(Reader& in) {
  constexpr std::uint8_t kKey = 1;
  RelationColumn column{};
  column.key = in.flags(kKey) == kKey;
  column.name = in.string();
  column.type_oid = in.u32();
  column.type_mod = in.i32();
  return column;
}

char read_replica_identity(Reader& in) {
  const std::size_t at = in.offset();
  const std::uint8_t value = in.u8();
  switch (value) {
    case 'd':
    case 'n':
    case 'f':
    case 'i':
      return static_cast<char>(value);
    default:
      in.fail_byte(at, "unknown replica identity", value);
  }
}

}  // namespace

Relation read_relation(Reader& in, const Context& context, base::Arena& arena) {
  Relation message{};
  message.xid = read_xid(in, context);
  message.oid = in.u32();
  message.schema = in.schema();
  message.name = in.string();
  message.replica_identity = read_replica_identity(in);
  const auto columns = arena.array<RelationColumn>(in.count<std::int16_t>(kSmallestColumn));
  for (RelationColumn& column : columns) new (&column) RelationColumn(read_column(in));
  message.columns = columns;
  return message;
}

Type read_type(Reader& in, const Context& context) {
  Type message{};
  message.xid = read_xid(in, context);
  message.oid = in.u32();
  message.schema = in.schema();
  message.name = in.string();
  return message;
}

}  // namespace walspout::pgoutput
