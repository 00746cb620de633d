// Begin, Commit, Origin and Message.
#include "pgoutput/reader.hpp"

namespace walspout::pgoutput {

Begin read_begin(Reader& in) {
  Begin message{};
  message.commit_lsn = in.lsn();
  message.commit_time_us = in.time_us();
  message.xid = in.u32();
  return message;
}

Commit read_commit(Reader& in) {
  Commit message{};
  in.flags(0);
  message.commit_lsn = in.lsn();
  message.end_lsn = in.lsn();
  message.commit_time_us = in.time_us();
  return message;
}

Origin read_origin(Reader& in) {
  // No xid, not even inside of a streamed block.
  Origin message{};
  message.lsn = in.lsn();
  message.name = in.string();
  return message;
}

LogicalMessage read_message(Reader& in, const Context& context) {
  constexpr std::uint8_t kTransactional = 1;
  LogicalMessage message{};
  message.xid = read_xid(in, context);
  message.transactional = in.flags(kTransactional) == kTransactional;
  message.lsn = in.lsn();
  message.prefix = in.string();
  const auto content = in.sized_bytes();
  message.content = {reinterpret_cast<const char*>(content.data()), content.size()};
  return message;
}

}  // namespace walspout::pgoutput
