// walspout itself, as a user runs it: a TOML file and a process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/postgres_server.hpp"
#include "support/process.hpp"

namespace walspout::test {

// A TOML basic string.
std::string toml(const std::string& text);

struct SinkConfig {
  std::string name;
  std::string plugin;
  std::vector<std::string> options;    // lines of [sink.options]
  std::vector<std::string> more = {};  // further lines of [[sink]]
};
SinkConfig sqlite_sink(const std::string& path, const std::string& name = "mirror");
SinkConfig file_sink(const std::string& path, const std::string& name = "events");

struct HostConfig {
  std::string url;
  std::string slot = "walspout";
  std::string publication = "walspout";
  std::vector<SinkConfig> sinks;
  std::vector<std::string> source = {};  // further lines of [source]
  std::vector<std::string> host = {};    // lines of [host]
  std::string log_level = "debug";
  std::string admin = {};  // [admin] listen; "" = off

  std::string text(const std::string& state_directory) const;
};

// `walspout ARGS...` with the plugin path set to the built plugins; environment variables
// WALSPOUT_BIN and WALSPOUT_PLUGIN_DIR name others.
Command walspout_command(std::vector<std::string> args, const std::string& directory);

// One pipeline with its configuration, state folder and log in `directory`; it may be started,
// killed and started again as often as wanted.
class HostProcess {
 public:
  HostProcess(PostgresServer& server, std::string directory, HostConfig config);

  HostConfig& config() { return config_; }  // read at the next start
  const std::string& directory() const { return directory_; }
  std::string config_path() const { return directory_ + "/host.toml"; }
  std::string state_directory() const { return directory_ + "/state"; }
  std::string log() const { return read_file(log_path()); }
  bool logged(const std::string& text) const { return log().find(text) != std::string::npos; }

  // Writes the configuration and runs `walspout run`.
  void start(std::vector<std::string> more_args = {});
  void start_streaming() {
    start();
    wait_streaming();
  }
  // Another verb on the same configuration, to its end.
  Finished verb(const std::string& verb, std::vector<std::string> more_args = {});

  bool running() { return process_ && process_->running(); }
  pid_t pid() const { return process_->pid(); }
  void signal(int number) { process_->send(number); }
  std::optional<int> wait_exit(Seconds timeout = Seconds(20)) { return process_->wait(timeout); }
  // SIGTERM; throws unless it exits with 0 within `timeout`.
  void stop(Seconds timeout = Seconds(20));
  void kill9();
  void pause();
  void resume();

  bool streaming() const;  // the slot's walsender streams or catches up
  int walsender_pid() const;
  std::uint64_t confirmed() const;  // confirmed_flush_lsn; 0 without a slot
  bool caught_up(std::uint64_t lsn) const { return confirmed() >= lsn; }

  // All of these throw, with the end of the log, when the host ends meanwhile.
  void wait(const std::string& what, Seconds timeout, const std::function<bool()>& condition);
  void wait_streaming(Seconds timeout = Seconds(30));
  void wait_logged(const std::string& text, Seconds timeout = Seconds(15));
  // Until everything that is committed at this moment is confirmed, and no copy is under way.
  void wait_caught_up(Seconds timeout = Seconds(30));

 private:
  bool copies_done() const;
  std::string log_path() const { return directory_ + "/walspout.log"; }
  std::string slot_value(const std::string& expression) const;

  PostgresServer& server_;
  std::string directory_;
  HostConfig config_;
  std::unique_ptr<Process> process_;
  std::size_t log_start_ = 0;  // of the newest process
};

}  // namespace walspout::test
