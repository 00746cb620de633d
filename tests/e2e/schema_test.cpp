// Changes of the schema that take steps: what users have in the mirror, what is said, what is
// copied and what is not. What needs no steps is in cases/.
#include <algorithm>

#include "e2e/pipeline_test.hpp"

namespace walspout::test {
namespace {

class Schema : public PipelineTest {
 protected:
  void begin(const std::vector<std::string>& statements) {
    transactions(statements);
    sql("create publication walspout for all tables with (publish_via_partition_root = true)");
    host().start_streaming();
    host().wait_caught_up();
    expect_mirror_equals_source();
  }

  void expect_follows() {
    host().wait_caught_up();
    EXPECT_EQ(difference_in_the_end(
                  Seconds(60),
                  [&] { return mirror_difference(server(), db(), "walspout", mirror_path()); }),
              "");
    EXPECT_TRUE(host().running());
  }

  std::int64_t in_mirror(const std::string& query) const {
    return SqliteFile(mirror_path()).integer(query);
  }
  bool in_mirror_soon(const std::string& query, std::int64_t value) {
    return eventually(Seconds(15), [&] { return in_mirror(query) == value; });
  }
  void change_mirror(const std::string& text) {
    SqliteFile(mirror_path(), SqliteFile::Mode::kWrite).exec(text);
  }
  std::size_t times_logged(const std::string& text) {
    const std::string log = host().log();
    std::size_t count = 0;
    for (std::size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1))
      ++count;
    return count;
  }

  static std::string rows(const std::string& table, int count) {
    return "insert into " + table + " select g, 'v' || g from generate_series(1, " +
           std::to_string(count) + ") g";
  }
};

// The catalogue says exactly what old rows have.
TEST_F(Schema, ConstantDefaultsAreFilledWithoutACopy) {
  begin({"create table k (id integer primary key, v text)", rows("k", 500)});
  const std::size_t copied = count_events("read", "k");
  transactions(
      {"alter table k add column n integer default 7, add column at timestamptz default now()",
       "insert into k values (1000, 'new', 8)"});
  expect_follows();
  sql("alter table k add column quiet text not null default 'q'");
  expect_follows();
  EXPECT_EQ(in_mirror("select count(*) from k where n = 7 and quiet = 'q'"), 500);
  EXPECT_EQ(count_events("read", "k"), copied) << "it was copied again";
}

TEST_F(Schema, ValuesThatTheServerMadeAreCopiedAndThatIsSaid) {
  begin({"create table k (id integer primary key, v text)", rows("k", 50)});
  sql("alter table k add column r double precision default random()");
  expect_follows();
  EXPECT_TRUE(host().logged("public.k"));
  EXPECT_EQ(in_mirror("select count(distinct r) from k"), 50);
}

// The first row of the new shape gets there long before the catalogue is looked at again, and with
// it the news that the mirror has that shape.
TEST_F(Schema, ARewriteIsNotForgottenWhenTheHostIsKilledRightAfterIt) {
  begin({"create table k (id integer primary key, v integer[])",
         "alter table k replica identity full",
         "insert into k select g, array[g, null] from generate_series(1, 50) g"});
  for (const int round : {1, 2, 3}) {
    transactions({round % 2 == 1 ? "alter table k alter column v type text using v::text"
                                 : "alter table k alter column v type integer[] using v::integer[]",
                  "insert into k values (" + std::to_string(1000 + round) + ", '{0}')"});
    ASSERT_TRUE(in_mirror_soon("select count(*) from k where id > 1000", round));
    host().kill9();
    host().start_streaming();
    expect_follows();
  }
}

// Renames, keys and identities change no value; nor do drops.
TEST_F(Schema, WhatChangesNoValueIsNotCopiedAgain) {
  begin({"create table k (id integer primary key, v text, w text not null)",
         "insert into k select g, 'v', 'w' from generate_series(1, 100) g"});
  const std::size_t copied = count_events("read", "k");
  for (const char* text :
       {"alter table k rename column v to x", "alter table k drop column x",
        "alter table k alter column w drop not null", "alter table k replica identity full",
        "alter table k alter column w set default 'd'", "alter table k rename to k2"}) {
    sql(text);
    expect_follows();
    sql("update k" + std::string(value("select to_regclass('k2')").empty() ? "" : "2") +
        " set w = w || '.' where id = 5");
    expect_follows();
  }
  EXPECT_EQ(in_mirror("select count(*) from k2"), 100);
  EXPECT_EQ(count_events("read", "k") + count_events("read", "k2"), copied)
      << "it was copied again";
}

TEST_F(Schema, ChangesWhileTheHostIsDownAreFollowed) {
  begin({"create table a (id integer primary key, v text)", rows("a", 20),
         "create table b (id integer primary key, v text)", rows("b", 20),
         "create table c (id integer primary key, v text)", rows("c", 20),
         "create table d (id integer primary key, v text)", rows("d", 20),
         "create type mood as enum ('sad', 'happy')",
         "create table e (id integer primary key, m mood)",
         "insert into e select g, 'sad' from generate_series(1, 20) g"});
  host().stop();
  transactions(
      {"alter table a add column n integer default 5, add column r float8 default random()",
       "alter table b alter column v type integer using length(v)",
       "alter table c rename to renamed",
       "drop table d; create table d (id integer primary key, v text); insert into d select 1, 'x'",
       "alter type mood rename value 'sad' to 'blue'",
       "create table late (id integer primary key); insert into late values (1)"});
  host().start_streaming();
  expect_follows();
  transactions({"insert into a values (100, 'x', 6, 0.5)", "update b set v = 9 where id = 1",
                "delete from renamed where id = 1"});
  expect_follows();
}

// What is copied is ahead of the stream, which has yet to tell who has the name now.
TEST_F(Schema, NamesThatChangeHandsWhileTheHostIsDownAreFollowed) {
  begin({"create table alpha (id integer primary key, v text)", rows("alpha", 20),
         "create table gone (id integer primary key, v text)", rows("gone", 20),
         "create table moves (id integer primary key, v text)", rows("moves", 20),
         "create table one (id integer primary key, v text)", rows("one", 20),
         "create table two (id integer primary key, v text, n integer)",
         "insert into two select g, 'v', g from generate_series(1, 30) g"});
  host().stop();
  const char* const swap =
      "alter table one rename to three; alter table two rename to one; "
      "alter table three rename to two";
  transactions({"alter table alpha rename to \"ALPHA\"", "insert into \"ALPHA\" values (30, 'old')",
                "create table alpha (id integer primary key, w text)",
                "insert into alpha values (1, 'new')", "delete from \"ALPHA\" where id = 1",
                "drop table gone", "alter table moves rename to gone",
                "update gone set v = 'moved' where id = 2", swap,
                "insert into one values (50, 'v', 50)", "delete from two where id = 5"});
  host().start_streaming();
  expect_follows();
  transactions({"insert into \"ALPHA\" values (31, 'x')", "insert into alpha values (2, 'y')",
                "insert into gone values (60, 'z')", "update one set n = 0 where id = 7",
                "update two set v = 'w' where id = 7"});
  expect_follows();
}

TEST_F(Schema, UsersIndexViewAndTriggerStay) {
  begin({"create table k (id integer primary key, v text, w text)",
         "insert into k select g, 'v' || g, 'w' from generate_series(1, 50) g"});
  change_mirror(
      "create index by_v on k (v); create view upper_v as select id, upper(v) as u from k;"
      " create table seen (n integer); create trigger on_insert after insert on k begin"
      " insert into seen values (new.id); end");
  transactions(
      {"alter table k add column n integer default 3", "insert into k values (60, 'new', 'w', 4)"});
  expect_follows();
  sql("alter table k add column r float8 default random()");  // copied anew
  expect_follows();
  sql("alter table k drop column w");
  expect_follows();
  const auto there = [&](const std::string& name) {
    return in_mirror("select count(*) from sqlite_master where name = '" + name + "'") == 1;
  };
  EXPECT_TRUE(there("by_v") && there("upper_v") && there("on_insert"));
  EXPECT_EQ(in_mirror("select count(*) from upper_v where u = 'V7'"), 1);
  EXPECT_EQ(in_mirror("select count(*) from seen where n = 60"), 1);
  EXPECT_EQ(in_mirror("select count(*) from seen where n <= 50"), 0)
      << "the trigger fires for what was there before";
}

TEST_F(Schema, AViewThatCannotStayIsNamed) {
  begin({"create table k (id integer primary key, v text, w text)",
         "insert into k values (1, 'v', 'w')"});
  change_mirror("create view only_w as select w from k");
  transactions(
      {"alter table k alter column w type integer using 1, add column r float8 default random()",
       "alter table k drop column w", "insert into k values (2, 'x', 0.5)"});
  expect_follows();
  // Either the view still answers, or the log says that it does not.
  bool answers = true;
  try {
    in_mirror("select count(*) from only_w");
  } catch (const std::runtime_error&) {
    answers = false;
  }
  EXPECT_TRUE(answers || host().logged("only_w"));
}

// They are in no message before PostgreSQL 18 (and there by default in none).
TEST_F(Schema, GeneratedColumnsThatAreNotSentAreLeftOutWithOneWarning) {
  begin(
      {"create table k (id integer primary key, n integer, twice integer generated always as (n * "
       "2)"
       " stored)",
       "insert into k values (1, 1), (2, 2)"});
  sql("update k set n = 5 where id = 1");
  sql("alter table k add column more integer generated always as (n + 1) stored");
  expect_follows();
  sql("insert into k values (3, 3)");
  expect_follows();
  host().stop();
  host().start_streaming();
  expect_follows();
  EXPECT_EQ(Mirror(mirror_path()).column_name("k", "twice"), "");
  EXPECT_TRUE(host().logged("twice")) << "nothing says that it is left out";
}

TEST_F(Schema, GeneratedColumnsOfAPublicationOfOursAreMirroredFrom18On) {
  if (server().version() < 18) GTEST_SKIP() << "needs PostgreSQL 18";
  transactions(
      {"create table k (id integer primary key, n integer, twice integer generated always as"
       " (n * 2) stored)",
       "insert into k values (1, 1), (2, 2)"});
  host().start_streaming();
  transactions({"update k set n = 5 where id = 1", "insert into k values (3, 3)"});
  host().wait_caught_up();
  EXPECT_EQ(in_mirror("select sum(twice) from k"), 20);
  sql("alter table k add column more integer generated always as (n + 1) stored");
  EXPECT_TRUE(eventually(Seconds(15), [&] {
    return !Mirror(mirror_path()).column_name("k", "more").empty() &&
           in_mirror("select sum(more) from k") == 13;
  }));
}

class Stopping : public Schema {
 protected:
  void SetUp() override {
    Schema::SetUp();
    config().source = {"on_schema_change = \"stop\""};
  }
};

TEST_F(Stopping, ATableWhoseShapeChangesStopsAndTheOthersGoOn) {
  begin({"create table k (id integer primary key, v text)", rows("k", 10),
         "create table other (id integer primary key, v text)", rows("other", 10)});
  sql("alter table k add column n integer default 1");
  sql("insert into k values (11, 'new', 2)");
  sql("insert into other values (11, 'new')");
  EXPECT_TRUE(in_mirror_soon("select count(*) from other", 11));
  EXPECT_TRUE(eventually(Seconds(15),
                         [&] { return Mirror(mirror_path()).state("public", "k") == "failed"; }));
  EXPECT_EQ(in_mirror("select count(*) from k"), 10) << "its rows as they were stay readable";
  EXPECT_TRUE(host().logged("public.k"));
  EXPECT_TRUE(host().logged("walspout resync"));
  host().stop();
  host().start_streaming();  // it stays stopped
  sql("insert into other values (12, 'new')");
  sql("update k set v = 'x'");
  host().wait_caught_up();
  EXPECT_TRUE(in_mirror_soon("select count(*) from other", 12));
  EXPECT_EQ(Mirror(mirror_path()).state("public", "k"), "failed");
  const auto asked = host().verb("resync", {"public.k"});
  EXPECT_EQ(asked.status, 0) << asked.output;
  expect_follows();
}

// What is read while the table is rewritten is neither the old nor the new.
TEST_F(Schema, TablesRewrittenDuringTheirCopyAreRight) {
  sql("create table k (id integer primary key, v text, n integer)");
  sql("insert into k select g, repeat('x', 100), g from generate_series(1, 60000) g");
  sql("create publication walspout for all tables");
  host().start();
  host().wait("copying", Seconds(20), [&] {
    return value("select count(*) from pg_stat_progress_copy") != "0" || mirrored("k") > 0;
  });
  Session session = server().session(db());
  const char* const truncated =
      "begin; truncate k; insert into k select g, 'z', g, 0 from generate_series(1, 30000) g; "
      "commit";
  for (const char* text :
       {"alter table k alter column n type bigint using n + 1",
        "update k set v = 'y' where id % 10 = 0",
        "alter table k add column r float8 default random()", "vacuum full k", truncated,
        "alter table k alter column v type varchar(10) using v || '!'"})
    session.sql(text);
  host().wait_streaming(Seconds(60));
  expect_follows();
}

}  // namespace
}  // namespace walspout::test
