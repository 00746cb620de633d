#include "postgres/command.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <future>
#include <thread>

#include "log/log.hpp"

namespace walspout::postgres {

namespace {

constexpr std::chrono::seconds kCancelSend{2};
constexpr std::chrono::seconds kCancelDrain{5};

struct FreeCancel {
  void operator()(PGcancel* cancel) const { PQfreeCancel(cancel); }
};

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using OwnedResult = std::unique_ptr<PGresult, ClearResult>;

bool is_error(const PGresult* result) {
  const auto status = PQresultStatus(result);
  return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE;
}

bool starts_copy(const PGresult* result) {
  const auto status = PQresultStatus(result);
  return status == PGRES_COPY_OUT || status == PGRES_COPY_IN || status == PGRES_COPY_BOTH;
}

std::string_view field(const PGresult* result, int code) {
  const char* value = result == nullptr ? nullptr : PQresultErrorField(result, code);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

// PQcancel connects and waits without any limit, so that a server that vanished would hold it for
// minutes. It gets a thread of its own that is left alone when that takes too long: it owns all it
// uses.
void send_cancel(PGconn* raw) {
  std::unique_ptr<PGcancel, FreeCancel> cancel(PQgetCancel(raw));
  if (!cancel) return;
  std::promise<void> done;
  const auto sent = done.get_future();
  std::thread([cancel = std::move(cancel), done = std::move(done)]() mutable {
    char message[256];
    if (PQcancel(cancel.get(), message, sizeof message) == 0) {
      log::debug("could not cancel a command: " + one_line(message));
    }
    cancel.reset();
    done.set_value();
  }).detach();
  sent.wait_for(kCancelSend);
}

// Takes what is left of a command; true when it had completed.
bool drain(Connection& conn, Deadline deadline) {
  bool completed = false;
  for (;;) {
    if (!await_result(conn, Interrupt(), deadline)) throw ConnectionLost("no answer to a cancel");
    const OwnedResult result(PQgetResult(conn.raw()));
    if (!result) return completed;
    const auto status = PQresultStatus(result.get());
    completed = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
    if (status != PGRES_COPY_OUT && status != PGRES_COPY_BOTH) continue;
    char* buffer = nullptr;
    for (int size = 0; (size = PQgetCopyData(conn.raw(), &buffer, 1)) >= 0;) {
      if (size > 0) PQfreemem(buffer);
      if (size > 0) continue;
      if (Interrupt().wait(conn.fd(), POLLIN, deadline) == 0) {
        throw ConnectionLost("no end of a cancelled copy");
      }
      if (PQconsumeInput(conn.raw()) == 0) throw_connection_lost(conn);
    }
  }
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

void throw_connection_lost(const Connection& conn) {
  throw ConnectionLost(
      fmt::format("{}: connection lost: {}", conn.where(), one_line(PQerrorMessage(conn.raw()))));
}

void throw_result_error(const Connection& conn, const pg_result* result) {
  const std::string state(field(result, PG_DIAG_SQLSTATE));
  if (state.empty()) throw_connection_lost(conn);  // libpq's own error, not the server's
  std::string text(field(result, PG_DIAG_MESSAGE_PRIMARY));
  for (const int code : {PG_DIAG_MESSAGE_DETAIL, PG_DIAG_MESSAGE_HINT}) {
    const auto more = field(result, code);
    if (!more.empty()) text += fmt::format("; {}", more);
  }
  text = fmt::format("{}: {} (SQLSTATE {})", conn.where(), one_line(text), state);
  const bool ended = field(result, PG_DIAG_SEVERITY_NONLOCALIZED) != "ERROR";
  if (ended && is_transient(state)) throw ConnectionLost(text);
  throw SqlError(text, state);
}

void flush_all(Connection& conn, const Interrupt& interrupt) {
  for (int left = 0; (left = PQflush(conn.raw())) != 0;) {
    if (left < 0) throw_connection_lost(conn);
    // The server may be stuck until we read what it sends (documentation, "Asynchronous Command
    // Processing").
    const short ready = interrupt.wait(conn.fd(), POLLIN | POLLOUT);
    if ((ready & POLLIN) != 0 && PQconsumeInput(conn.raw()) == 0) throw_connection_lost(conn);
  }
}

void send_command(Connection& conn, const std::string& sql, const Interrupt& interrupt) {
  interrupt.check();
  if (PQsendQuery(conn.raw(), sql.c_str()) == 0) throw_connection_lost(conn);
  flush_all(conn, interrupt);
}

void send_command(Connection& conn, const std::string& sql,
                  const std::vector<std::optional<std::string>>& params,
                  const Interrupt& interrupt) {
  interrupt.check();
  std::vector<const char*> values;
  for (const auto& param : params) values.push_back(param ? param->c_str() : nullptr);
  if (PQsendQueryParams(conn.raw(), sql.c_str(), static_cast<int>(values.size()), nullptr,
                        values.data(), nullptr, nullptr, 0) == 0) {
    throw_connection_lost(conn);
  }
  flush_all(conn, interrupt);
}

bool await_result(Connection& conn, const Interrupt& interrupt, Deadline deadline) {
  while (PQisBusy(conn.raw()) != 0) {
    if (interrupt.wait(conn.fd(), POLLIN, deadline) == 0) return false;
    // A FATAL of the server may have come just before the end: PQgetResult brings it.
    if (PQconsumeInput(conn.raw()) == 0 && PQisBusy(conn.raw()) != 0) throw_connection_lost(conn);
  }
  return true;
}

Result collect(Connection& conn, const Interrupt& interrupt) {
  OwnedResult last;
  OwnedResult failed;
  for (;;) {
    try {
      await_result(conn, interrupt);
    } catch (const ConnectionLost&) {
      if (failed) throw_result_error(conn, failed.get());  // what the server said last
      throw;
    }
    OwnedResult result(PQgetResult(conn.raw()));
    if (!result) break;
    if (is_error(result.get())) {
      if (!failed) failed = std::move(result);
      continue;
    }
    last = std::move(result);
    if (starts_copy(last.get())) break;
  }
  if (failed) throw_result_error(conn, failed.get());
  if (!last) throw_connection_lost(conn);
  return Result(last.release());
}

bool cancel_and_drain(Connection& conn) noexcept {
  try {
    send_cancel(conn.raw());
    return drain(conn, deadline_in(kCancelDrain));
  } catch (const std::exception& error) {
    log::debug(fmt::format("{}: closed after a cancel: {}", conn.where(), error.what()));
    conn.close();
    return false;
  }
}

}  // namespace walspout::postgres
