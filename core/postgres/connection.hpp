// One connection to PostgreSQL, ordinary or for replication. Used by one thread at a time.
//
// Whatever server, database, role or environment set, every connection has
//   TimeZone=UTC  DateStyle=ISO  IntervalStyle=postgres  extra_float_digits=3  bytea_output=hex
//   client_encoding=UTF8  standard_conforming_strings=on  search_path=''
//   statement_timeout, lock_timeout, idle_in_transaction_session_timeout = 0  row_security=off
// so that a copy and the stream print every value alike and nothing ends a long copy. They are set
// by a command after the login: startup options would lose against PGTZ and PGDATESTYLE of the
// environment, and would replace `options` of the url. A database in SQL_ASCII gets
// client_encoding=SQL_ASCII: its bytes come as they are stored, as the server would refuse those
// that are not UTF-8.
//
// The url is libpq's, as URI or key=value. Several hosts are tried in order, each within the
// connect timeout and with its name looked up anew; a look-up in DNS is the one wait that an
// interrupt cannot end. Unless the url sets them: connect_timeout 10 s, TCP keepalives after 30 s
// and tcp_user_timeout 60 s, so that a server that vanished is noticed.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "postgres/error.hpp"
#include "postgres/interrupt.hpp"
#include "postgres/result.hpp"

struct pg_conn;  // libpq's PGconn

namespace walspout::postgres {

struct ConnectOptions {
  std::string url;
  bool replication = false;  // a walsender bound to the url's database: simple commands only
  std::string application_name = "walspout";
  std::chrono::milliseconds connect_timeout{10'000};  // unless the url has connect_timeout
};

// What is wrong with a url, without quoting any of it; nothing when libpq can read it.
std::optional<std::string> url_problem(const std::string& url);

// "host db.example port 5432, database shop, user repl": what may be shown of a url.
std::string describe_url(const std::string& url);

class Connection {
 public:
  // Throws ConnectionLost (try again), Refused (password, unknown database, rights, a bad url, a
  // server before version 13) or Interrupted.
  Connection(ConnectOptions options, const Interrupt& interrupt);

  // Runs one command, or for an ordinary connection several, and gives the last result. Throws
  // SqlError, ConnectionLost or Interrupted; before Interrupted the command has been cancelled and
  // its end awaited, so that the server runs nothing of it any more.
  Result exec(const std::string& sql, const Interrupt& interrupt = Interrupt());

  // One command with $1, $2, ... as text. Not on a replication connection.
  Result exec_params(const std::string& sql, const std::vector<std::optional<std::string>>& params,
                     const Interrupt& interrupt = Interrupt());

  int server_version() const;                                              // 150018 = 15.18
  const std::string& server_encoding() const { return server_encoding_; }  // "UTF8"
  int backend_pid() const;
  int fd() const;
  const ConnectOptions& options() const { return options_; }
  const std::string& where() const { return where_; }  // as describe_url, of the host in use

  // Closes it; every later command throws ConnectionLost.
  void close();

  // libpq's handle, for this folder; null when closed.
  pg_conn* raw() const { return conn_.get(); }

 private:
  struct Finish {
    void operator()(pg_conn* conn) const;
  };

  void pin_settings(const Interrupt& interrupt);

  ConnectOptions options_;
  std::unique_ptr<pg_conn, Finish> conn_;
  std::string where_;
  std::string server_encoding_;
};

}  // namespace walspout::postgres
