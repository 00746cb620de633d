#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/verbs.hpp"
#include "log/log.hpp"
#include "postgres/connection.hpp"
#include "postgres/publication.hpp"
#include "postgres/slot.hpp"

namespace walspout::cli {
namespace {

constexpr const char* kPrefix = "walspout_tail_";

// A folder for the state that a pipeline wants, gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "walspout-tail-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error("cannot make a folder under " +
                               std::filesystem::temp_directory_path().string() +
                               "; set TMPDIR to one that can be written");
    }
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
    if (error) log::warn("cannot remove " + path_.string() + ": " + error.message());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Advisory locks tell which temporary publications have a living `tail`: each holds the lock of its
// publication's name on a connection of its own, until it ends in whatever way.
bool try_lock(postgres::Connection& connection, const std::string& publication,
              const postgres::Interrupt& interrupt) {
  constexpr const char* kSql =
      "SELECT pg_catalog.pg_try_advisory_lock(pg_catalog.hashtext('walspout tail'), "
      "pg_catalog.hashtext($1))";
  return connection.exec_params(kSql, {publication}, interrupt).boolean(0, 0);
}

void unlock(postgres::Connection& connection, const std::string& publication,
            const postgres::Interrupt& interrupt) {
  connection.exec_params(
      "SELECT pg_catalog.pg_advisory_unlock(pg_catalog.hashtext('walspout tail'), "
      "pg_catalog.hashtext($1))",
      {publication}, interrupt);
}

// What a `tail` that was killed has left. One that may not be dropped (another role's) is no reason
// not to start.
void drop_stale(postgres::Connection& connection, const postgres::Interrupt& interrupt) {
  for (const std::string& name : postgres::publications_like(connection, kPrefix, interrupt)) {
    if (!try_lock(connection, name, interrupt)) continue;
    try {
      if (postgres::drop_publication(connection, name, interrupt)) {
        log::info("dropped publication " + name + " of a tail that is gone");
      }
    } catch (const postgres::SqlError& error) {
      log::warn("publication " + name + " is left from a tail that is gone: " + error.what());
    }
    unlock(connection, name, interrupt);
  }
}

config::Sink terminal(const std::vector<std::string>& tables) {
  config::Sink sink;
  sink.name = "terminal";
  sink.plugin = "stdout";
  sink.tables = base::TablePatterns(tables);
  sink.snapshot = config::SinkSnapshot::kNever;
  sink.at = {"tail", 0, 0};
  sink.plugin_at = sink.at;
  base::RawOption format;
  format.name = "format";
  format.value = std::string("text");
  format.at = sink.at;
  sink.options.push_back(std::move(format));
  return sink;
}

bool good_patterns(const std::vector<std::string>& tables) {
  for (const std::string& pattern : tables) {
    if (pattern.find('.') != std::string::npos) continue;
    print_error(fmt::format("--table {} has no schema; did you mean public.{}?", printable(pattern),
                            printable(pattern)));
    return false;
  }
  return true;
}

}  // namespace

int tail(const Arguments& arguments, StopSignal& stop) {
  if (!good_patterns(arguments.tables)) return kUsage;
  config::Config config;
  if (arguments.file.empty()) {
    if (const auto problem = postgres::url_problem(arguments.url)) {
      print_error("--url: " + *problem);
      return kUsage;
    }
    config.file = "tail";
    config.directory = std::filesystem::current_path();
    config.host.name = "tail";
    config.source.url = arguments.url;
  } else {
    auto loaded = load_configuration(arguments.file);
    if (!loaded) return kUsage;
    config = std::move(*loaded);
  }
  // The terminal is for changes; the log speaks up when something is wrong, or when it is asked to.
  if (config.log.level == log::Level::kInfo) config.log.level = log::Level::kWarn;
  log::configure(config.log.level, config.log.format);

  const TemporaryFolder state;
  config.state.directory = state.path();
  config.source.temporary = true;
  config.source.snapshot = config::Snapshot::kNever;
  config.sinks = {terminal(arguments.tables)};

  const postgres::Interrupt interrupt(stop.fd());
  postgres::ConnectOptions connect;
  connect.url = config.source.url;
  connect.application_name = "walspout tail";
  // Held until the end: its lock shows that the publication is in use.
  postgres::Connection holder(connect, interrupt);
  // Since PostgreSQL 14 an idle session may be ended.
  holder.exec(
      "SELECT pg_catalog.set_config(name, '0', false) FROM pg_catalog.pg_settings "
      "WHERE name = 'idle_session_timeout'",
      interrupt);
  drop_stale(holder, interrupt);

  RunOptions options;
  const bool use_existing =
      !arguments.file.empty() &&
      postgres::find_publication(holder, config.source.publication, interrupt).has_value();
  if (!use_existing) {
    config.source.publication = postgres::temporary_name("walspout_tail");
    config.source.tables = base::TablePatterns(arguments.tables);
    try_lock(holder, config.source.publication, interrupt);
    options.temporary_publication = true;
  }
  return run_pipeline(config, options, stop);
}

}  // namespace walspout::cli
