// From the copy to the stream: no gap, no overlap, whatever is open or killed meanwhile.
#include <algorithm>
#include <atomic>
#include <thread>

#include "e2e/mirror_lock.hpp"
#include "e2e/pipeline_test.hpp"

namespace walspout::test {
namespace {

class HandOver : public PipelineTest {
 protected:
  void make_table(int rows) {
    sql("create table hand (id integer primary key, v integer, who text)");
    sql("insert into hand select g, 0, repeat('x', 60) from generate_series(1, " +
        std::to_string(rows) + ") g");
    sql("create publication walspout for table hand");
  }

  // Changes of the kinds that show a row applied twice, or not at all. Each round is its own.
  static void change(Session& session, int round) {
    const std::string r = std::to_string(round);
    session.sql("update hand set v = v + 1 where id between 1 and 100");
    session.sql("insert into hand values (2000000 + " + r + ", 1, 'B')");
    if (round % 2) session.sql("delete from hand where id = 2000000 + " + r);
    session.sql("update hand set id = id + 5000000 where id = 9000 + " + r);
  }

  // Changes rows from another session until it goes out of scope.
  class Writer {
   public:
    explicit Writer(HandOver& test)
        : session_(test.server().session(test.db())), thread_([this] {
            while (!ended_) change(session_, ++rounds_);
          }) {}
    ~Writer() {
      ended_ = true;
      thread_.join();
    }

   private:
    Session session_;
    std::atomic<bool> ended_{false};
    int rounds_ = 0;
    std::thread thread_;
  };

  bool copying() {
    return value("select count(*) from pg_stat_progress_copy where datname = current_database()") !=
           "0";
  }

  void expect_stream_after_copy() {
    // A large table is read in ranges; what the first one's snapshot contains is in all of them.
    std::uint64_t copied_at = 0;
    for (const auto& event : events())
      if (event.at("op") == "read" && copied_at == 0) copied_at = parse_lsn(event.at("lsn"));
    EXPECT_GT(copied_at, 0u) << "no row was copied";
    for (const auto& event : events()) {
      if (event.at("op") == "read" || event.at("op") == "schema") continue;
      ASSERT_GT(parse_lsn(event.at("lsn")), copied_at) << event.dump();
    }
  }
};

TEST_F(HandOver, TransactionsOpenAcrossTheCopyArriveOnce) {
  make_table(20000);
  Session open = server().session(db());
  open.sql("begin");
  open.sql("insert into hand values (100001, 1, 'A')");
  open.sql("update hand set v = v + 1 where id = 200");
  host().start();
  Session other = server().session(db());
  for (int round = 1; round <= 50; ++round) change(other, round);
  open.sql("commit");
  for (int round = 51; round <= 100; ++round) change(other, round);
  expect_everything_delivered();
  expect_stream_after_copy();
}

TEST_F(HandOver, ChangesDuringALongCopyArriveOnce) {
  make_table(200000);
  {
    const Writer writer(*this);
    host().start();
    host().wait("copying", Seconds(20), [&] { return copying(); });
    host().wait_streaming();
  }
  expect_everything_delivered();
  expect_stream_after_copy();
}

TEST_F(HandOver, CopyThatWaitsForALockedMirrorLosesNothing) {
  make_table(100000);
  {
    const Writer writer(*this);
    host().start();
    host().wait("a mirror with a map", Seconds(20), [&] {
      return std::filesystem::exists(mirror_path()) &&
             SqliteFile(mirror_path())
                 .integer("select count(*) from sqlite_master where name = '_walspout_tables'");
    });
    const MirrorLock lock(mirror_path());
    EXPECT_TRUE(holds_for(Seconds(4), [&] { return host().running(); }));
  }
  expect_everything_delivered();
}

TEST_F(HandOver, CopyKilledHalfWayStartsOver) {
  make_table(300000);
  {
    const Writer writer(*this);
    host().start();
    host().wait("copying", Seconds(20), [&] { return copying(); });
    host().kill9();
    if (std::filesystem::exists(mirror_path())) {
      const Mirror mirror(mirror_path());
      EXPECT_NE(mirror.state("public", "hand"), "live") << "the copy was over: make it longer";
      EXPECT_EQ(mirror.count("hand"), 0) << "a reader sees half a table";
    }
    host().start();
    host().wait_streaming(Seconds(60));
  }
  expect_everything_delivered();
}

TEST_F(HandOver, SetupAndThenRunCopiesEverything) {
  make_table(1000);
  const auto made = host().verb("setup");
  ASSERT_EQ(made.status, 0) << made.output;
  sql("insert into hand values (5000, 5, 'between setup and run')");
  sql("update hand set v = 7 where id = 1");
  host().start_streaming();
  sql("insert into hand values (5001, 5, 'live')");
  expect_everything_delivered();
  EXPECT_EQ(mirrored("hand"), 1002);
}

TEST_F(HandOver, SecondSinkAddedLaterGetsAWholeCopy) {
  make_table(1000);
  host().start_streaming();
  sql("update hand set v = 1 where id <= 10");
  host().wait_caught_up();
  host().stop();
  const std::string second = dir() / "second.db";
  host().config().sinks.push_back(sqlite_sink(second, "second"));
  sql("delete from hand where id = 20");
  host().start_streaming();
  sql("insert into hand values (5001, 5, 'live')");
  expect_everything_delivered();
  EXPECT_EQ(mirror_difference(server(), db(), "walspout", second), "");
  EXPECT_EQ(count_events("read", "hand"), 1000u)
      << "the sinks that were there are not copied again";
}

TEST_F(HandOver, DeletedMirrorIsCopiedAnew) {
  make_table(1000);
  host().start_streaming();
  sql("update hand set v = 1 where id <= 10");
  host().wait_caught_up();
  host().stop();
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(mirror_path() + suffix);
  sql("delete from hand where id = 20");
  host().start_streaming();
  sql("insert into hand values (5001, 5, 'live')");
  expect_everything_delivered();
  EXPECT_EQ(mirrored("hand"), 1000);
}

TEST_F(HandOver, RowLevelSecurityFailsTheTableAndNotTheOthers) {
  const std::string role = "rls_" + db();
  sql("create role " + role + " login replication");
  sql("create table sec (id integer primary key, owner text)");
  sql("create table plain (id integer primary key)");
  sql("insert into sec values (1, '" + role + "'), (2, 'x'), (3, 'y')");
  sql("insert into plain values (1)");
  sql("alter table sec enable row level security");
  sql("create policy own on sec using (owner = current_user)");
  sql("grant select on sec, plain to " + role);
  sql("create publication walspout for table sec, plain");
  config().url = server().url(db(), role);

  host().start_streaming();
  sql("insert into plain values (2)");
  host().wait_caught_up();
  EXPECT_TRUE(host().logged("public.sec"));
  EXPECT_TRUE(host().logged("BYPASSRLS"));
  EXPECT_EQ(mirrored("plain"), 2) << "the other table goes on";
  const Mirror mirror(mirror_path());
  const auto rows =
      mirror.file().query("select state from _walspout_tables where source_table = 'sec'");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(std::get<std::string>(rows[0][0]), "failed");
  host().stop();

  sql("alter role " + role + " bypassrls");
  host().start_streaming();
  sql("update sec set owner = 'z' where id = 1");
  sql("insert into sec values (4, 'q')");
  expect_everything_delivered();
  EXPECT_EQ(mirrored("sec"), 4);
  host().stop();
  server().sql(db(), "drop owned by " + role + "; drop role " + role);
}

}  // namespace
}  // namespace walspout::test
