// Ending: on a signal, in the copy, with a sink that does not get on.
#include <signal.h>

#include "e2e/mirror_lock.hpp"
#include "e2e/pipeline_test.hpp"

namespace walspout::test {
namespace {

class Stop : public PipelineTest {
 protected:
  void make_table() {
    sql("create table k (id integer primary key, v text)");
    sql("create publication walspout for table k");
  }
  // Everything committed so far is on its way to the host.
  void wait_sent() {
    const auto target = server().wal_position();
    host().wait("sent", Seconds(20), [&] {
      return parse_lsn(server().value("postgres",
                                      "select sent_lsn from pg_stat_replication where "
                                      "pid = " +
                                          std::to_string(host().walsender_pid()))) >= target;
    });
  }
};

class CleanStop : public Stop, public testing::WithParamInterface<int> {};

TEST_P(CleanStop, ConfirmsWhatItHasAndDeliversNothingTwice) {
  make_table();
  host().start_streaming();
  Session session = server().session(db());
  for (int i = 1; i <= 50; ++i)
    session.sql("insert into k values (" + std::to_string(i) + ", 'x')");
  const auto committed = parse_lsn(session.value("select pg_current_wal_flush_lsn()"));
  wait_sent();
  host().signal(GetParam());
  const double began = now();
  ASSERT_EQ(host().wait_exit(), 0);
  EXPECT_LT(now() - began, 5 * patience());
  EXPECT_GE(host().confirmed(), committed);
  EXPECT_EQ(mirrored("k"), 50);
  const std::string delivered = read_file(events_path());
  EXPECT_EQ(count_events("insert", "k"), 50u);

  host().start_streaming();
  expect_everything_delivered();
  EXPECT_EQ(read_file(events_path()), delivered);
  host().stop();
}

INSTANTIATE_TEST_SUITE_P(OnSignal, CleanStop, testing::Values(SIGTERM, SIGINT),
                         [](const auto& info) { return info.param == SIGINT ? "INT" : "TERM"; });

TEST_F(Stop, SecondSignalEndsAHostWhoseSinkHangs) {
  make_table();
  host().start_streaming();
  host().wait_caught_up();
  {
    const MirrorLock lock(mirror_path());
    sql("insert into k select g, 'x' from generate_series(1, 50) g");
    const auto committed = server().wal_position();
    wait_sent();
    host().signal(SIGTERM);
    host().wait("the first signal taken", Seconds(5), [&] {
      const std::string status = read_file("/proc/" + std::to_string(host().pid()) + "/status");
      return status.find("ShdPnd:\t0000000000000000") != std::string::npos;
    });
    host().signal(SIGTERM);
    ASSERT_TRUE(host().wait_exit(Seconds(10))) << "it still runs";
    EXPECT_LT(host().confirmed(), committed);
  }
  host().start_streaming();
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 50);
}

TEST_F(Stop, FirstSignalEndsAHostWhoseSinkHangsAfterAWhile) {
  make_table();
  host().start_streaming();
  host().wait_caught_up();
  {
    const MirrorLock lock(mirror_path());
    sql("insert into k select g, 'x' from generate_series(1, 50) g");
    const auto committed = server().wal_position();
    wait_sent();
    host().signal(SIGTERM);
    const auto status = host().wait_exit(Seconds(40));
    ASSERT_TRUE(status) << "it still runs";
    EXPECT_NE(*status, 0) << "it says that all is well";
    EXPECT_LT(host().confirmed(), committed);
  }
  host().start_streaming();
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 50);
}

TEST_F(Stop, SignalDuringTheCopyEndsItAndTheNextStartCopiesAll) {
  make_table();
  sql("insert into k select g, repeat('x', 60) from generate_series(1, 300000) g");
  host().start();
  host().wait("copying", Seconds(20), [&] {
    return value("select count(*) from pg_stat_progress_copy where datname = current_database()") !=
           "0";
  });
  host().signal(SIGTERM);
  const auto status = host().wait_exit(Seconds(15));
  ASSERT_TRUE(status) << "it still runs";
  EXPECT_GE(*status, 0) << "ended by a signal";
  host().start();
  host().wait_streaming(Seconds(60));
  sql("insert into k values (400000, 'live')");
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 300001);
}

TEST_F(Stop, UntilCaughtUpEndsByItselfWithEverythingThere) {
  make_table();
  sql("insert into k select g, 'x' from generate_series(1, 1000) g");
  host().start({"--until-caught-up"});
  ASSERT_EQ(host().wait_exit(), 0) << host().log();
  EXPECT_EQ(mirrored("k"), 1000);
  sql("insert into k select g, 'x' from generate_series(1001, 1500) g");
  sql("delete from k where id = 1");
  host().start({"--until-caught-up"});
  ASSERT_EQ(host().wait_exit(), 0) << host().log();
  EXPECT_EQ(mirrored("k"), 1499);
  expect_mirror_equals_source();
}

}  // namespace
}  // namespace walspout::test
