// A throwaway PostgreSQL server: own folder, unix socket only, gone with the object.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/process.hpp"
#include "support/temp_dir.hpp"

struct pg_conn;

namespace walspout::test {

// NULL is nullopt. Values are text, printed with the settings of contract "SQLite mirror: values":
// UTC, ISO dates, hex bytea, shortest exact floats.
using Row = std::vector<std::optional<std::string>>;
using Rows = std::vector<Row>;

// One session, for transactions that stay open. Throws std::runtime_error with the server's text.
class Session {
 public:
  explicit Session(const std::string& url);
  ~Session();
  Session(Session&& other) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Several statements at once are one transaction, as PQexec has it.
  Rows query(const std::string& sql);
  void sql(const std::string& text) { query(text); }
  std::string value(const std::string& sql);  // the first row's first column; "" for NULL or no row
  int pid() const;                            // of its backend

 private:
  pg_conn* connection_;
};

class PostgresServer {
 public:
  struct Options {
    std::vector<std::string> settings = {};   // lines of postgresql.conf, after the harness' own
    std::vector<std::string> hba = {};        // lines of pg_hba.conf, before "local all all trust"
    std::string bin = PostgresServer::bin();  // the folder of its binaries
    std::string data = {};  // a folder of copy_data() to begin with, instead of an empty cluster
    bool started = true;    // false: start() follows
  };

  // wal_level=logical and fsync=off. As root the server runs as postgres, else nobody.
  PostgresServer() : PostgresServer(Options{}) {}
  explicit PostgresServer(const Options& options);
  ~PostgresServer();

  void start();  // returns once it takes connections
  enum class How { kFast, kImmediate };
  // Seconds it took. Throws when it takes longer than 60 s.
  double stop(How how = How::kFast);
  void restart(How how = How::kFast);
  bool running() { return process_ && process_->running(); }

  // The files of a server that is stopped, to a folder that does not exist yet, and back. A standby
  // or a backup is no more than that here.
  void copy_data(const std::string& folder) const;
  void restore_data(const std::string& folder);
  // The next start ends a recovery from an archive without files: a new timeline begins.
  void promote_at_start();
  // The next start is of a standby, whose primary is gone; read-only sessions are let in.
  void stand_by_at_start();
  const std::string& data() const { return data_; }

  void create_database(const std::string& name);
  // "host=DIR port=P user=U dbname=D"
  std::string url(const std::string& db, const std::string& user = "postgres") const;
  std::string socket_directory() const { return dir_.path(); }
  std::string socket_path() const { return dir_ / ".s.PGSQL.5432"; }
  std::string log() const { return read_file(dir_ / "log"); }

  Session session(const std::string& db) const { return Session(url(db)); }
  void sql(const std::string& db, const std::string& text) const { session(db).sql(text); }
  Rows query(const std::string& db, const std::string& text) const {
    return session(db).query(text);
  }
  std::string value(const std::string& db, const std::string& text) const {
    return session(db).value(text);
  }
  // As psql runs a file: each statement for itself, stopping at the first error.
  void script(const std::string& db, const std::string& text) const;

  // Everything committed so far lies below it. The end of what is flushed and not of what is
  // written: a read may write WAL (it prunes pages), which nobody flushes, and so nobody sends, for
  // seconds.
  std::uint64_t wal_position() const;

  int version() const;  // 15, 18, ...

  // The folder of the server's binaries: WALSPOUT_PG_BIN or the newest /usr/lib/postgresql/*/bin.
  static const std::string& bin();
  // The path of a client program (psql, pgbench): beside the server, or else of the newest of the
  // system's, as a server that was brought for a test has none.
  static std::string client(const std::string& name);

 private:
  void make_cluster() const;
  void signal_at_start(const std::string& name) const;
  void configure(const Options& options) const;

  TempDir dir_;
  std::string bin_;
  std::string user_;
  std::string data_;
  std::unique_ptr<Process> process_;
};

// "16/B374D848" -> number; 0 for "".
std::uint64_t parse_lsn(const std::string& text);

// A server for the whole test program, for tests without wishes of their own.
PostgresServer& shared_server();

}  // namespace walspout::test
