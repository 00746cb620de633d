#include <future>

#include "fixture.hpp"
#include "postgres/copy_reader.hpp"

namespace walspout::postgres {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Copy : public WithDatabase {
 protected:
  // Each row as its values joined by '|', NULL as "~".
  std::vector<std::string> copy(const std::string& setup, const CopyOptions& options = {}) {
    sql(setup);
    auto conn = connect();
    const auto tables = published_tables(conn, "pub");
    EXPECT_EQ(tables.size(), 1u);
    begin_snapshot(conn, "", Interrupt());
    lock_table(conn, tables.at(0), Interrupt());
    const Interrupt never;
    CopyReader reader(conn, tables.at(0), options, never);
    base::Arena arena;
    std::span<walspout_value> row;
    std::vector<std::string> rows;
    while (reader.next(arena, row)) {
      std::string text;
      for (const auto& value : row) {
        text += (&value == &row.front() ? "" : "|");
        text += value.state == WALSPOUT_NULL
                    ? "~"
                    : std::string(static_cast<const char*>(value.data), value.size);
      }
      rows.push_back(std::move(text));
    }
    EXPECT_EQ(reader.rows(), rows.size());
    EXPECT_EQ(conn.exec("SELECT 1").integer(0, 0), 1);
    return rows;
  }
};

TEST_F(Copy, BringsNastyTextByteForByte) {
  EXPECT_THAT(
      copy(
          "CREATE TABLE t (id int PRIMARY KEY, x text); CREATE PUBLICATION pub FOR TABLE t;"
          "INSERT INTO t VALUES (1, E'tab\\there\\nnew\\\\line\\r\\x0b\\b\\f'), (2, NULL), (3, ''),"
          "(4, '\\N'), (5, U&'\\00E4\\+01F600'), (6, '\\.')"),
      ElementsAre("1|tab\there\nnew\\line\r\v\b\f", "2|~", "3|", "4|\\N",
                  "5|\xc3\xa4\xf0\x9f\x98\x80", "6|\\."));
}

TEST_F(Copy, FollowsTheColumnListAndTheRowFilter) {
  if (before(15)) GTEST_SKIP() << "row filters and column lists came with 15";
  EXPECT_THAT(copy("CREATE TABLE t (id int PRIMARY KEY, secret text, x text);"
                   "CREATE PUBLICATION pub FOR TABLE t (id, x) WHERE (id > 1);"
                   "INSERT INTO t VALUES (1, 's', 'a'), (2, 's', 'b')"),
              ElementsAre("2|b"));
}

TEST_F(Copy, AConditionOfTheCallerCountsToo) {
  if (before(15)) GTEST_SKIP() << "row filters and column lists came with 15";
  CopyOptions options;
  options.where = "id < 3 OR false";
  EXPECT_THAT(copy("CREATE TABLE t (id int PRIMARY KEY);"
                   "CREATE PUBLICATION pub FOR TABLE t WHERE (id > 1);"
                   "INSERT INTO t SELECT generate_series(1, 4)",
                   options),
              ElementsAre("2"));
}

TEST_F(Copy, ARootBringsTheRowsOfItsPartitions) {
  EXPECT_THAT(copy("CREATE TABLE root (id int PRIMARY KEY) PARTITION BY RANGE (id);"
                   "CREATE TABLE l1 PARTITION OF root FOR VALUES FROM (0) TO (10);"
                   "CREATE TABLE l2 PARTITION OF root FOR VALUES FROM (10) TO (20);"
                   "INSERT INTO root VALUES (1), (11);"
                   "CREATE PUBLICATION pub FOR TABLE root WITH (publish_via_partition_root)"),
              ElementsAre("1", "11"));
}

TEST_F(Copy, ATableDoesNotBringTheRowsOfItsChildren) {
  if (before(15)) GTEST_SKIP() << "row filters and column lists came with 15";
  EXPECT_THAT(copy("CREATE TABLE t (id int PRIMARY KEY); CREATE TABLE child () INHERITS (t);"
                   "INSERT INTO t VALUES (1); INSERT INTO child VALUES (2);"
                   "CREATE PUBLICATION pub FOR TABLE ONLY t WHERE (id > 0)"),
              ElementsAre("1"));
}

TEST_F(Copy, ATableWithoutColumnsHasRows) {
  EXPECT_THAT(copy("CREATE TABLE t (); INSERT INTO t DEFAULT VALUES; INSERT INTO t DEFAULT VALUES;"
                   "CREATE PUBLICATION pub FOR TABLE t"),
              ElementsAre("", ""));
}

TEST_F(Copy, NamesOfAnyKindWork) {
  EXPECT_THAT(copy("CREATE TABLE \"T\"\"x, y\" (\"I\"\"d\" int PRIMARY KEY);"
                   "INSERT INTO \"T\"\"x, y\" VALUES (1); CREATE PUBLICATION pub FOR ALL TABLES"),
              ElementsAre("1"));
}

TEST_F(Copy, AnUnfinishedCopyIsCancelledAndTheConnectionUsable) {
  sql("CREATE TABLE t AS SELECT i, repeat('x', 1000) x FROM generate_series(1, 50000) i;"
      "CREATE PUBLICATION pub FOR TABLE t");
  auto conn = connect();
  const auto tables = published_tables(conn, "pub");
  const Interrupt never;
  {
    CopyReader reader(conn, tables.at(0), {}, never);
    base::Arena arena;
    std::span<walspout_value> row;
    EXPECT_TRUE(reader.next(arena, row));
  }
  EXPECT_EQ(conn.exec("SELECT 1").integer(0, 0), 1);
}

TEST_F(Copy, AnInterruptEndsACopyThatWaits) {
  sql("CREATE TABLE t (x int); INSERT INTO t VALUES (1); CREATE PUBLICATION pub FOR TABLE t");
  auto conn = connect();
  const auto tables = published_tables(conn, "pub");
  Switch stop;
  const Interrupt interrupt = stop.interrupt();
  CopyOptions slow;
  slow.where = "pg_sleep(600) IS NOT NULL";
  auto copying = std::async(std::launch::async, [&] {
    CopyReader reader(conn, tables.at(0), slow, interrupt);
    base::Arena arena;
    std::span<walspout_value> row;
    while (reader.next(arena, row)) continue;
  });
  ASSERT_TRUE(eventually(test::Seconds(5), [&] {
    return value("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "1";
  }));
  stop.on();
  EXPECT_THROW(copying.get(), Interrupted);
  EXPECT_EQ(value("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"), "0");
}

// C057
TEST_F(Copy, RowLevelSecurityIsRefusedByNameNotFiltered) {
  const std::string role = "rls_" + db_;
  sql("CREATE ROLE " + role +
      " LOGIN; CREATE TABLE sec (id int PRIMARY KEY, owner text);"
      "ALTER TABLE sec ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON sec USING (owner = "
      "current_user); GRANT SELECT ON sec TO " +
      role + "; CREATE PUBLICATION pub FOR TABLE sec");
  auto conn = connect(role);
  const auto tables = published_tables(conn, "pub");
  const Interrupt never;
  EXPECT_THAT(message_of<Refused>([&] { CopyReader reader(conn, tables.at(0), {}, never); }),
              HasSubstr("table public.sec has row level security, which would hide rows from its "
                        "copy: as a superuser run ALTER ROLE \"" +
                        role + "\" BYPASSRLS"));
  begin_snapshot(conn, "", never);
  EXPECT_THAT(message_of<Refused>([&] { lock_table(conn, tables.at(0), never); }),
              HasSubstr("BYPASSRLS"));
  conn.exec("ROLLBACK");
  sql("ALTER ROLE " + role + " BYPASSRLS");
  auto again = connect(role);
  begin_snapshot(again, "", never);
  EXPECT_NO_THROW(lock_table(again, tables.at(0), never));
}

TEST_F(Copy, AMissingRightNamesTheTableAndTheGrant) {
  const std::string role = "poor_" + db_;
  sql("CREATE ROLE " + role +
      " LOGIN; CREATE TABLE t (id int); CREATE PUBLICATION pub FOR TABLE t");
  auto conn = connect(role);
  const auto tables = published_tables(conn, "pub");
  const Interrupt never;
  EXPECT_THAT(message_of<Refused>([&] { CopyReader reader(conn, tables.at(0), {}, never); }),
              HasSubstr("GRANT SELECT ON \"public\".\"t\" TO \"" + role + "\""));
}

}  // namespace walspout::postgres
