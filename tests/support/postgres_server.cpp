#include "support/postgres_server.hpp"

#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

namespace walspout::test {
namespace {

namespace fs = std::filesystem;

// The newest of the system's folders that has this program.
std::string system_bin(const std::string& program) {
  std::pair<int, std::string> newest{0, ""};
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", none)) {
    const fs::path bin = entry.path() / "bin";
    if (fs::exists(bin / program))
      newest = std::max(newest, {std::atoi(entry.path().filename().c_str()), bin.string()});
  }
  if (newest.second.empty())
    throw std::runtime_error("PostgreSQL's " + program +
                             " is not there; install postgresql (or set WALSPOUT_PG_BIN)");
  return newest.second;
}

std::string find_bin() {
  if (const char* bin = std::getenv("WALSPOUT_PG_BIN")) return bin;
  return system_bin("postgres");
}

// PostgreSQL refuses to run as root.
std::string server_user() {
  if (geteuid() != 0) return "";
  return getpwnam("postgres") ? "postgres" : "nobody";
}

void give_to(const std::string& path, const std::string& user) {
  const passwd* entry = getpwnam(user.c_str());
  if (!entry || chown(path.c_str(), entry->pw_uid, entry->pw_gid))
    throw std::runtime_error("cannot give " + path + " to " + user);
}

}  // namespace

Session::Session(const std::string& url) {
  const std::string pinned =
      url +
      " options='-c TimeZone=UTC -c DateStyle=ISO -c IntervalStyle=postgres -c bytea_output=hex"
      " -c extra_float_digits=1' client_encoding=UTF8 application_name=test";
  connection_ = PQconnectdb(pinned.c_str());
  if (PQstatus(connection_) == CONNECTION_OK) {
    PQsetNoticeProcessor(
        connection_, [](void*, const char*) {}, nullptr);
    return;
  }
  const std::string text = PQerrorMessage(connection_);
  PQfinish(connection_);
  throw std::runtime_error(text);
}

Session::Session(Session&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

Session::~Session() { PQfinish(connection_); }

Rows Session::query(const std::string& sql) {
  const std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(connection_, sql.c_str()),
                                                              PQclear);
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && status != PGRES_EMPTY_QUERY)
    throw std::runtime_error(PQerrorMessage(connection_) + sql.substr(0, 300));
  Rows rows(static_cast<std::size_t>(PQntuples(result.get())));
  for (int r = 0; r < PQntuples(result.get()); ++r)
    for (int c = 0; c < PQnfields(result.get()); ++c)
      rows[static_cast<std::size_t>(r)].push_back(
          PQgetisnull(result.get(), r, c)
              ? std::nullopt
              : std::optional<std::string>(PQgetvalue(result.get(), r, c)));
  return rows;
}

std::string Session::value(const std::string& sql) {
  const Rows rows = query(sql);
  return rows.empty() || rows[0].empty() ? "" : rows[0][0].value_or("");
}

int Session::pid() const { return PQbackendPID(connection_); }

const std::string& PostgresServer::bin() {
  static const std::string found = find_bin();
  return found;
}

std::string PostgresServer::client(const std::string& name) {
  const std::string beside = bin() + "/" + name;
  return fs::exists(beside) ? beside : system_bin(name) + "/" + name;
}

PostgresServer::PostgresServer(const Options& options)
    : bin_(options.bin), user_(server_user()), data_(dir_ / "data") {
  if (!user_.empty()) give_to(dir_.path(), user_);
  if (options.data.empty()) {
    make_cluster();
  } else {
    restore_data(options.data);
  }
  configure(options);
  if (options.started) start();
}

void PostgresServer::make_cluster() const {
  // Each server for itself: to copy the thousand files of a template takes as long.
  const auto made = run_to_end({{bin_ + "/initdb", "-D", data_, "-U", "postgres", "-A", "trust",
                                 "-E", "UTF8", "--locale=C", "--no-sync"},
                                {},
                                "/",
                                user_},
                               Seconds(60));
  if (made.status) throw std::runtime_error("initdb failed: " + made.output);
}

void PostgresServer::configure(const Options& options) const {
  std::string settings = "unix_socket_directories = '" + dir_.path() +
                         "'\nlisten_addresses = ''\nport = 5432\nwal_level = logical\nfsync = off\n"
                         "max_replication_slots = 20\nmax_wal_senders = 20\n"
                         "max_prepared_transactions = 10\nshared_buffers = 32MB\n"
                         "log_min_messages = warning\nlog_line_prefix = '%m [%p] %a '\n";
  for (const auto& line : options.settings) settings += line + "\n";
  append_file(data_ + "/postgresql.conf", settings);
  if (!options.hba.empty()) {
    std::string hba;
    for (const auto& line : options.hba) hba += line + "\n";
    write_file(data_ + "/pg_hba.conf", hba + "local all all trust\nlocal replication all trust\n");
  }
}

void PostgresServer::copy_data(const std::string& folder) const {
  const auto done = run_to_end({{"cp", "-a", data_, folder}}, Seconds(60));
  if (done.status) throw std::runtime_error("cp: " + done.output);
}

void PostgresServer::restore_data(const std::string& folder) {
  fs::remove_all(data_);
  const auto done = run_to_end({{"cp", "-a", folder, data_}}, Seconds(60));
  if (done.status) throw std::runtime_error("cp: " + done.output);
}

void PostgresServer::signal_at_start(const std::string& name) const {
  write_file(data_ + "/" + name, "");
  if (!user_.empty()) give_to(data_ + "/" + name, user_);
}

void PostgresServer::stand_by_at_start() { signal_at_start("standby.signal"); }

void PostgresServer::promote_at_start() {
  signal_at_start("recovery.signal");
  append_file(data_ + "/postgresql.conf", "restore_command = 'false'\n");
}

PostgresServer::~PostgresServer() {
  if (!running()) return;
  process_->send(SIGQUIT);
  process_->wait(Seconds(30));  // ~Process kills what is still there
}

void PostgresServer::start() {
  // The postmaster itself and not pg_ctl, so that it dies with the test: SIGQUIT is its
  // "immediate".
  process_ = std::make_unique<Process>(
      Command{{bin_ + "/postgres", "-D", data_}, {}, "/", user_, "", SIGQUIT}, dir_ / "log");
  const std::string probe = url("postgres");
  wait_until("a running server", Seconds(60), [&] {
    if (!process_->running()) throw std::runtime_error("the server did not start: " + log());
    return PQping(probe.c_str()) == PQPING_OK;
  });
}

double PostgresServer::stop(How how) {
  const double began = now();
  if (!process_) return 0;
  process_->send(how == How::kFast ? SIGINT : SIGQUIT);
  if (!process_->wait(Seconds(60))) throw std::runtime_error("the server does not stop: " + log());
  process_.reset();
  return now() - began;
}

void PostgresServer::restart(How how) {
  stop(how);
  start();
}

void PostgresServer::create_database(const std::string& name) {
  sql("postgres", "create database \"" + name + "\" template template0");
}

std::string PostgresServer::url(const std::string& db, const std::string& user) const {
  return "host=" + dir_.path() + " port=5432 user=" + user + " dbname=" + db;
}

void PostgresServer::script(const std::string& db, const std::string& text) const {
  const auto done = run_to_end(
      {{client("psql"), "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-d", url(db), "-f", "-"},
       {},
       "/",
       "",
       text},
      Seconds(120));
  if (done.status) throw std::runtime_error("psql: " + done.output.substr(0, 1000));
}

int PostgresServer::version() const {
  return std::stoi(value("postgres", "select current_setting('server_version_num')")) / 10000;
}

std::uint64_t PostgresServer::wal_position() const {
  return parse_lsn(value("postgres", "select pg_current_wal_flush_lsn()"));
}

std::uint64_t parse_lsn(const std::string& text) {
  unsigned high = 0, low = 0;
  if (text.empty()) return 0;
  if (std::sscanf(text.c_str(), "%X/%X", &high, &low) != 2)
    throw std::runtime_error("not an LSN: " + text);
  return (static_cast<std::uint64_t>(high) << 32) | low;
}

PostgresServer& shared_server() {
  static PostgresServer server;
  return server;
}

}  // namespace walspout::test
