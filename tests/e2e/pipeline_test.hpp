// The fixture of the step tests: a database of its own on the program's server, and a host with a
// SQLite mirror and a file of JSON lines.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/host_process.hpp"
#include "support/json_lines.hpp"
#include "support/mirror.hpp"
#include "support/table_compare.hpp"
#include "support/tcp_proxy.hpp"
#include "support/wait.hpp"

namespace walspout::test {

class PipelineTest : public testing::Test {
 protected:
  PipelineTest();

  // Before anything else, for a server with settings of its own.
  void use_own_server(const PostgresServer::Options& options);

  void SetUp() override;
  void TearDown() override;  // after a failure, prints the ends of the logs

  PostgresServer& server() { return *server_; }
  const std::string& db() const { return db_; }
  void sql(const std::string& text) { server().sql(db_, text); }
  std::string value(const std::string& text) { return server().value(db_, text); }
  // One transaction per element, on one session.
  void transactions(const std::vector<std::string>& texts);

  // The test's host; made at the first call.
  HostProcess& host();
  // A configuration with both sinks, which `host()` takes; change it before.
  HostConfig& config() { return config_; }
  // A further host in a folder of its own.
  std::unique_ptr<HostProcess> another_host(const std::string& name, HostConfig config);

  const TempDir& dir() const { return dir_; }
  std::string mirror_path() const { return dir_ / "mirror.db"; }
  std::string events_path() const { return dir_ / "events.jsonl"; }
  std::int64_t mirrored(const std::string& table) const {
    return mirror_count(mirror_path(), table);
  }
  std::vector<nlohmann::json> events() const { return read_json_lines(events_path()); }
  // How many events the file has for this operation and table of public.
  std::size_t count_events(const std::string& op, const std::string& table) const;

  // Waits until everything committed is confirmed, then compares: the mirror with the source row
  // for row, and the file for order and duplicates.
  void expect_everything_delivered(Seconds timeout = Seconds(60));
  void expect_mirror_equals_source();
  // Within 15 seconds: copies may be under way.
  void expect_mirror_follows();

 private:
  TempDir dir_;
  std::string db_;
  std::unique_ptr<PostgresServer> own_server_;
  PostgresServer* server_ = nullptr;
  HostConfig config_;
  std::unique_ptr<HostProcess> host_;
};

}  // namespace walspout::test
