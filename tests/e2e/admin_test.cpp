// The host as it is seen from outside: metrics, health, the service manager, a sink that hangs.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "e2e/pipeline_test.hpp"
#include "raw_http.hpp"

namespace walspout::test {
namespace {

using admin::get;

class Admin : public PipelineTest {
 protected:
  void SetUp() override {
    PipelineTest::SetUp();
    prepare();
  }
  void prepare() {
    config().admin = "127.0.0.1:0";
    sql("create table t (id integer primary key, v text)");
    sql("insert into t values (1, 'a'), (2, 'b'), (3, 'c')");
    sql("create publication walspout for table t");
  }

  int port() {
    const std::string before = "status at http://127.0.0.1:";
    const std::string log = host().log();
    const std::size_t at = log.rfind(before);
    if (at == std::string::npos) throw std::runtime_error("the log names no port:\n" + log);
    return std::atoi(log.c_str() + at + before.size());
  }
  // "" when there is no such sample.
  std::string metric(const std::string& name) {
    std::istringstream lines(get(port(), "/metrics").body);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(name + " ")) return line.substr(name.size() + 1);
    return "";
  }
  std::string state_of(const std::string& sink) {
    const auto status = nlohmann::json::parse(get(port(), "/status").body);
    for (const auto& one : status.at("sinks"))
      if (one.at("name") == sink) return one.at("state");
    return "";
  }
};

// One that may be stopped.
class AdminOfOwnServer : public Admin {
 protected:
  void SetUp() override {
    use_own_server({});
    prepare();
  }
};

TEST_F(Admin, MetricsTellWhatTheHostDid) {
  host().start_streaming();
  host().wait_caught_up();
  sql("insert into t values (4, 'd'), (5, 'e')");
  sql("update t set v = 'x' where id = 1");
  sql("delete from t where id = 2");
  host().wait_caught_up();
  EXPECT_EQ(metric("walspout_transactions_total"), "3");
  EXPECT_EQ(metric("walspout_changes_total{op=\"insert\"}"), "2");
  EXPECT_EQ(metric("walspout_changes_total{op=\"update\"}"), "1");
  EXPECT_EQ(metric("walspout_changes_total{op=\"delete\"}"), "1");
  for (const std::string sink : {"mirror", "events"}) {
    EXPECT_EQ(metric("walspout_sink_state{sink=\"" + sink + "\",state=\"running\"}"), "1");
    EXPECT_EQ(metric("walspout_commit_to_durable_seconds_count{sink=\"" + sink + "\"}"), "3");
    EXPECT_GT(
        std::atoi(metric("walspout_sink_calls_total{sink=\"" + sink + "\",result=\"ok\"}").c_str()),
        3);
  }
  EXPECT_EQ(metric("walspout_snapshot_rows_total{table=\"public.t\"}"), "3");
  EXPECT_EQ(metric("walspout_snapshot_progress_ratio{table=\"public.t\"}"), "1");
  EXPECT_EQ(metric("walspout_source_streaming"), "1");
  host().wait("a look at the slot", Seconds(20),
              [&] { return !metric("walspout_slot_retained_wal_bytes").empty(); });
  EXPECT_FALSE(metric("walspout_source_lag_bytes{stage=\"flushed\"}").empty());
  const auto status = nlohmann::json::parse(get(port(), "/status").body);
  EXPECT_EQ(status.at("source"), "streaming");
  EXPECT_EQ(status.at("slot").at("name"), config().slot);
}

TEST_F(AdminOfOwnServer, ReadinessFollowsTheSourceAndLivenessDoesNot) {
  host().start_streaming();
  EXPECT_EQ(get(port(), "/readyz").status, 200);
  server().stop();
  host().wait("not ready", Seconds(20), [&] { return get(port(), "/readyz").status == 503; });
  EXPECT_EQ(get(port(), "/livez").status, 200);
  server().start();
  host().wait("ready", Seconds(60), [&] { return get(port(), "/readyz").status == 200; });
  host().stop();
}

TEST_F(Admin, APortThatIsTakenEndsTheStartInOneLine) {
  host().start_streaming();
  HostConfig second = config();
  second.slot += "_b";
  second.sinks = {sqlite_sink(dir() / "other.db")};
  second.admin = "127.0.0.1:" + std::to_string(port());
  const auto other = another_host("other", second);
  other->start();
  EXPECT_EQ(other->wait_exit(), 1);
  EXPECT_NE(other->log().find("[admin] listen: cannot listen at 127.0.0.1 port"), std::string::npos)
      << other->log();
}

// While the gate is there, a call of the plugin does not return.
TEST_F(Admin, ASinkThatHangsIsNamedAndHoldsNobodyUp) {
  const std::string gate = dir() / "gate";
  config().sinks.push_back({"stuck", WALSPOUT_BAD_PLUGINS "/hangs.so", {"gate = " + toml(gate)}});
  write_file(gate, "");
  host().start_streaming();
  sql("insert into t values (4, 'd')");
  host().wait_logged("sink stuck: flush of its plugin hangs has not returned for", Seconds(50));
  EXPECT_EQ(state_of("stuck"), "hanging");
  EXPECT_EQ(get(port(), "/readyz").status, 503);
  EXPECT_NE(get(port(), "/readyz").body.find("sink stuck has been in flush"), std::string::npos);
  EXPECT_EQ(get(port(), "/livez").status, 200);
  EXPECT_EQ(mirrored("t"), 4);
  const auto committed = server().wal_position();
  EXPECT_LT(host().confirmed(), committed) << "what the stuck one lacks was confirmed";

  std::filesystem::remove(gate);
  host().wait_logged("sink stuck: flush has returned");
  host().wait("confirmed", Seconds(30), [&] { return host().caught_up(committed); });
  EXPECT_EQ(get(port(), "/readyz").status, 200);

  write_file(gate, "");
  sql("insert into t values (5, 'e')");
  const auto later = server().wal_position();
  host().wait("the others", Seconds(20), [&] { return mirrored("t") == 5; });
  host().signal(SIGTERM);
  EXPECT_EQ(host().wait_exit(Seconds(30)), 1)
      << "it waits for the plugin, or says that all is well";
  EXPECT_LT(host().confirmed(), later);
}

// Stands in for systemd.
class Manager {
 public:
  explicit Manager(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size() + 1);
    if (bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot bind " + path);
    setenv("NOTIFY_SOCKET", path.c_str(), 1);
    setenv("WATCHDOG_USEC", "300000", 1);
  }
  ~Manager() {
    close(fd_);
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
  }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  void wait(const std::string& what) {
    wait_until("told " + what, Seconds(20), [&] {
      char buffer[512];
      for (ssize_t got = 0; (got = recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT)) >= 0;)
        if (std::string(buffer, static_cast<std::size_t>(got)).starts_with(what)) return true;
      return false;
    });
  }

 private:
  int fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
};

TEST_F(AdminOfOwnServer, TheServiceManagerIsToldOfTheLife) {
  Manager manager(dir() / "notify");
  host().start();
  manager.wait("READY=1");
  manager.wait("STATUS=streaming");
  manager.wait("WATCHDOG=1");
  server().stop();
  manager.wait("STATUS=not streaming");
  manager.wait("WATCHDOG=1");
  server().start();
  manager.wait("STATUS=streaming");
  host().stop();
  manager.wait("STOPPING=1");
}

}  // namespace
}  // namespace walspout::test
