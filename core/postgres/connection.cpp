#include "postgres/connection.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <charconv>
#include <new>

#include "log/log.hpp"
#include "postgres/command.hpp"
#include "postgres/quote.hpp"
#include "postgres/url.hpp"

namespace walspout::postgres {

namespace {

void log_notice(void*, const PGresult* result) {
  if (!log::enabled(log::Level::kDebug)) return;
  log::debug("PostgreSQL: " + one_line(PQresultErrorMessage(result)));
}

// Where PQERRORS_VERBOSE put the SQLSTATE: "...FATAL:  28P01: password...". npos when the message
// is libpq's own. The last one counts, as a name may have several addresses.
std::size_t find_sqlstate(const std::string& message) {
  for (std::size_t at = message.rfind(": "); at != std::string::npos && at > 0;
       at = message.rfind(": ", at - 1)) {
    if (at < 8 || message.compare(at - 8, 3, ":  ") != 0) continue;
    const auto state = std::string_view(message).substr(at - 5, 5);
    if (state.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == state.npos) {
      return at - 5;
    }
  }
  return std::string::npos;
}

// libpq's text without the places in the server's source, the states and the advice in brackets.
std::string readable(std::string message) {
  for (auto at = find_sqlstate(message); at != std::string::npos; at = find_sqlstate(message)) {
    message.erase(at - 1, 7);
  }
  std::string text;
  for (std::size_t at = 0; at < message.size();) {
    const auto end = std::min(message.find('\n', at), message.size());
    const std::string line = message.substr(at, end - at);
    at = end + 1;
    if (line.empty() || line[0] == '\t' || line.rfind("LOCATION:", 0) == 0) continue;
    text += (text.empty() ? "" : "; ") + line;
  }
  return one_line(text);
}

// libpq's own refusals that no further try will change. libpq speaks English as long as nobody
// calls setlocale().
bool refused_by_libpq(const std::string& message) {
  for (const char* part :
       {"server does not support SSL", "certificate", "private key file", "authentication method",
        "channel binding", "invalid sslmode", "no password supplied", "SCRAM"}) {
    if (message.find(part) != std::string::npos) return true;
  }
  return false;
}

[[noreturn]] void throw_connect_error(PGconn* conn, const std::string& where) {
  const std::string message = PQerrorMessage(conn);
  const auto at = find_sqlstate(message);
  const std::string text = fmt::format("cannot connect to {}: {}", where, readable(message));
  if (PQconnectionNeedsPassword(conn) != 0) {
    throw Refused(text + "; give a password in the url, in PGPASSWORD or in a passfile");
  }
  if (at != std::string::npos) {
    const std::string state = message.substr(at, 5);
    if (!is_transient(state)) throw Refused(fmt::format("{} (SQLSTATE {})", text, state));
    throw ConnectionLost(fmt::format("{} (SQLSTATE {})", text, state));
  }
  if (refused_by_libpq(message)) throw Refused(text);
  throw ConnectionLost(text);
}

void set_default(Settings& settings, const char* key, const char* value) {
  if (find_setting(settings, key) == nullptr) set_setting(settings, key, value);
}

Settings with_defaults(Settings settings, const ConnectOptions& options) {
  set_default(settings, "keepalives_idle", "30");
  set_default(settings, "keepalives_interval", "10");
  set_default(settings, "keepalives_count", "3");
  set_default(settings, "tcp_user_timeout", "60000");
  set_default(settings, "application_name", options.application_name.c_str());
  set_setting(settings, "client_encoding", "UTF8");
  if (options.replication) set_setting(settings, "replication", "database");
  return settings;
}

// libpq enforces connect_timeout in its blocking calls only. 0 means none there, and here.
Deadline connect_deadline(const Settings& settings, const ConnectOptions& options) {
  auto timeout = options.connect_timeout;
  if (const auto* own = find_setting(settings, "connect_timeout")) {
    int seconds = 0;
    const auto [end, error] = std::from_chars(own->data(), own->data() + own->size(), seconds);
    if (error != std::errc() || end != own->data() + own->size()) {
      throw Refused("source url: connect_timeout is no number of seconds");
    }
    timeout = std::chrono::seconds(seconds);
  }
  return timeout.count() <= 0 ? Deadline() : deadline_in(timeout);
}

PGconn* start(const Settings& settings) {
  std::vector<const char*> keys, values;
  for (const auto& [key, value] : settings) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  keys.push_back(nullptr);
  values.push_back(nullptr);
  PGconn* conn = PQconnectStartParams(keys.data(), values.data(), 0);
  if (conn == nullptr) throw std::bad_alloc();
  // There is no other way to the SQLSTATE of a failed login.
  PQsetErrorVerbosity(conn, PQERRORS_VERBOSE);
  PQsetNoticeReceiver(conn, log_notice, nullptr);
  return conn;
}

void finish_connecting(PGconn* conn, const std::string& where, const Interrupt& interrupt,
                       const Deadline& deadline) {
  if (PQstatus(conn) == CONNECTION_BAD) throw_connect_error(conn, where);
  for (auto state = PGRES_POLLING_WRITING; state != PGRES_POLLING_OK;) {
    // The socket may be another after each step.
    const short events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (interrupt.wait(PQsocket(conn), events, deadline) == 0) {
      throw ConnectionLost(
          fmt::format("cannot connect to {}: no answer in time; the limit is "
                      "connect_timeout of the url",
                      where));
    }
    state = PQconnectPoll(conn);
    if (state == PGRES_POLLING_FAILED) throw_connect_error(conn, where);
  }
  PQsetErrorVerbosity(conn, PQERRORS_DEFAULT);
}

}  // namespace

void Connection::Finish::operator()(pg_conn* conn) const { PQfinish(conn); }

Connection::Connection(ConnectOptions options, const Interrupt& interrupt)
    : options_(std::move(options)) {
  const auto hosts = per_host(parse_url(options_.url));
  std::string failures;
  bool refused = true;  // by every host
  for (const auto& host : hosts) {
    try {
      interrupt.check();
      where_ = describe(host);
      const Settings settings = with_defaults(host, options_);
      const auto deadline = connect_deadline(settings, options_);
      conn_.reset(start(settings));
      finish_connecting(conn_.get(), where_, interrupt, deadline);
      failures.clear();
      break;
    } catch (const ConnectionLost& error) {
      refused = false;
      failures += (failures.empty() ? "" : "; ") + std::string(error.what());
    } catch (const Refused& error) {
      failures += (failures.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  if (!failures.empty() && refused) throw Refused(failures);
  if (!failures.empty()) throw ConnectionLost(failures);
  if (server_version() < 130000) {
    throw Refused(fmt::format("{}: PostgreSQL {} is too old; version 14 or later is needed", where_,
                              server_version() / 10000));
  }
  if (PQsetnonblocking(conn_.get(), 1) != 0) throw_connection_lost(*this);
  pin_settings(interrupt);
}

void Connection::pin_settings(const Interrupt& interrupt) {
  const char* encoding = PQparameterStatus(conn_.get(), "server_encoding");
  server_encoding_ = encoding == nullptr ? "" : encoding;
  std::vector<std::pair<std::string, std::string>> pins = {
      {"TimeZone", "UTC"},
      {"DateStyle", "ISO"},
      {"IntervalStyle", "postgres"},
      {"extra_float_digits", "3"},
      {"bytea_output", "hex"},
      {"client_encoding", server_encoding_ == "SQL_ASCII" ? "SQL_ASCII" : "UTF8"},
      {"standard_conforming_strings", "on"},
      {"quote_all_identifiers", "off"},
      {"search_path", ""},
      {"row_security", "off"},
      {"statement_timeout", "0"},
      {"lock_timeout", "0"},
      {"idle_in_transaction_session_timeout", "0"}};
  if (server_version() >= 140000) pins.emplace_back("idle_session_timeout", "0");
  if (server_version() >= 170000) pins.emplace_back("transaction_timeout", "0");
  std::string sql;
  for (const auto& [name, value] : pins) {
    sql += fmt::format("{} pg_catalog.set_config({}, {}, false)", sql.empty() ? "SELECT" : ",",
                       quote_literal(name), quote_literal(value));
  }
  exec(sql, interrupt);
}

Result Connection::exec(const std::string& sql, const Interrupt& interrupt) {
  try {
    send_command(*this, sql, interrupt);
    return collect(*this, interrupt);
  } catch (const Interrupted&) {
    cancel_and_drain(*this);
    throw;
  }
}

Result Connection::exec_params(const std::string& sql,
                               const std::vector<std::optional<std::string>>& params,
                               const Interrupt& interrupt) {
  try {
    send_command(*this, sql, params, interrupt);
    return collect(*this, interrupt);
  } catch (const Interrupted&) {
    cancel_and_drain(*this);
    throw;
  }
}

int Connection::server_version() const { return PQserverVersion(conn_.get()); }

int Connection::backend_pid() const { return PQbackendPID(conn_.get()); }

int Connection::fd() const { return PQsocket(conn_.get()); }

void Connection::close() { conn_.reset(); }

}  // namespace walspout::postgres
