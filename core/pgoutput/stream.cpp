// Stream Start, Stream Commit and Stream Abort. Stream Stop is empty; Stream Prepare is with the
// other messages of two-phase commit.
#include "pgoutput/reader.hpp"

namespace walspout::pgoutput {

StreamStart read_stream_start(Reader& in) {
  constexpr std::uint8_t kFirst = 1;
  StreamStart message{};
  message.xid = in.u32();
  message.first_segment = in.flags(kFirst) == kFirst;
  return message;
}

StreamCommit read_stream_commit(Reader& in) {
  StreamCommit message{};
  message.xid = in.u32();
  in.flags(0);
  message.commit_lsn = in.lsn();
  message.end_lsn = in.lsn();
  message.commit_time_us = in.time_us();
  return message;
}

StreamAbort read_stream_abort(Reader& in, const Context& context) {
  StreamAbort message{};
  message.xid = in.u32();
  message.subxid = in.u32();
  if (context.parallel) {
    message.abort_lsn = in.lsn();
    message.abort_time_us = in.time_us();
  }
  return message;
}

}  // namespace walspout::pgoutput
