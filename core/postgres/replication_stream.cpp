#include "postgres/replication_stream.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <array>

#include "log/log.hpp"
#include "postgres/command.hpp"
#include "postgres/quote.hpp"

namespace walspout::postgres {

namespace {

constexpr std::int64_t kEpochShiftUs = 946'684'800LL * 1'000'000;  // 2000-01-01 to Unix

std::string start_command(const StreamOptions& options) {
  std::string sql =
      fmt::format("START_REPLICATION SLOT {} LOGICAL {} (proto_version '{}', publication_names {}",
                  quote_identifier(options.slot), base::format_lsn(options.start), options.protocol,
                  quote_publication_names(options.publications));
  if (options.streaming) sql += ", streaming 'on'";
  if (options.binary) sql += ", binary 'true'";
  if (options.messages) sql += ", messages 'true'";
  if (options.two_phase) sql += ", two_phase 'on'";
  if (options.origin) sql += ", origin " + quote_literal(*options.origin);
  return sql + ")";
}

std::array<char, 34> status_message(const StandbyStatus& status) {
  std::array<char, 34> message;
  std::size_t at = 0;
  const auto put = [&](std::uint64_t number) {
    for (int shift = 56; shift >= 0; shift -= 8) message[at++] = static_cast<char>(number >> shift);
  };
  message[at++] = 'r';
  put(status.written);
  put(status.flushed);
  put(status.applied);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  put(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count() - kEpochShiftUs));
  message[at++] = status.reply_requested ? 1 : 0;
  return message;
}

}  // namespace

void ReplicationStream::FreeBuffer::operator()(char* buffer) const { PQfreemem(buffer); }

ReplicationStream::ReplicationStream(Connection&& replication, const StreamOptions& options,
                                     const Interrupt& interrupt)
    : connection_(std::move(replication)) {
  try {
    const Result started = connection_.exec(start_command(options), interrupt);
    if (!started.starts_copy()) {
      throw std::runtime_error("START_REPLICATION was answered by something else than a stream");
    }
  } catch (const SqlError& error) {
    // undefined_object: no such slot; object_not_in_prerequisite_state: lost, or of another kind
    if (error.sqlstate == "42704" || error.sqlstate == "55000") {
      throw Refused(fmt::format("slot {} cannot be used: {}", options.slot, error.what()));
    }
    throw;
  }
}

Read ReplicationStream::read(Frame& frame) {
  buffer_.reset();
  PGconn* conn = connection_.raw();
  char* data = nullptr;
  int size = PQgetCopyData(conn, &data, 1);
  if (size == 0) {
    const bool alive = PQconsumeInput(conn) != 0;
    size = PQgetCopyData(conn, &data, 1);
    if (size == 0 && !alive) throw_connection_lost(connection_);
    if (size == 0) return Read::kWouldBlock;
  }
  if (size == -2) throw_connection_lost(connection_);
  if (size == -1) return ended();
  buffer_.reset(data);
  frame = parse_frame({reinterpret_cast<const std::byte*>(data), static_cast<std::size_t>(size)});
  return Read::kMessage;
}

// The server has ended the copy: with an error, or in order, when it shuts down.
Read ReplicationStream::ended() {
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  const std::unique_ptr<PGresult, Clear> result(PQgetResult(connection_.raw()));
  if (!result) return Read::kEnded;
  if (PQresultStatus(result.get()) == PGRES_FATAL_ERROR) {
    throw_result_error(connection_, result.get());
  }
  return Read::kEnded;
}

void ReplicationStream::queue(const StandbyStatus& status) {
  const auto message = status_message(status);
  if (PQputCopyData(connection_.raw(), message.data(), static_cast<int>(message.size())) < 0) {
    throw_connection_lost(connection_);
  }
  unflushed_ = true;
}

void ReplicationStream::send_status(const StandbyStatus& status) {
  waiting_ = status;
  flush();
}

void ReplicationStream::flush() {
  while (unflushed_ || waiting_) {
    if (!unflushed_) {
      queue(*waiting_);
      waiting_.reset();
    }
    const int left = PQflush(connection_.raw());
    if (left < 0) throw_connection_lost(connection_);
    if (left > 0) return;
    unflushed_ = false;
  }
}

bool ReplicationStream::finish(const Interrupt& interrupt, std::chrono::milliseconds timeout) {
  bool drained = false;
  try {
    drained = drain(interrupt, deadline_in(timeout));
  } catch (const std::runtime_error& error) {
    log::debug(fmt::format("the replication stream did not end in order: {}", error.what()));
  } catch (const Interrupted&) {
    connection_.close();
    throw;
  }
  connection_.close();
  return drained;
}

bool ReplicationStream::drain(const Interrupt& interrupt, Deadline deadline) {
  bool end_queued = false;
  Frame dropped;
  for (;;) {
    flush();
    if (!wants_write() && !end_queued) {
      if (PQputCopyEnd(connection_.raw(), nullptr) < 0) throw_connection_lost(connection_);
      end_queued = unflushed_ = true;
      flush();
    }
    Read got = Read::kMessage;
    while (got == Read::kMessage) {
      got = read(dropped);
      if (deadline && std::chrono::steady_clock::now() >= *deadline) return false;
      interrupt.check();
    }
    if (got == Read::kEnded) break;
    const short events = static_cast<short>(POLLIN | (wants_write() ? POLLOUT : 0));
    if (interrupt.wait(fd(), events, deadline) == 0) return false;
  }
  while (await_result(connection_, interrupt, deadline)) {
    PGresult* result = PQgetResult(connection_.raw());
    if (result == nullptr) return true;
    PQclear(result);
  }
  return false;
}

}  // namespace walspout::postgres
