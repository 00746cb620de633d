#include "pgoutput/message.hpp"
#include "pgoutput/reader.hpp"

namespace walspout::pgoutput {
namespace {

Message read(Reader& in, const Context& context, base::Arena& arena) {
  switch (in.type()) {
    case 'I':
      return read_insert(in, context, arena);
    case 'U':
      return read_update(in, context, arena);
    case 'D':
      return read_delete(in, context, arena);
    case 'B':
      return read_begin(in);
    case 'C':
      return read_commit(in);
    case 'O':
      return read_origin(in);
    case 'R':
      return read_relation(in, context, arena);
    case 'Y':
      return read_type(in, context);
    case 'T':
      return read_truncate(in, context, arena);
    case 'M':
      return read_message(in, context);
    case 'S':
      return read_stream_start(in);
    case 'E':
      return StreamStop{};
    case 'c':
      return read_stream_commit(in);
    case 'A':
      return read_stream_abort(in, context);
    case 'b':
      return read_begin_prepare(in);
    case 'P':
      return read_prepare(in);
    case 'K':
      return read_commit_prepared(in);
    case 'r':
      return read_rollback_prepared(in);
    case 'p':
      return read_stream_prepare(in);
    default:
      in.fail(0, "no such message type in protocol 1 to 4");
  }
}

}  // namespace

Message decode(std::span<const std::byte> payload, const Context& context, base::Arena& arena) {
  Reader in(payload);
  try {
    Message message = read(in, context, arena);
    if (in.remaining() != 0) {
      in.fail(in.offset(), std::to_string(in.remaining()) + " bytes are left over");
    }
    return message;
  } catch (const base::Truncated&) {
    in.fail(in.offset(), "the message ends too early");
  }
}

}  // namespace walspout::pgoutput
