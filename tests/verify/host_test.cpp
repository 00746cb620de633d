// Verify beside a host that runs, stands still or is not there; and --repair.
#include <signal.h>

#include <mutex>

#include "control/requests.hpp"
#include "control/server.hpp"
#include "verify/fixture.hpp"

namespace walspout::test {
namespace {

class VerifyHost : public VerifyTest {
 protected:
  void make_table(int rows = 100) {
    sql("create table t (id int primary key, v text)");
    sql("insert into t select g, 'v' from generate_series(1, " + std::to_string(rows) + ") g");
  }
  // What temporary slots, and sessions of verify, are left at the server.
  std::string left_behind() {
    return value(
               "select count(*) from pg_replication_slots where slot_name like "
               "'walspout_verify%'") +
           " " +
           value(
               "select count(*) from pg_stat_activity where application_name = 'walspout verify'");
  }
};

TEST_F(VerifyHost, NothingIsLeftAtTheServer) {
  make_table();
  start_mirror();
  expect_equal();
  EXPECT_TRUE(eventually(Seconds(10), [&] { return left_behind() == "0 0"; })) << left_behind();
}

TEST_F(VerifyHost, WithoutAHostWhatWaitsInTheStreamIsLeftOut) {
  make_table();
  sql("create table other (id int primary key, v text);"
      "create table keyless (a int, v text); alter table keyless replica identity full;"
      "insert into keyless select g, 'v' from generate_series(1, 100) g");
  start_mirror();
  host().stop();
  sql("update t set v = 'new' where id <= 10");
  sql("delete from t where id = 20");
  sql("insert into t values (101, 'new')");
  sql("update t set id = 200 where id = 30");
  sql("update keyless set v = 'new' where a <= 5; delete from keyless where a = 9");
  expect_equal();
  EXPECT_TRUE(printed("14 rows wait in the stream and were not compared")) << last_.output;
  in_mirror("update t set v = 'x' where id in (1, 50)");
  in_mirror("update keyless set v = 'x' where a in (1, 60)");
  expect_differences({"public.t (id=50): differs in: v (source 'v', mirror 'x')",
                      "public.keyless (a=1, v=v): missing in the mirror",
                      "public.keyless (a=1, v=x): extra in the mirror",
                      "public.keyless (a=60, v=v): missing in the mirror",
                      "public.keyless (a=60, v=x): extra in the mirror"});
}

TEST_F(VerifyHost, WithoutAHostATruncateThatWaitsLeavesItsTableOut) {
  make_table();
  sql("create table other (id int primary key)");
  start_mirror();
  host().stop();
  sql("truncate t");
  verify();
  EXPECT_EQ(last_.status, 1);
  EXPECT_TRUE(printed("public.t: not compared: it was emptied by TRUNCATE")) << last_.output;
  EXPECT_TRUE(printed("public.other: 0 rows, equal")) << last_.output;
}

TEST_F(VerifyHost, TheSlotIsNotMovedByLookingIntoIt) {
  make_table();
  start_mirror();
  host().stop();
  sql("update t set v = 'new' where id = 1");
  const auto confirmed = host().confirmed();
  expect_equal();
  EXPECT_EQ(host().confirmed(), confirmed);
  host().start_streaming();
  host().wait_caught_up();
  expect_equal();
  EXPECT_FALSE(printed("wait in the stream")) << last_.output;
}

TEST_F(VerifyHost, AKilledHostsMirrorIsRead) {
  make_table();
  start_mirror();
  sql("update t set v = 'new'");
  host().wait_caught_up();
  host().kill9();
  expect_equal();
}

TEST_F(VerifyHost, AHostThatStandsStillIsWaitedForAndThenNamed) {
  make_table();
  start_mirror();
  host().pause();
  sql("update t set v = 'new'");
  verify({"--wait", "1s"});
  host().resume();
  EXPECT_EQ(last_.status, 1);
  EXPECT_TRUE(printed("bytes behind the source")) << last_.output;
  expect_equal();
}

TEST_F(VerifyHost, BeforeTheFirstCopyItSaysSo) {
  make_table();
  config().sinks.resize(1);
  sql("create publication walspout for all tables");
  verify({"--wait", "100ms"});
  EXPECT_EQ(last_.status, 1);
  EXPECT_TRUE(printed("does not exist; start the host")) << last_.output;
}

TEST_F(VerifyHost, AMirrorOfAnotherServerIsRefused) {
  make_table();
  start_mirror();
  host().stop();
  in_mirror("update _walspout_position set lsn = 'FFFF/0'");
  verify();
  EXPECT_EQ(last_.status, 3);
  EXPECT_TRUE(printed("beyond the end of the source's log")) << last_.output;
}

TEST_F(VerifyHost, ATableThatMayNotBeReadIsNamedAndTheOthersAreCompared) {
  make_table();
  sql("create table closed (id int primary key)");
  start_mirror();
  const std::string role = "verify_" + db();
  sql("create role " + role + " login replication; grant select on t to " + role);
  const std::string url = config().url;
  host().config().url = server().url(db(), role);
  verify();
  host().config().url = url;
  EXPECT_EQ(last_.status, 1);
  EXPECT_TRUE(printed("public.t: 100 rows, equal")) << last_.output;
  EXPECT_TRUE(printed("public.closed: not compared: ")) << last_.output;
}

TEST_F(VerifyHost, ATableThatIsLockedForLongIsNamed) {
  make_table();
  start_mirror();
  host().pause();  // verify has its snapshot, and waits for the mirror
  std::thread verifying([&] { verify(); });
  Session session = server().session(db());
  const bool waits = eventually(Seconds(10), [&] { return !left_behind().starts_with("0"); });
  session.sql("begin; lock table t in access exclusive mode");
  host().resume();
  verifying.join();
  session.sql("rollback");
  EXPECT_TRUE(waits);
  EXPECT_EQ(last_.status, 1);
  EXPECT_TRUE(printed("kept it locked")) << last_.output;
}

TEST_F(VerifyHost, WithoutAPublicationTheSourceRefuses) {
  config().sinks.resize(1);
  verify();
  EXPECT_EQ(last_.status, 3);
  EXPECT_TRUE(printed("publication walspout does not exist")) << last_.output;
}

TEST_F(VerifyHost, ATableThatIsEmptiedMeanwhileIsComparedAgain) {
  make_table();
  start_mirror();
  Session session = server().session(db());
  std::atomic<bool> stop = false;
  std::thread truncating([&] {
    for (int i = 0; i < 12 && !stop; ++i) {
      session.sql("truncate t; insert into t select g, 'w' from generate_series(1, 50) g");
      session.sql("select pg_sleep(0.2)");
    }
  });
  verify();
  stop = true;
  truncating.join();
  EXPECT_EQ(last_.status, 0) << last_.output;
  EXPECT_EQ(differences(), std::vector<std::string>());
}

TEST_F(VerifyHost, NamesThatAreNotThereAreUsageErrors) {
  make_table();
  start_mirror();
  EXPECT_EQ(verify({"nosuch"}).status, 2);
  EXPECT_TRUE(printed("no published table")) << last_.output;
  EXPECT_EQ(verify({"--sink", "miror"}).status, 2);
  EXPECT_TRUE(printed("mirror")) << last_.output;
  EXPECT_EQ(verify({"--wait", "30"}).status, 2);
  EXPECT_EQ(verify({"t"}).status, 0) << last_.output;
  EXPECT_EQ(verify({"public.*", "!public.t"}).status, 2);
}

TEST_F(VerifyHost, SinksThatCannotBeReadBackAreNamed) {
  make_table();
  config().sinks = {file_sink(events_path())};
  EXPECT_EQ(verify().status, 2);
  EXPECT_TRUE(printed("plugin file cannot be read back")) << last_.output;
  host().config().sinks = {sqlite_sink(mirror_path())};
  host().config().sinks[0].more = {"operations = [\"insert\"]"};
  EXPECT_EQ(verify().status, 2);
  EXPECT_TRUE(printed("its operations leave changes out")) << last_.output;
}

TEST_F(VerifyHost, SeveralSinksAreComparedEachByItself) {
  make_table();
  const std::string second = dir() / "second.db";
  config().sinks = {sqlite_sink(mirror_path()), sqlite_sink(second, "second")};
  host().start_streaming();
  host().wait_caught_up();
  SqliteFile(second, SqliteFile::Mode::kWrite).exec("delete from t where id = 7");
  expect_differences({"second: public.t (id=7): missing in the mirror"});
  EXPECT_TRUE(printed("mirror: public.t: 100 rows, equal")) << last_.output;
  expect_equal({"--sink", "mirror"});
}

TEST_F(VerifyHost, RepairWithoutAHostMendsNothingAndSaysSo) {
  make_table();
  start_mirror();
  host().stop();
  in_mirror("delete from t where id = 1");
  verify({"--repair"});
  EXPECT_EQ(last_.status, 1);
  EXPECT_TRUE(printed("no host runs")) << last_.output;
}

// What the host would do is done here, to the mirror of a host that is stopped.
TEST_F(VerifyHost, RepairAsksForEachDifferingRowAndCountsWhatIsMended) {
  make_table();
  sql("create table pair (a int, b text, v text, primary key (a, b));"
      "insert into pair values (1, 'x y', 'v')");
  start_mirror();
  host().stop();
  in_mirror("update t set v = 'x' where id = 5");
  in_mirror("delete from t where id = 6");
  in_mirror("insert into t values (1000, 'x')");
  in_mirror("update pair set v = null");
  std::mutex mutex;
  std::vector<std::string> asked;
  const auto handler = [&](const std::vector<std::string>& words) {
    const std::lock_guard lock(mutex);
    const control::Repair repair = control::parse_repair(words);
    std::string text = repair.sink + " " + repair.schema + "." + repair.table;
    for (const auto& [column, key] : repair.key)
      text.append(" ").append(column).append("=").append(key);
    asked.push_back(text);
    if (repair.table == "pair") in_mirror("update pair set v = 'v'");
    if (repair.key[0].second == "5") in_mirror("update t set v = 'v' where id = 5");
    if (repair.key[0].second == "1000") in_mirror("delete from t where id = 1000");
    control::Reply reply;
    reply.ok = repair.key[0].second != "6";
    if (!reply.ok) reply.lines = {"it is not wanted"};
    return reply;
  };
  {
    const control::Server host_of_the_test(host().state_directory(), handler);
    verify({"--repair", "--wait", "2s"});
  }
  EXPECT_EQ(last_.status, 1);
  std::sort(asked.begin(), asked.end());
  EXPECT_EQ(asked,
            (std::vector<std::string>{"mirror public.pair a=1 b=x y", "mirror public.t id=1000",
                                      "mirror public.t id=5", "mirror public.t id=6"}));
  EXPECT_TRUE(printed("public.pair: 1 row, 1 of them differs, 1 mended")) << last_.output;
  EXPECT_TRUE(printed("public.t: 100 rows, 3 of them differ, 2 mended")) << last_.output;
  EXPECT_TRUE(printed("does not mend it: it is not wanted")) << last_.output;
  in_mirror("insert into t values (6, 'v')");
  expect_equal();
}

TEST_F(VerifyHost, RepairOfATableWithoutKeyAsksForItsCopy) {
  sql("create table t (a int, v text); alter table t replica identity full;"
      "insert into t values (1, 'v')");
  start_mirror();
  host().stop();
  in_mirror("update t set v = 'x'");
  std::vector<std::string> asked;
  const auto handler = [&](const std::vector<std::string>& words) {
    asked = words;
    in_mirror("update t set v = 'v'");
    return control::Reply();
  };
  {
    const control::Server host_of_the_test(host().state_directory(), handler);
    verify({"--repair"});
  }
  EXPECT_EQ(asked, (std::vector<std::string>{"resync", "--sink", "mirror", "public.t"}));
  EXPECT_EQ(last_.status, 0) << last_.output;
  EXPECT_TRUE(printed("2 mended")) << last_.output;
}

}  // namespace
}  // namespace walspout::test
