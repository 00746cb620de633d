#include "support/host_process.hpp"

#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>

namespace walspout::test {
namespace {

std::string setting(const char* variable, const char* otherwise) {
  const char* value = std::getenv(variable);
  return value ? value : otherwise;
}

void add_lines(std::string& to, const std::vector<std::string>& lines) {
  for (const auto& line : lines) to += line + "\n";
}

std::string quoted_literal(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string toml(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

SinkConfig sqlite_sink(const std::string& path, const std::string& name) {
  return {name, "sqlite", {"path = " + toml(path)}};
}

SinkConfig file_sink(const std::string& path, const std::string& name) {
  return {name, "file", {"path = " + toml(path)}};
}

std::string HostConfig::text(const std::string& state_directory) const {
  std::string out = "[host]\n";
  add_lines(out, host);
  out += "[source]\nurl = " + toml(url) + "\nslot = " + toml(slot) +
         "\npublication = " + toml(publication) + "\n";
  add_lines(out, source);
  out += "[state]\ndirectory = " + toml(state_directory) + "\n[log]\nlevel = " + toml(log_level) +
         "\n";
  if (!admin.empty()) out += "[admin]\nlisten = " + toml(admin) + "\n";
  for (const auto& sink : sinks) {
    out += "[[sink]]\nname = " + toml(sink.name) + "\nplugin = " + toml(sink.plugin) + "\n";
    add_lines(out, sink.more);
    out += "[sink.options]\n";
    add_lines(out, sink.options);
  }
  return out;
}

Command walspout_command(std::vector<std::string> args, const std::string& directory) {
  args.insert(args.begin(), setting("WALSPOUT_BIN", WALSPOUT_BINARY));
  return {std::move(args),
          {{"WALSPOUT_PLUGIN_PATH", setting("WALSPOUT_PLUGIN_DIR", WALSPOUT_PLUGINS)}},
          directory};
}

HostProcess::HostProcess(PostgresServer& server, std::string directory, HostConfig config)
    : server_(server), directory_(std::move(directory)), config_(std::move(config)) {
  std::filesystem::create_directories(directory_);
}

void HostProcess::start(std::vector<std::string> more_args) {
  write_file(config_path(), config_.text(state_directory()));
  more_args.insert(more_args.begin(), {"run", config_path()});
  log_start_ = std::filesystem::exists(log_path()) ? std::filesystem::file_size(log_path()) : 0;
  process_ =
      std::make_unique<Process>(walspout_command(std::move(more_args), directory_), log_path());
}

Finished HostProcess::verb(const std::string& verb, std::vector<std::string> more_args) {
  write_file(config_path(), config_.text(state_directory()));
  more_args.insert(more_args.begin(), {verb, config_path()});
  return run_to_end(walspout_command(std::move(more_args), directory_));
}

void HostProcess::stop(Seconds timeout) {
  signal(SIGTERM);
  const auto status = wait_exit(timeout);
  const std::string tail = log().substr(log().size() - std::min<std::size_t>(log().size(), 1500));
  if (!status) throw std::runtime_error("the host does not stop on SIGTERM: " + tail);
  if (*status != 0)
    throw std::runtime_error("the host ended with " + std::to_string(*status) + ": " + tail);
}

void HostProcess::kill9() {
  signal(SIGKILL);
  wait_exit();
}

void HostProcess::pause() { signal(SIGSTOP); }
void HostProcess::resume() { signal(SIGCONT); }

std::string HostProcess::slot_value(const std::string& expression) const {
  return server_.value("postgres",
                       "select " + expression +
                           " from pg_replication_slots s left join pg_stat_replication r on "
                           "r.pid = s.active_pid where slot_name = " +
                           quoted_literal(config_.slot));
}

bool HostProcess::streaming() const {
  return slot_value("r.state in ('streaming', 'catchup')") == "t";
}

int HostProcess::walsender_pid() const { return std::atoi(slot_value("active_pid").c_str()); }

std::uint64_t HostProcess::confirmed() const {
  return parse_lsn(slot_value("confirmed_flush_lsn"));
}

void HostProcess::wait(const std::string& what, Seconds timeout,
                       const std::function<bool()>& condition) {
  const auto fail = [&](const std::string& why) {
    const std::string all = log();
    throw std::runtime_error(why + "; its log ends:\n" +
                             all.substr(all.size() - std::min<std::size_t>(all.size(), 2500)));
  };
  const bool held = eventually(timeout, [&] {
    if (condition()) return true;
    if (!running()) {
      if (condition()) return true;
      fail("the host ended with " + std::to_string(*wait_exit()) + " before: " + what);
    }
    return false;
  });
  if (!held) fail("not " + what + " within " + std::to_string(timeout.count() * patience()) + " s");
}

void HostProcess::wait_streaming(Seconds timeout) {
  wait("streaming", timeout, [&] { return streaming(); });
}

void HostProcess::wait_logged(const std::string& text, Seconds timeout) {
  wait("logged \"" + text + "\"", timeout, [&] { return logged(text); });
}

void HostProcess::wait_caught_up(Seconds timeout) {
  const std::uint64_t target = server_.wal_position();
  // A slot that was created just now has confirmed what the copy has yet to bring.
  wait("caught up", timeout, [&] { return streaming() && caught_up(target) && copies_done(); });
}

// As the log tells it, of this process: "sink S: copying T under a snapshot", or "the copy of T
// goes on", is followed by "copied T (table ...", or "mended ... rows of T".
bool HostProcess::copies_done() const {
  std::set<std::pair<std::string, std::string>> under_way;  // sink, table
  std::istringstream lines(log().substr(log_start_));
  for (std::string line; std::getline(lines, line);) {
    const auto between = [&line](std::string_view before, std::string_view after) -> std::string {
      const std::size_t begin = line.find(before);
      if (begin == std::string::npos) return {};
      const std::size_t from = begin + before.size();
      const std::size_t end = after.empty() ? line.size() : line.find(after, from);
      return end == std::string::npos ? std::string() : line.substr(from, end - from);
    };
    const std::string sink = between(" sink ", ": ");
    for (const auto& [before, after] :
         {std::pair{": copying ", " under a snapshot"}, std::pair{": the copy of ", " goes on"},
          std::pair{": reading rows of ", " again under"}})
      if (const auto table = between(before, after); !table.empty()) under_way.emplace(sink, table);
    for (const auto& [before, after] :
         {std::pair{": copied ", " (table "}, std::pair{" rows of ", ""},
          std::pair{": table ", " cannot be copied"}})
      if (const auto table = between(before, after); !table.empty()) under_way.erase({sink, table});
    if (const auto table = between(" copy of ", " ends: "); !table.empty())
      std::erase_if(under_way, [&](const auto& copy) { return copy.second == table; });
  }
  return under_way.empty();
}

}  // namespace walspout::test
