// A table that is no longer what the snapshot knows must not be copied.
#include "fixture.hpp"
#include "postgres/copy_reader.hpp"

namespace walspout::postgres {

using ::testing::HasSubstr;

class Snapshot : public WithDatabase {
 protected:
  Snapshot() {
    sql("CREATE TABLE t (id int PRIMARY KEY, x varchar(5)); INSERT INTO t VALUES (1, 'a');"
        "CREATE PUBLICATION pub FOR TABLE t");
  }

  // The snapshot is taken, then the table changes, then it is locked.
  void lock_after(const std::string& change) {
    auto conn = connect();
    const auto tables = published_tables(conn, "pub");
    begin_snapshot(conn, "", Interrupt());
    sql(change);
    lock_table(conn, tables.at(0), Interrupt());
  }
  void expect_changed(const std::string& change) {
    EXPECT_THAT(message_of<TableChanged>([&] { lock_after(change); }), HasSubstr("table public."));
  }
};

TEST_F(Snapshot, AnUntouchedTableIsReady) { EXPECT_NO_THROW(lock_after("SELECT 1")); }

TEST_F(Snapshot, OrdinaryWritesAndANewColumnDoNotMatter) {
  EXPECT_NO_THROW(lock_after("DELETE FROM t; ALTER TABLE t ADD COLUMN y int DEFAULT 5"));
}

TEST_F(Snapshot, ATruncatedTableHasChanged) { expect_changed("TRUNCATE t"); }

TEST_F(Snapshot, ARewrittenTableHasChanged) {
  expect_changed("ALTER TABLE t ALTER id TYPE bigint");
}

TEST_F(Snapshot, ATypeChangedWithoutARewriteHasChanged) {
  expect_changed("ALTER TABLE t ALTER x TYPE text");
}

TEST_F(Snapshot, ARenamedColumnHasChanged) { expect_changed("ALTER TABLE t RENAME x TO z"); }

TEST_F(Snapshot, ADroppedTableHasChanged) { expect_changed("DROP TABLE t"); }

TEST_F(Snapshot, ATableMadeAnewHasChanged) {
  expect_changed("DROP TABLE t; CREATE TABLE t (id int PRIMARY KEY, x varchar(5))");
}

TEST_F(Snapshot, ATruncatedPartitionChangesItsRoot) {
  sql("DROP PUBLICATION pub; CREATE TABLE root (id int PRIMARY KEY) PARTITION BY RANGE (id);"
      "CREATE TABLE leaf PARTITION OF root FOR VALUES FROM (0) TO (10);"
      "CREATE PUBLICATION pub FOR TABLE root WITH (publish_via_partition_root)");
  EXPECT_NO_THROW(lock_after("SELECT 1"));
  expect_changed("TRUNCATE leaf");
}

TEST_F(Snapshot, ADomainColumnIsNotTakenForAChange) {
  sql("CREATE DOMAIN d AS numeric(8,2); ALTER TABLE t ADD COLUMN a d");
  EXPECT_NO_THROW(lock_after("SELECT 1"));
}

TEST_F(Snapshot, ASnapshotThatIsGoneAsksForANewOne) {
  auto conn = connect();
  EXPECT_THROW(begin_snapshot(conn, "00000003-0000001B-1", Interrupt()), TableChanged);
  EXPECT_EQ(conn.exec("SELECT 1").integer(0, 0), 1);
}

TEST_F(Snapshot, ALockThatIsNotGivenInTimeIsWorthAnotherTry) {
  auto other = shared_server().session(db_);
  auto conn = connect();
  const auto tables = published_tables(conn, "pub");
  other.sql("BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE");
  begin_snapshot(conn, "", Interrupt());
  try {
    lock_table(conn, tables.at(0), Interrupt(), 50ms);
    FAIL();
  } catch (const SqlError& error) {
    EXPECT_TRUE(is_transient(error));
  }
}

}  // namespace walspout::postgres
