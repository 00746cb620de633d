// pgbench writes, the host is killed, the server is restarted: nothing may be lost or doubled.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "e2e/pipeline_test.hpp"

namespace walspout::test {

unsigned crash_seed = 0;  // of main()

namespace {

constexpr int kKills = 32;
constexpr int kServerRestarts = 3;

using Json = nlohmann::json;

class Crash : public PipelineTest {
 protected:
  std::mt19937 random_{crash_seed};
  std::unique_ptr<Process> pgbench_;

  void SetUp() override {
    use_own_server({{"max_wal_size = 2GB"}, {}});
    pgbench({"-i", "-q", "-s", "1"})->wait(Seconds(60));
    sql("alter table pgbench_history replica identity full");
    sql("create publication walspout for table pgbench_accounts, pgbench_branches, "
        "pgbench_tellers, "
        "pgbench_history");
  }

  std::unique_ptr<Process> pgbench(std::vector<std::string> args) {
    args.insert(args.begin(), PostgresServer::client("pgbench"));
    args.insert(args.end(),
                {"-h", server().socket_directory(), "-p", "5432", "-U", "postgres", db()});
    return std::make_unique<Process>(Command{std::move(args)}, dir() / "pgbench.log");
  }
  void start_load() {
    // Throttled, so that the host can keep up between two kills on a small machine.
    pgbench_ = pgbench({"-n", "-c", "4", "-j", "2", "-T", "3600", "-R", "400"});
  }
  void stop_load() {
    pgbench_->send(SIGTERM);
    pgbench_->wait(Seconds(20));
  }

  int between(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  void pass(int milliseconds) {  // the moment of the next blow is what the test is about
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  }

  void restart_server(int round) {
    const bool fast = round % 2 == 0;
    std::cout << "restart of the server, " << (fast ? "fast" : "immediate") << std::endl;
    server().restart(fast ? PostgresServer::How::kFast : PostgresServer::How::kImmediate);
    stop_load();  // its clients have lost their connections
    start_load();
  }
};

// What the events say, replayed: the balance of each row of a table with a key, and history's rows.
struct Replay {
  std::map<std::string, std::map<std::int64_t, std::int64_t>> balances;
  std::multiset<std::string> history;

  static std::string history_row(std::int64_t tid, std::int64_t bid, std::int64_t aid,
                                 std::int64_t delta) {
    return std::to_string(tid) + " " + std::to_string(bid) + " " + std::to_string(aid) + " " +
           std::to_string(delta);
  }

  void apply(const Json& event) {
    if (event.at("op") == "schema") return;
    const std::string table = event.at("table");
    if (event.at("op") == "truncate") {  // a copy that starts over
      balances[table].clear();
      if (table == "pgbench_history") history.clear();
      return;
    }
    const Json& row = event.at("new");
    if (table == "pgbench_history") {
      history.insert(history_row(row.at("tid"), row.at("bid"), row.at("aid"), row.at("delta")));
      return;
    }
    const std::string first = table.substr(8, 1);  // accounts: aid, abalance; tellers: tid, ...
    balances[table][row.at(first + "id")] = row.at(first + "balance");
  }
};

class FileAfterTheCrashes {
 public:
  explicit FileAfterTheCrashes(const std::string& path) : events_(read_json_lines(path)) {
    for (const auto& event : events_) replay_.apply(event);
  }

  void expect_in_order_and_once() {
    EXPECT_EQ(order_fault(events_), "");
    // A transaction of pgbench changes four rows.
    std::map<std::string, int> next;
    for (const auto& event : events_) {
      if (event.at("op") == "read" || event.at("op") == "schema" || event.at("op") == "truncate")
        continue;
      const std::string id = event.at("id");
      ASSERT_EQ(std::stoi(id.substr(17)), next[id.substr(0, 16)]++) << "a gap before " << id;
    }
    for (const auto& [commit, count] : next) ASSERT_EQ(count, 4) << "in the commit " << commit;
    std::cout << next.size() << " transactions in the file" << std::endl;
  }

  void expect_equal(const PostgresServer& server, const std::string& db) {
    for (const std::string table : {"accounts", "tellers", "branches"}) {
      const std::string first = table.substr(0, 1);
      std::map<std::int64_t, std::int64_t> source;
      for (const auto& row :
           server.query(db, fmt::format("select {0}id, {0}balance from pgbench_{1}", first, table)))
        source[std::stoll(*row[0])] = std::stoll(*row[1]);
      EXPECT_TRUE(replay_.balances["pgbench_" + table] == source) << table << " differs";
    }
    std::multiset<std::string> history;
    for (const auto& row : server.query(db, "select tid, bid, aid, delta from pgbench_history"))
      history.insert(Replay::history_row(std::stoll(*row[0]), std::stoll(*row[1]),
                                         std::stoll(*row[2]), std::stoll(*row[3])));
    EXPECT_EQ(replay_.history.size(), history.size());
    EXPECT_TRUE(replay_.history == history) << "history differs";
  }

 private:
  std::vector<Json> events_;
  Replay replay_;
};

TEST_F(Crash, NothingIsLostOrDoubled) {
  std::set<int> restarts;
  while (restarts.size() < kServerRestarts) restarts.insert(between(3, kKills - 2));
  // A table that is copied later than another leaves gaps in the first transactions' events.
  host().start_streaming();
  for (const std::string sink : {"mirror", "events"})
    for (const std::string table : {"accounts", "branches", "history", "tellers"})
      host().wait_logged(fmt::format("sink {}: copied public.pgbench_{} ", sink, table),
                         Seconds(60));
  host().wait_caught_up();
  start_load();
  host().kill9();
  int round = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    host().start();
    if (restarts.count(kill)) {
      pass(between(0, 1500));
      restart_server(round++);
    }
    // One in three dies while it starts, the others when they stream.
    if (between(0, 2)) host().wait_streaming(Seconds(60));
    pass(between(0, 1800));
    ASSERT_TRUE(host().running()) << "it ended by itself";
    host().kill9();
  }
  host().start();
  host().wait_streaming(Seconds(60));
  stop_load();
  host().wait_caught_up(Seconds(120));
  std::cout << value("select count(*) from pgbench_history") << " transactions by pgbench, "
            << kKills << " kills, " << round << " restarts of the server" << std::endl;
  expect_mirror_equals_source();
  FileAfterTheCrashes file(events_path());
  file.expect_in_order_and_once();
  file.expect_equal(server(), db());
  EXPECT_EQ(SqliteFile(mirror_path()).text("pragma integrity_check"), "ok");
  host().stop();
  expect_mirror_equals_source();
}

}  // namespace
}  // namespace walspout::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* seed = std::getenv("WALSPOUT_SEED");
  if (argc == 3 && std::string(argv[1]) == "--seed") seed = argv[2];
  walspout::test::crash_seed =
      seed ? static_cast<unsigned>(std::strtoul(seed, nullptr, 10)) : std::random_device()();
  std::cout << "seed " << walspout::test::crash_seed << std::endl;
  return RUN_ALL_TESTS();
}
