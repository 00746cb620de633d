// A storm of statements, kills of the host in between: in the end the mirror equals the source. See
// README.md.
#include <algorithm>
#include <cstdlib>
#include <thread>

#include "e2e/pipeline_test.hpp"
#include "storm/storm.hpp"

namespace walspout::test::storm {

// From the command line.
struct Arguments {
  std::vector<unsigned> seeds;
  bool schema = true;
  bool verify = true;
  int transactions = 150;
  double settle = 60;  // seconds for the mirror to become right in the end
  std::string replay;
};
Arguments arguments;

namespace {

class StormTest : public PipelineTest, public testing::WithParamInterface<unsigned> {
 protected:
  void SetUp() override {
    // Odd seeds receive all but the smallest transactions while they run.
    const bool streamed = GetParam() % 2 == 1;
    use_own_server(
        {{std::string("logical_decoding_work_mem = ") + (streamed ? "64kB" : "64MB")}, {}});
    // One in three makes its publication by itself, as a user does who names no tables.
    managed_ = GetParam() % 3 == 0;
    if (!arguments.replay.empty()) return;
    script_ = std::make_unique<Script>(file("sql"));
    std::cout << "seed " << GetParam() << ", script " << script_->path() << std::endl;
  }

  void TearDown() override {
    if (HasFailure()) {
      write_file(file("log"), host().log());
      std::cout << "seed " << GetParam() << " failed: its statements are in " << file("sql")
                << ", the host's log in " << file("log") << std::endl;
    } else if (script_) {
      std::filesystem::remove(script_->path());
    }
    PipelineTest::TearDown();
  }

  static std::string file(const std::string& ending) {
    const char* folder = std::getenv("TMPDIR");
    return std::string(folder ? folder : "/tmp") + "/walspout-storm-" + std::to_string(GetParam()) +
           "." + ending;
  }

  void start_host_first() {
    if (!managed_)
      sql("create publication walspout for all tables with (publish_via_partition_root = true)");
    host().start_streaming();
    host().wait_caught_up();
  }

  void kill_host() {
    if (script_) script_->event("kill");
    host().kill9();
  }
  void start_host() {
    if (script_) script_->event("start");
    host().start();
  }

  void blow_and_throw() {
    Storm storm(server(), db(), *script_, {GetParam(), arguments.schema});
    storm.prepare();
    script_->event("start");
    start_host_first();
    Dice blows(GetParam() * 7919 + 1);  // its own, so that the statements do not depend on the host
    int kills = 0, away = 0;
    while (storm.transactions() < arguments.transactions) {
      storm.step();
      std::this_thread::sleep_for(std::chrono::milliseconds(blows.between(0, 20)));
      if (away > 0) {
        if (--away == 0) start_host();
        continue;
      }
      ASSERT_TRUE(host().running()) << "the host ended by itself with " << *host().wait_exit();
      if (!blows.percent(2)) continue;
      kill_host();
      ++kills;
      away = blows.percent(50) ? 1 : blows.between(2, 40);
    }
    storm.finish();
    std::cout << storm.summary() << "; " << kills << " kills" << std::endl;
  }

  // What failed then mostly fails again; what comes after it is what came then.
  void replay() {
    std::vector<Session> writers;
    for (int number = 0; number < 2; ++number) {
      writers.push_back(server().session(db()));
      writers.back().sql(kLittlePatience);
    }
    bool started = false;
    for (const auto& line : read_script(arguments.replay)) {
      // A script that was made short may lack one of a pair.
      if (line.event == "kill") {
        if (started && host().running()) host().kill9();
      } else if (line.event == "start") {
        if (!started) start_host_first();
        if (!host().running()) host().start();
        started = true;
      } else {
        try {
          writers.at(static_cast<std::size_t>(line.writer - 1)).sql(line.sql);
        } catch (const std::runtime_error& error) {
          std::cout << line.sql.substr(0, 100) << ": " << error.what() << std::endl;
        }
      }
    }
    // Nor may it leave locks behind.
    writers.clear();
    for (const auto& row : server().query(db(), "select gid from pg_prepared_xacts"))
      sql("rollback prepared " + quote_text(*row[0]));
  }

  void expect_mirror_right_in_the_end() {
    if (!host().running()) start_host();
    host().wait_streaming(Seconds(60));
    host().wait_caught_up(Seconds(120));
    // Copies that changes of the schema brought about may still be under way.
    ASSERT_EQ(difference_in_the_end(
                  Seconds(arguments.settle),
                  [&] { return mirror_difference(server(), db(), "walspout", mirror_path()); }),
              "");
    EXPECT_EQ(order_fault(events()), "");
    if (arguments.verify) {
      const auto verified = host().verb("verify");
      EXPECT_EQ(verified.status, 0) << verified.output;
    }
    host().stop(Seconds(60));
    expect_mirror_equals_source();
  }

  std::unique_ptr<Script> script_;
  bool managed_ = false;
};

TEST_P(StormTest, MirrorEqualsSourceInTheEnd) {
  arguments.replay.empty() ? blow_and_throw() : replay();
  if (!HasFatalFailure()) expect_mirror_right_in_the_end();
}

INSTANTIATE_TEST_SUITE_P(Seeds, StormTest, testing::ValuesIn(arguments.seeds),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace walspout::test::storm

int main(int argc, char** argv) {
  auto& arguments = walspout::test::storm::arguments;
  std::vector<char*> others = {argv[0]};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--rows-only") {
      arguments.schema = false;
    } else if (word == "--no-verify") {
      arguments.verify = false;
    } else if (word == "--transactions" && i + 1 < argc) {
      arguments.transactions = std::atoi(argv[++i]);
    } else if (word == "--settle" && i + 1 < argc) {
      arguments.settle = std::atof(argv[++i]);
    } else if (word == "--replay" && i + 1 < argc) {
      arguments.replay = argv[++i];
    } else if (const unsigned seed = static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10))) {
      arguments.seeds.push_back(seed);
    } else {
      others.push_back(argv[i]);
    }
  }
  if (arguments.seeds.empty()) arguments.seeds = {1, 2, 3};
  int count = static_cast<int>(others.size());
  testing::InitGoogleTest(&count, others.data());
  if (count > 1) {
    std::cerr << "usage: " << argv[0]
              << " [SEED...] [--transactions N] [--settle SECONDS] [--rows-only]"
              << " [--no-verify] [--replay SCRIPT]\n";
    return 2;
  }
  return RUN_ALL_TESTS();
}
