// What makes old rows differ from what the stream carried, against a server.
#include "facts_fixture.hpp"

namespace walspout::postgres {

using ::testing::HasSubstr;

TEST_F(Facts, PlainChangesOfColumnsChangeNoValues) {
  table("a int PRIMARY KEY, b int, c varchar(5)");
  sql("INSERT INTO t VALUES (1, 2, 'x')");
  EXPECT_EQ(reason("ALTER TABLE t ADD d int, ADD e int NOT NULL DEFAULT 5, ADD f timestamptz "
                   "DEFAULT now()"),
            "");
  EXPECT_EQ(reason("ALTER TABLE t RENAME b TO bb"), "");
  EXPECT_EQ(reason("ALTER TABLE t DROP COLUMN bb"), "");
  EXPECT_EQ(reason("ALTER TABLE t ALTER c TYPE varchar(50)"), "");
  EXPECT_EQ(reason("ALTER TABLE t ALTER c TYPE text"), "");
  EXPECT_EQ(reason("ALTER TABLE t ALTER c SET NOT NULL, ALTER d SET DEFAULT 3"), "");
  EXPECT_EQ(reason("ALTER TABLE t REPLICA IDENTITY FULL; ALTER TABLE t DROP CONSTRAINT t_pkey"),
            "");
  EXPECT_EQ(reason("ALTER TABLE t RENAME TO t2; ALTER TABLE t2 RENAME TO t"), "");
}

TEST_F(Facts, TruncateVacuumFullAndClusterChangeNoValues) {
  table();
  EXPECT_EQ(reason("INSERT INTO t VALUES (1); TRUNCATE t"), "");
  EXPECT_EQ(reason("VACUUM FULL t"), "");
  EXPECT_EQ(reason("CLUSTER t USING t_pkey"), "");
}

TEST_F(Facts, RewritesByAlterTableDo) {
  table();
  sql("INSERT INTO t VALUES (1, 1)");
  const auto rewrote = HasSubstr("ALTER TABLE rewrote it");
  EXPECT_THAT(reason("ALTER TABLE t ALTER b TYPE int USING b + 1"), rewrote);
  EXPECT_THAT(reason("ALTER TABLE t ADD c uuid DEFAULT gen_random_uuid()"), rewrote);
  EXPECT_THAT(reason("ALTER TABLE t ADD d bigserial"), rewrote);
  EXPECT_THAT(reason("ALTER TABLE t ALTER b TYPE bigint"), HasSubstr("column b has another type"));
}

TEST_F(Facts, AnotherTypeWithoutARewriteMayPrintAnotherText) {
  table("a int, b oid, c timestamptz");
  EXPECT_THAT(reason("ALTER TABLE t ALTER b TYPE int"), HasSubstr("column b has another type"));
  EXPECT_THAT(reason("SET timezone = 'UTC'; ALTER TABLE t ALTER c TYPE timestamp"),
              HasSubstr("column c has another type"));
}

TEST_F(Facts, AGeneratedColumnThatIsNotSentMattersNotUntilItIs) {
  if (!before(18)) GTEST_SKIP() << "18 can publish them";
  table();
  EXPECT_EQ(reason("ALTER TABLE t ADD g int GENERATED ALWAYS AS (b + 1) STORED"), "");
  EXPECT_FALSE(facts().attribute(3)->published);
  EXPECT_EQ(facts().attribute(3)->generated, 's');
  EXPECT_THAT(reason("ALTER TABLE t ALTER g DROP EXPRESSION"), HasSubstr("g was not published"));
}

TEST_F(Facts, AGeneratedColumnThatIsSentMattersAsAnyOther) {
  if (before(18)) GTEST_SKIP() << "none is sent before 18";
  sql("CREATE TABLE t (a int PRIMARY KEY, g int GENERATED ALWAYS AS (a + 1) STORED,"
      " v int GENERATED ALWAYS AS (a + 2) VIRTUAL);"
      "INSERT INTO t VALUES (1);"
      "CREATE PUBLICATION pub FOR TABLE t WITH (publish_generated_columns = stored)");
  EXPECT_TRUE(facts().attribute(2)->published);
  EXPECT_EQ(facts().attribute(3)->generated, 'v');
  EXPECT_FALSE(facts().attribute(3)->published);
  EXPECT_THAT(reason("ALTER TABLE t ALTER g SET EXPRESSION AS (a * 2)"),
              HasSubstr("ALTER TABLE rewrote it"));
  EXPECT_EQ(reason("ALTER PUBLICATION pub SET (publish_generated_columns = none)"), "");
  EXPECT_THAT(reason("ALTER PUBLICATION pub SET (publish_generated_columns = stored)"),
              HasSubstr("g was not published"));
}

TEST_F(Facts, AColumnDroppedAndAddedAgainUnderItsName) {
  table();
  EXPECT_THAT(reason("ALTER TABLE t DROP b; ALTER TABLE t ADD b int"),
              HasSubstr("column b was dropped and added again"));
}

TEST_F(Facts, ARenamedLabelDoesAnAddedOneDoesNot) {
  sql("CREATE TYPE mood AS ENUM ('sad', 'ok')");
  table("a int, m mood[]");
  EXPECT_EQ(reason("ALTER TYPE mood ADD VALUE 'good' BEFORE 'ok'"), "");
  EXPECT_EQ(reason("ALTER TYPE mood RENAME TO humour"), "");
  EXPECT_THAT(reason("ALTER TYPE humour RENAME VALUE 'sad' TO 'blue'"),
              HasSubstr("enum type public.humour"));
}

TEST_F(Facts, ALabelRenamedThereAndBackDoes) {
  sql("CREATE TYPE mood AS ENUM ('sad', 'ok')");
  table("a int, m mood");
  EXPECT_THAT(reason("ALTER TYPE mood RENAME VALUE 'ok' TO 'fine';"
                     "ALTER TYPE mood RENAME VALUE 'fine' TO 'ok'"),
              HasSubstr("enum type public.mood was renamed"));
}

// Rows may have been written between the column and the new label, all of it between two looks.
TEST_F(Facts, ALabelRenamedSinceItsColumnWasAddedDoes) {
  sql("CREATE TYPE one AS ENUM ('x')");
  table("a int");
  EXPECT_EQ(reason("CREATE TYPE two AS ENUM ('x', 'y'); ALTER TABLE t ADD b two"), "");
  EXPECT_EQ(reason("CREATE TYPE ten AS ENUM ('x', 'y'); ALTER TYPE ten RENAME TO three;"
                   "ALTER TABLE t ADD c three"),
            "");
  EXPECT_THAT(reason("ALTER TABLE t ADD d one DEFAULT 'x';"
                     "ALTER TYPE one RENAME VALUE 'x' TO 'y'"),
              HasSubstr("enum type public.one was renamed"));
  sql("CREATE TYPE four AS ENUM ('x', 'y')");
  sql("ALTER TYPE four RENAME VALUE 'x' TO 'z'");
  EXPECT_EQ(reason("ALTER TABLE t ADD e four"), "");  // it had that label all the time
  sql("CREATE TYPE five AS (l four)");
  EXPECT_THAT(reason("ALTER TABLE t ADD f five[]; ALTER TYPE four RENAME VALUE 'z' TO 'x'"),
              HasSubstr("enum type public.four was renamed"));
}

TEST_F(Facts, ACompositeTypeAlteredSinceItsColumnWasAddedDoes) {
  table("a int");
  EXPECT_EQ(reason("CREATE TYPE pair AS (x int, y int); ALTER TABLE t ADD b pair"), "");
  EXPECT_THAT(reason("CREATE TYPE trio AS (x int, y int); ALTER TABLE t ADD c trio;"
                     "ALTER TYPE trio ADD ATTRIBUTE z int"),
              HasSubstr("public.trio was altered"));
  EXPECT_THAT(reason("CREATE TYPE solo AS (x int, y int); ALTER TABLE t ADD d solo;"
                     "ALTER TYPE solo DROP ATTRIBUTE y"),
              HasSubstr("public.solo was altered"));
}

TEST_F(Facts, AnAttributeOfACompositeTypeDoes) {
  sql("CREATE TYPE pair AS (x int, y int)");
  table("a int");
  EXPECT_EQ(reason("ALTER TABLE t ADD p pair"), "");
  EXPECT_EQ(reason("ALTER TYPE pair RENAME ATTRIBUTE y TO z"), "");
  EXPECT_THAT(reason("ALTER TYPE pair ADD ATTRIBUTE w int"), HasSubstr("public.pair got"));
  EXPECT_THAT(reason("ALTER TYPE pair DROP ATTRIBUTE x"), HasSubstr("public.pair lost"));
  EXPECT_EQ(reason("ALTER TABLE t DROP p"), "");
}

TEST_F(Facts, TheFilterAndTheColumnListDo) {
  if (before(15)) GTEST_SKIP() << "row filters and column lists came with 15";
  table("a int PRIMARY KEY, b int, c int");
  EXPECT_THAT(reason("ALTER PUBLICATION pub SET TABLE t WHERE (a > 5)"), HasSubstr("row filter"));
  EXPECT_EQ(reason("ALTER TABLE t RENAME a TO aa"), "");
  EXPECT_THAT(reason("ALTER PUBLICATION pub SET TABLE t (aa, c) WHERE (aa > 5)"),
              HasSubstr("column list"));
  EXPECT_EQ(facts().column_list, (std::vector<std::int16_t>{1, 3}));
  EXPECT_FALSE(facts().attribute(2)->published);
}

TEST_F(Facts, OutOfThePublicationAndBackDoes) {
  table();
  EXPECT_THAT(reason("ALTER PUBLICATION pub DROP TABLE t; ALTER PUBLICATION pub ADD TABLE t"),
              HasSubstr("taken out of the publication"));
  EXPECT_EQ(reason("CREATE TABLE u (i int); ALTER PUBLICATION pub ADD TABLE u"), "");
}

TEST_F(Facts, OperationsThatArePublishedOnlyNowDo) {
  table();
  EXPECT_EQ(reason("ALTER PUBLICATION pub SET (publish = 'insert')"), "");
  EXPECT_THAT(reason("ALTER PUBLICATION pub SET (publish = 'insert, update')"),
              HasSubstr("did not publish all"));
}

TEST_F(Facts, ATableMadeAnewUnderItsNameIsAnother) {
  table();
  EXPECT_THAT(reason("DROP TABLE t; CREATE TABLE t (a int); ALTER PUBLICATION pub ADD TABLE t"),
              HasSubstr("created again"));
}

TEST_F(Facts, PartitionsThatGoDo) {
  tree();
  EXPECT_EQ(reason("ALTER TABLE t DETACH PARTITION p1"),
            "partition public.p1 was detached or dropped");
  EXPECT_EQ(reason("DROP TABLE p2"), "partition public.p2 was detached or dropped");
}

TEST_F(Facts, APartitionThatIsTruncatedDoes) {
  tree();
  EXPECT_EQ(reason("TRUNCATE p1"), "partition public.p1 was truncated or rewritten");
}

TEST_F(Facts, APartitionThatWasAwayForAWhileDoes) {
  tree();
  EXPECT_EQ(reason("ALTER TABLE t DETACH PARTITION p1; DELETE FROM p1;"
                   "ALTER TABLE t ATTACH PARTITION p1 FOR VALUES FROM (0) TO (10)"),
            "partition public.p1 was detached and attached again");
}

TEST_F(Facts, ALoadedTableThatIsAttachedDoes) {
  tree();
  EXPECT_EQ(reason("CREATE TABLE p3 (a int NOT NULL, b text); INSERT INTO p3 VALUES (21, 'z');"
                   "ALTER TABLE t ATTACH PARTITION p3 FOR VALUES FROM (20) TO (30)"),
            "partition public.p3 was attached, perhaps with rows");
}

TEST_F(Facts, ALoadedTableDoesEvenWhenItsRowsWereUpdatedSince) {
  tree();
  EXPECT_THAT(reason("CREATE TABLE p3 (a int NOT NULL, b text); INSERT INTO p3 VALUES (21, 'z');"
                     "ALTER TABLE t ATTACH PARTITION p3 FOR VALUES FROM (20) TO (30);"
                     "UPDATE t SET b = 'zz'"),
              HasSubstr("p3 was attached"));
}

TEST_F(Facts, ATableLoadedInASubtransactionOfItsAttachDoes) {
  tree();
  EXPECT_THAT(reason("BEGIN; CREATE TABLE p3 (a int NOT NULL, b text); SAVEPOINT s;"
                     "INSERT INTO p3 VALUES (21, 'z'); RELEASE s;"
                     "ALTER TABLE t ATTACH PARTITION p3 FOR VALUES FROM (20) TO (30); COMMIT"),
              HasSubstr("p3 was attached"));
}

TEST_F(Facts, AnEmptyTableThatIsAttachedDoesNot) {
  tree();
  EXPECT_EQ(reason("CREATE TABLE p3 (a int NOT NULL, b text);"
                   "ALTER TABLE t ATTACH PARTITION p3 FOR VALUES FROM (20) TO (30)"),
            "");
}

TEST_F(Facts, APartitionThatWasMadeInPlaceDoesNotWhateverRowsCameSince) {
  tree();
  EXPECT_EQ(reason("BEGIN; CREATE TABLE p3 PARTITION OF t FOR VALUES FROM (20) TO (30);"
                   "INSERT INTO t VALUES (21, 'z'); COMMIT; INSERT INTO p3 VALUES (22, 'z')"),
            "");
  EXPECT_EQ(reason("CREATE TABLE p4 PARTITION OF t FOR VALUES FROM (30) TO (50)"
                   " PARTITION BY RANGE (a);"
                   "CREATE TABLE p41 PARTITION OF p4 FOR VALUES FROM (30) TO (40);"
                   "INSERT INTO t VALUES (31, 'z')"),
            "");
  EXPECT_EQ(reason("CREATE TABLE p42 PARTITION OF p4 FOR VALUES FROM (40) TO (50);"
                   "INSERT INTO t VALUES (41, 'z')"),
            "");
}

TEST_F(Facts, ASubtreeThatIsAttachedWithRowsDoes) {
  tree();
  EXPECT_EQ(reason("CREATE TABLE p3 (a int NOT NULL, b text) PARTITION BY RANGE (a);"
                   "CREATE TABLE p31 PARTITION OF p3 FOR VALUES FROM (20) TO (30);"
                   "INSERT INTO p3 VALUES (21, 'z');"
                   "ALTER TABLE t ATTACH PARTITION p3 FOR VALUES FROM (20) TO (30)"),
            "partition public.p31 was attached, perhaps with rows");
}

TEST_F(Facts, ALockedPartitionIsNotWaitedForLongerThanTheLockTimeout) {
  tree();
  const TableFacts before = facts();
  sql("CREATE TABLE p3 (a int NOT NULL, b text);"
      "ALTER TABLE t ATTACH PARTITION p3 FOR VALUES FROM (20) TO (30)");
  const LeafFacts leaf = facts().storage.back();
  auto holder = shared_server().session(db_);
  holder.sql("BEGIN; LOCK TABLE p3");
  auto conn = connect();
  conn.exec("SET lock_timeout = '50ms'");
  EXPECT_TRUE(leaf_may_hold_unseen_rows(conn, leaf.oid, new_edges(before, leaf)));
}

TEST_F(Facts, APartitionThatIsGoneOrForbiddenMayHoldRows) {
  tree();
  const TableFacts before = facts();
  sql("CREATE TABLE p3 (a int NOT NULL, b text); INSERT INTO p3 VALUES (21);"
      "ALTER TABLE t ATTACH PARTITION p3 FOR VALUES FROM (20) TO (30);"
      "CREATE ROLE blind" +
      db_ + " LOGIN");
  const LeafFacts leaf = facts().storage.back();
  auto blind = connect("blind" + db_);
  EXPECT_TRUE(leaf_may_hold_unseen_rows(blind, leaf.oid, new_edges(before, leaf)));
  sql("DROP TABLE p3");
  auto conn = connect();
  EXPECT_TRUE(leaf_may_hold_unseen_rows(conn, leaf.oid, new_edges(before, leaf)));
}

TEST_F(Facts, NewColumnsOfATreeChangeNoValuesIfThePartitionsAgree) {
  tree();
  EXPECT_EQ(reason("ALTER TABLE t ADD c int DEFAULT 7, ADD d int"), "");
  EXPECT_EQ(reason("ALTER TABLE t ADD e int; ALTER TABLE t ALTER e SET DEFAULT 3"), "");
  EXPECT_THAT(reason("ALTER TABLE t ADD f float8 DEFAULT random()"),
              HasSubstr("ALTER TABLE rewrote partition public.p1"));
  EXPECT_THAT(reason("ALTER TABLE t ADD g int DEFAULT 1;"
                     "CREATE TABLE p3 PARTITION OF t FOR VALUES FROM (20) TO (30)"),
              HasSubstr("do not agree on what column g is"));
}

TEST_F(Facts, AnInheritanceChildIsNotPublishedThroughItsParent) {
  sql("CREATE TABLE t (a int); CREATE PUBLICATION pub FOR TABLE ONLY t");
  EXPECT_EQ(reason("CREATE TABLE c () INHERITS (t); INSERT INTO c VALUES (1)"), "");
}

}  // namespace walspout::postgres
