// Tables that come later, or once more, while the others go on.
#include "e2e/late_table_test.hpp"
#include "progress/state_store.hpp"

namespace walspout::test {
namespace {

TEST_F(LateTable, MatchingAPatternJoinsAPublicationOfOurs) {
  config().source = {"tables = [\"public.*\", \"!public.audit_*\"]"};
  begin();
  make("second", 100);
  make("audit_log", 10);
  sql("update second set v = 'touched' where id = 5");
  EXPECT_TRUE(state_soon("second", "live"));
  expect_right_soon();
  EXPECT_EQ(mirrored("second"), 100);
  EXPECT_EQ(mirrored("audit_log"), 0);
  sql("insert into second values (101, 'streamed')");
  expect_right_soon();
}

TEST_F(LateTable, AddedByHandToSomebodysPublicationJoins) {
  make("second", 100);
  begin("for table first");
  {
    const Writer writer(*this, "second");
    sql("alter publication walspout add table second");
    EXPECT_TRUE(state_soon("second", "live"));
  }
  expect_right_soon();
}

TEST_F(LateTable, OfAPublicationForAllTablesJoins) {
  begin("for all tables");
  make("empty", 0);
  make("second", 100);
  sql("begin; create table at_once (id integer primary key); insert into at_once values (1), (2); "
      "commit");
  sql("insert into at_once values (3)");
  EXPECT_TRUE(state_soon("second", "live"));
  EXPECT_TRUE(state_soon("at_once", "live"));
  expect_right_soon();
  EXPECT_EQ(mirrored("at_once"), 3);
}

TEST_F(LateTable, OfAPublicationForASchemaJoins) {
  if (server().version() < 15) GTEST_SKIP() << "needs PostgreSQL 15";
  begin("for tables in schema public");
  make("second", 100);
  EXPECT_TRUE(state_soon("second", "live"));
  expect_right_soon();
  sql("create schema elsewhere; alter table second set schema elsewhere");
  sql("alter table elsewhere.second set schema public");
  sql("delete from second where id = 1");
  expect_right_soon();
}

TEST_F(LateTable, ThatLeavesThePublicationAndComesBackIsCopiedAgain) {
  make("second", 100);
  begin("for table first, second");
  sql("alter publication walspout drop table second");
  sql("insert into second values (500, 'unseen')");
  sql("delete from second where id < 50");
  sql("insert into first values (500, 'seen')");
  host().wait_caught_up();
  sql("alter publication walspout add table second");
  expect_right_soon();
}

TEST_F(LateTable, ThatLeavesThePublicationLeavesNothingInTheState) {
  make("second", 10);
  begin("for table first, second");
  const auto facts = [this](const std::string& column) {
    return SqliteFile(host().state_directory() + "/state.db")
        .integer("select count(*) from fact where text like '%" + column + "%'");
  };
  sql("alter table second add column leaves text");
  ASSERT_TRUE(eventually(Seconds(15), [&] { return facts("leaves") == 1; }));
  sql("alter publication walspout set table first");
  sql("alter table first add column stays text");
  EXPECT_TRUE(eventually(Seconds(15), [&] { return facts("leaves") == 0; }));
  EXPECT_TRUE(eventually(Seconds(15), [&] { return facts("") == 1 && facts("stays") == 1; }));
  // The sinks find what they have stored.
  host().stop();
  sql("alter table first add column more text; insert into first values (1000, 'x')");
  host().start_streaming();
  expect_right_soon();
  EXPECT_EQ(count_events("read", "first"), 100U) << "no second copy";
}

TEST_F(LateTable, AddedToOneSinkIsCopiedIntoThatAlone) {
  config().sinks[0].more = {"tables = [\"public.first\"]"};
  make("second", 100);
  begin("for all tables");
  host().stop();
  const std::size_t events_before = count_events("read", "second");
  host().config().sinks[0].more = {"tables = [\"public.*\"]"};
  sql("delete from second where id = 1");
  host().start_streaming();
  expect_right_soon();
  EXPECT_EQ(mirrored("second"), 99);
  EXPECT_EQ(count_events("read", "second"), events_before) << "the other sink had it";
}

TEST_F(LateTable, RowFilterAndColumnListHold) {
  if (server().version() < 15) GTEST_SKIP() << "needs PostgreSQL 15";
  begin("for table first");
  sql("create table part (id integer primary key, v text, secret text)");
  sql("insert into part select g, 'v', 'hush' from generate_series(1, 100) g");
  sql("alter publication walspout add table part (id, v) where (id > 50)");
  EXPECT_TRUE(state_soon("part", "live"));
  sql("update part set v = 'touched' where id > 90");
  expect_right_soon();
  EXPECT_EQ(mirrored("part"), 50);
  EXPECT_EQ(Mirror(mirror_path()).column_name("part", "secret"), "");
  sql("alter publication walspout set table first, part (id, v) where (id > 20)");
  expect_right_soon();
  EXPECT_EQ(mirrored("part"), 80);
}

TEST_F(LateTable, ResyncMendsATableWhileTheOthersGoOn) {
  make("second", 20000);
  begin("for all tables");
  change_mirror(
      "delete from second where id % 3 = 0; update second set v = 'wrong' where id % 5 = 0;"
      " insert into second values (-1, 'extra')");
  {
    const Writer others(*this, "first");
    const Writer same(*this, "second");
    expect_resync({"public.second"});
    EXPECT_EQ(
        difference_in_the_end(
            Seconds(15),
            [&] {
              return SqliteFile(mirror_path())
                             .integer("select count(*) from second where id = -1 or v = 'wrong'")
                         ? std::string("not mended")
                         : "";
            }),
        "");
  }
  expect_right_soon();
}

TEST_F(LateTable, ResyncOfAllTablesAndOfOneSink) {
  make("second", 1000);
  begin("for all tables");
  const std::size_t before = count_events("read", "first");
  change_mirror("delete from first; delete from second");
  expect_resync({"--sink", "mirror"});
  expect_right_soon();
  EXPECT_EQ(count_events("read", "first"), before) << "the other sink was not named";
}

TEST_F(LateTable, ResyncOfATableThatIsNotPublishedIsRefusedWhetherAHostRunsOrNot) {
  begin("for all tables");
  const auto expect_refused = [&](const char* when) {
    const auto wrong = host().verb("resync", {"public.first", "public.nowhere"});
    EXPECT_EQ(wrong.status, 1) << when << ": " << wrong.output;
    EXPECT_NE(wrong.output.find("no published table matches 'public.nowhere'"), std::string::npos)
        << when << ": " << wrong.output;
  };
  expect_refused("it runs");
  host().stop();
  expect_refused("no host runs");
  EXPECT_EQ(count_events("read", "first"), 100U) << "nothing was to be done";
}

// Stored by hand, as by a command that could not reach the source.
TEST_F(LateTable, AStoredRequestThatCannotBeDoneIsDroppedWithALine) {
  begin("for all tables");
  host().stop();
  progress::StateStore(host().state_directory()).add_request({"resync", "public.nowhere"});
  host().start_streaming();
  host().wait_logged("a stored request cannot be done, and is dropped: no published table matches");
  host().wait_caught_up();
  host().stop();
  EXPECT_TRUE(progress::StateStore(host().state_directory()).requests().empty());
}

TEST_F(LateTable, ResyncThatIsAskedForWhileTheHostIsDownFollowsAtItsStart) {
  begin("for all tables");
  host().stop();
  change_mirror("delete from first");
  expect_resync({"public.first"});
  host().start_streaming();
  expect_right_soon();
}

TEST_F(LateTable, ReadersSeeTheOldContentOrTheNewAndNeverHalf) {
  make("second", 150000);
  begin("for all tables");
  std::atomic<bool> ended{false};
  std::string seen;
  std::atomic<int> looks{0};
  std::thread reader([&] {
    const SqliteFile file(mirror_path());
    while (!ended) {
      const auto row =
          file.query("select count(*), sum(v = 'old'), sum(v = 'new') from second").at(0);
      const std::string now = literal(row[0]) + " " + literal(row[1]) + " " + literal(row[2]);
      if (seen.find(now) == std::string::npos) seen += now + "\n";
      ++looks;
    }
  });
  change_mirror("update second set v = 'old'");  // what a copy mends
  expect_resync({"public.second"});
  const bool mended = eventually(Seconds(30), [&] {
    return SqliteFile(mirror_path()).integer("select count(*) from second where v = 'old'") == 0;
  });
  ended = true;
  reader.join();
  EXPECT_TRUE(mended);
  EXPECT_GT(looks, 3);
  // As copied at first, as spoilt, as copied again.
  EXPECT_EQ(seen, "150000 0 0\n150000 150000 0\n") << "after " << looks << " looks";
  expect_right_soon();
}

TEST_F(LateTable, KilledDuringItsCopyItIsWholeInTheEnd) {
  begin("for all tables");
  make("second", 200000);
  const Writer writer(*this, "second");
  for (int kill = 0; kill < 3; ++kill) {
    host().wait("copying", Seconds(20),
                [&] { return state("second") == "copying" || state("second") == "live"; });
    host().kill9();
    EXPECT_TRUE(state("second") != "copying" || mirrored("second") == 0)
        << "a reader sees half a table";
    host().start_streaming();
  }
  EXPECT_TRUE(eventually(Seconds(60), [&] { return state("second") == "live"; }));
}

TEST_F(LateTable, DroppedDuringItsCopyStopsNoOther) {
  begin("for all tables");
  for (int round = 0; round < 3; ++round) {
    make("gone", 100000);
    host().wait("copying", Seconds(20), [&] { return !state("gone").empty(); });
    sql("drop table gone");
    make("stays_" + std::to_string(round), 100);
    expect_right_soon();
  }
}

}  // namespace
}  // namespace walspout::test
