// The messages of PREPARE TRANSACTION, protocol 3: Begin Prepare, Prepare, Commit Prepared,
// Rollback Prepared and Stream Prepare.
#include "pgoutput/reader.hpp"

namespace walspout::pgoutput {
namespace {

// What Begin Prepare, Prepare and Stream Prepare have in common.
template <class T>
T read_prepared(Reader& in) {
  T message{};
  message.prepare_lsn = in.lsn();
  message.end_lsn = in.lsn();
  message.prepare_time_us = in.time_us();
  message.xid = in.u32();
  message.gid = in.string();
  return message;
}

}  // namespace

BeginPrepare read_begin_prepare(Reader& in) { return read_prepared<BeginPrepare>(in); }

Prepare read_prepare(Reader& in) {
  in.flags(0);
  return read_prepared<Prepare>(in);
}

StreamPrepare read_stream_prepare(Reader& in) {
  in.flags(0);
  return read_prepared<StreamPrepare>(in);
}

CommitPrepared read_commit_prepared(Reader& in) {
  CommitPrepared message{};
  in.flags(0);
  message.commit_lsn = in.lsn();
  message.end_lsn = in.lsn();
  message.commit_time_us = in.time_us();
  message.xid = in.u32();
  message.gid = in.string();
  return message;
}

RollbackPrepared read_rollback_prepared(Reader& in) {
  RollbackPrepared message{};
  in.flags(0);
  message.prepare_end_lsn = in.lsn();
  message.rollback_end_lsn = in.lsn();
  message.prepare_time_us = in.time_us();
  message.rollback_time_us = in.time_us();
  message.xid = in.u32();
  message.gid = in.string();
  return message;
}

}  // namespace walspout::pgoutput
