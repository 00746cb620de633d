// `walspout pause` and `resume`: over the host's life, over kills, and for a sink in trouble.
#include "e2e/mirror_lock.hpp"
#include "e2e/pipeline_test.hpp"

namespace walspout::test {
namespace {

class PauseTest : public PipelineTest {
 protected:
  void begin() {
    sql("create table k (id integer primary key, v text)");
    sql("insert into k values (1, 'a')");
    host().start_streaming();
    host().wait_caught_up();
  }
  std::string state_of(const std::string& name) {
    const std::string text = host().verb("status", {"--json"}).output;
    const auto status = nlohmann::json::parse(text.substr(0, text.find('\n')));
    for (const auto& sink : status.at("sinks"))
      if (sink.at("name") == name) return sink.at("state");
    return "no sink " + name;
  }
  void expect_done(const Finished& done, const std::string& said) {
    EXPECT_EQ(done.status, 0) << done.output;
    EXPECT_NE(done.output.find(said), std::string::npos) << done.output;
  }
  void wait_events(std::size_t inserts) {
    host().wait("the other sink's events", Seconds(20),
                [&] { return count_events("insert", "k") >= inserts; });
  }
};

TEST_F(PauseTest, TheSinkWaitsAndTheOthersGoOn) {
  begin();
  expect_done(host().verb("pause", {"mirror"}), "sink mirror is paused\n");
  EXPECT_EQ(state_of("mirror"), "paused");
  EXPECT_EQ(state_of("events"), "running");
  const std::uint64_t before = server().wal_position();
  for (int i = 2; i <= 20; ++i) sql("insert into k values (" + std::to_string(i) + ", 'b')");
  wait_events(19);
  EXPECT_EQ(mirrored("k"), 1);
  EXPECT_LE(host().confirmed(), before);  // only what both have
  expect_done(host().verb("pause", {"mirror"}), "was paused already\n");
  expect_done(host().verb("resume", {"mirror"}), "sink mirror goes on\n");
  expect_everything_delivered();
  EXPECT_EQ(state_of("mirror"), "running");
}

TEST_F(PauseTest, ItLastsOverAKillAndAStop) {
  begin();
  expect_done(host().verb("pause", {"mirror"}), "is paused");
  sql("insert into k values (2, 'b')");
  wait_events(1);
  host().kill9();
  host().start_streaming();
  host().wait_logged("sink mirror is paused (walspout pause, since 20");
  sql("insert into k values (3, 'c')");
  wait_events(2);
  EXPECT_EQ(mirrored("k"), 1);
  host().stop(Seconds(5));  // with what waits left where it is
  expect_done(host().verb("resume", {"mirror"}), "goes on with the next");
  host().start_streaming();
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 3);
}

TEST_F(PauseTest, ASinkThatTriesAgainAndAgainIsLeftAloneAndHoldsNoStopUp) {
  begin();
  {
    const MirrorLock lock(mirror_path());
    sql("insert into k values (2, 'b')");
    host().wait_logged("is tried again in");
    expect_done(host().verb("pause", {"mirror"}), "is paused");
    EXPECT_EQ(state_of("mirror"), "paused");
    host().stop();
  }
  EXPECT_EQ(mirrored("k"), 1);
  host().start_streaming();
  expect_done(host().verb("resume", {"mirror"}), "goes on");
  expect_everything_delivered();
}

TEST_F(PauseTest, ARunUntilCaughtUpSaysThatItCannotBe) {
  begin();
  host().stop();
  expect_done(host().verb("pause", {"mirror"}), "stays paused with the next");
  sql("insert into k values (2, 'b')");
  const Finished run = host().verb("run", {"--until-caught-up"});
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_NE(run.output.find("sink mirror is paused, so it does not catch up; walspout resume " +
                            host().config_path() + " mirror lets it go on"),
            std::string::npos)
      << run.output;
}

TEST_F(PauseTest, AMisspeltSinkIsSaid) {
  begin();
  const Finished gone = host().verb("pause", {"evnts"});
  EXPECT_EQ(gone.status, 2) << gone.output;
  EXPECT_NE(gone.output.find("did you mean 'events'?"), std::string::npos) << gone.output;
}

}  // namespace
}  // namespace walspout::test
