#include "postgres/table_facts.hpp"

#include "facts_fixture.hpp"

namespace walspout::postgres {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(Facts, ATableHasItsColumnsKeysAndFile) {
  sql("CREATE TABLE t (a int NOT NULL, b varchar(7) DEFAULT 'x', c int, PRIMARY KEY (c, a));"
      "ALTER TABLE t DROP COLUMN b, ADD COLUMN d numeric(5,2);"
      "CREATE PUBLICATION pub FOR TABLE t");
  const TableFacts t = facts();
  EXPECT_EQ(t.full_name(), "public.t");
  EXPECT_EQ(t.relkind, 'r');
  EXPECT_EQ(t.replica_identity, 'd');
  EXPECT_THAT(t.primary_key, ElementsAre(3, 1));
  EXPECT_THAT(t.identity_index, ElementsAre(3, 1));
  EXPECT_EQ(t.operations, "iudt");
  EXPECT_EQ(t.row_filter, std::nullopt);
  EXPECT_EQ(t.column_list, std::nullopt);
  ASSERT_EQ(t.attributes.size(), 4u);
  EXPECT_TRUE(t.attributes[0].not_null && t.attributes[0].published);
  EXPECT_TRUE(t.attributes[1].dropped && !t.attributes[1].published);
  EXPECT_EQ(t.attributes[3].name, "d");
  EXPECT_EQ(t.attributes[3].type_oid, 1700u);
  EXPECT_EQ(std::to_string(t.attributes[3].xmin),
            value("SELECT xmin FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum = 4"));
  ASSERT_EQ(t.storage.size(), 1u);
  EXPECT_EQ(std::to_string(t.storage[0].relfilenode), value("SELECT pg_relation_filenode('t')"));
}

TEST_F(Facts, NoPublicationHasNoTables) { EXPECT_THAT(published(), IsEmpty()); }

TEST_F(Facts, APositionAfterTheReadAndItsSnapshotComeWithIt) {
  table();
  const auto before = test::parse_lsn(value("SELECT pg_current_wal_insert_lsn()"));
  const CatalogueView now = view();
  EXPECT_GE(now.lsn, before);
  EXPECT_THAT(now.snapshot, ::testing::MatchesRegex("[0-9]+:[0-9]+:[0-9,]*"));
}

TEST_F(Facts, AllTablesOfAnAllTablesPublicationAreThere) {
  sql("CREATE SCHEMA s; CREATE TABLE s.x (i int); CREATE TABLE t (i int); CREATE VIEW v AS SELECT "
      "1;"
      "CREATE UNLOGGED TABLE u (i int); CREATE MATERIALIZED VIEW m AS SELECT 1 AS i;"
      "CREATE TABLE r (i int) PARTITION BY LIST (i);"
      "CREATE TABLE r1 PARTITION OF r FOR VALUES IN (1);"
      "CREATE PUBLICATION pub FOR ALL TABLES WITH (publish_via_partition_root = true)");
  EXPECT_THAT(published(), ElementsAre("public.r", "public.t", "s.x"));
}

TEST_F(Facts, WithoutTheRootPartitionsAreThereThemselves) {
  sql("CREATE TABLE r (i int) PARTITION BY LIST (i);"
      "CREATE TABLE r1 PARTITION OF r FOR VALUES IN (1) PARTITION BY LIST (i);"
      "CREATE TABLE r11 PARTITION OF r1 FOR VALUES IN (1);"
      "CREATE PUBLICATION pub FOR TABLE r");
  EXPECT_THAT(published(), ElementsAre("public.r11"));
  EXPECT_EQ(facts("r11").memberships.size(), 1u);
}

TEST_F(Facts, ASubtreeThatIsListedStandsForItsPartitions) {
  sql("CREATE TABLE r (i int) PARTITION BY LIST (i);"
      "CREATE TABLE r1 PARTITION OF r FOR VALUES IN (1) PARTITION BY LIST (i);"
      "CREATE TABLE r11 PARTITION OF r1 FOR VALUES IN (1);"
      "CREATE PUBLICATION pub FOR TABLE r1, r11 WITH (publish_via_partition_root = true)");
  EXPECT_THAT(published(), ElementsAre("public.r1"));
}

TEST_F(Facts, TheSameTablesAsTheServersViewLists) {
  if (before(15)) GTEST_SKIP() << "schemas came with 15";
  sql("CREATE SCHEMA s; CREATE TABLE s.a (i int); CREATE TABLE s.r (i int) PARTITION BY LIST (i);"
      "CREATE TABLE r1 PARTITION OF s.r FOR VALUES IN (1);"
      "CREATE TABLE q (i int) PARTITION BY LIST (i);"
      "CREATE TABLE s.q1 PARTITION OF q FOR VALUES IN (1);"
      "CREATE TABLE q2 PARTITION OF q FOR VALUES IN (2); CREATE TABLE t (i int);"
      "CREATE PUBLICATION pub FOR TABLES IN SCHEMA s, TABLE t");
  for (const char* root : {"true", "false"}) {
    sql(std::string("ALTER PUBLICATION pub SET (publish_via_partition_root = ") + root + ")");
    std::vector<std::string> expected;
    for (const auto& row :
         shared_server().query(db_,
                               "SELECT schemaname || '.' || tablename FROM pg_publication_tables "
                               "WHERE pubname = 'pub' ORDER BY schemaname, tablename"))
      expected.push_back(*row[0]);
    EXPECT_EQ(published(), expected) << root;
  }
}

TEST_F(Facts, AReadNeverWaitsForALock) {
  if (before(15)) GTEST_SKIP() << "row filters came with 15";
  sql("CREATE TABLE t (a int PRIMARY KEY, b int);"
      "CREATE PUBLICATION pub FOR TABLE t WHERE (a > 5)");
  auto holder = shared_server().session(db_);
  holder.sql("BEGIN; ALTER TABLE t ADD COLUMN c int");
  auto conn = connect();
  conn.exec("SET statement_timeout = '10s'");
  EXPECT_EQ(read_table_facts(conn, "pub").tables.at(0).attributes.size(), 2u);
}

TEST_F(Facts, MissingValuesPrintAsTheTypeDoes) {
  table("a int");
  sql("ALTER TABLE t ADD b text DEFAULT 'it''s {\"x\"}, \\', ADD c int[] DEFAULT '{1,NULL}', "
      "ADD d box DEFAULT '((1,1),(0,0))', ADD e timestamptz DEFAULT '2024-01-02 03:04:05+01', "
      "ADD f bytea DEFAULT '\\x00ff', ADD g float8 DEFAULT 0.1, ADD h text DEFAULT '', ADD i int");
  const TableFacts t = facts();
  std::vector<std::optional<std::string>> missing;
  for (const auto& one : t.attributes) missing.push_back(one.missing);
  EXPECT_THAT(missing, ElementsAre(std::nullopt, "it's {\"x\"}, \\", "{1,NULL}", "(1,1),(0,0)",
                                   "2024-01-02 02:04:05+00", "\\x00ff", "0.1", "", std::nullopt));
}

TEST_F(Facts, ARootHasTheMissingValueThatItsPartitionsAgreeOn) {
  tree();
  sql("ALTER TABLE t ADD c int DEFAULT 7, ADD d int DEFAULT 8, ADD e int; "
      "CREATE TABLE p3 PARTITION OF t FOR VALUES FROM (20) TO (30)");
  const TableFacts t = facts();
  EXPECT_TRUE(t.attribute(3)->missing_differs);
  sql("DROP TABLE p3");
  EXPECT_EQ(facts().attribute(3)->missing, "7");
  EXPECT_FALSE(facts().attribute(3)->missing_differs);
  EXPECT_EQ(facts().attribute(5)->missing, std::nullopt);
}

TEST_F(Facts, DomainsAreResolvedAndLabelsFoundBeneathArraysDomainsAndRows) {
  sql("CREATE TYPE e1 AS ENUM ('a'); CREATE TYPE e2 AS ENUM ('b'); CREATE TYPE e3 AS ENUM ('c');"
      "CREATE TYPE hollow AS ENUM (); CREATE TYPE unused AS ENUM ('z');"
      "CREATE DOMAIN d AS e2; CREATE DOMAIN dd AS d; CREATE TYPE duo AS (x int, y e3);"
      "CREATE DOMAIN word AS varchar(9);");
  table("p e1[], q dd, r duo[], s hollow, w word");
  const TableFacts t = facts();
  std::vector<std::string> labels;
  for (const auto& one : t.labels) labels.push_back(one.label);
  EXPECT_THAT(labels, ElementsAre("a", "b", "c"));
  EXPECT_EQ(t.members.size(), 2u);
  EXPECT_EQ(t.attribute(5)->base_type_oid, 1043u);
  EXPECT_EQ(std::to_string(t.attribute(2)->base_type_oid), value("SELECT 'e2'::regtype::oid"));
}

TEST_F(Facts, SurviveTheWayThroughText) {
  sql("CREATE SCHEMA \" odd\n%=\"; CREATE TYPE \"e t\" AS ENUM ('', E'a\\nb', 'ü %41');"
      "CREATE TABLE \" odd\n%=\".\"\t-\" (\"=\" int PRIMARY KEY, \"a b\" \"e t\", c text)"
      " PARTITION BY RANGE (\"=\");"
      "CREATE TABLE \" odd\n%=\".\"x \" PARTITION OF \" odd\n%=\".\"\t-\" DEFAULT;"
      "ALTER TABLE \" odd\n%=\".\"\t-\" DROP COLUMN c, ADD d text DEFAULT E' \\r\\n%20';"
      "CREATE PUBLICATION pub FOR ALL TABLES WITH (publish_via_partition_root = true)");
  const CatalogueView now = view();
  ASSERT_EQ(now.tables.size(), 1u);
  const std::string text = serialize(now.tables[0]);
  EXPECT_EQ(text.find_first_of("\n\r\t"), std::string::npos);
  const auto back = parse_table_facts(text);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(serialize(*back), text);
  EXPECT_EQ(back->schema, " odd\n%=");
  EXPECT_EQ(back->attribute(4)->missing, " \r\n%20");
  EXPECT_EQ(back->attributes, now.tables[0].attributes);
  EXPECT_EQ(back->storage.at(0).edges, now.tables[0].storage.at(0).edges);
  EXPECT_EQ(facts_hash(*back), facts_hash(now.tables[0]));
}

TEST(FactsText, DamagedTextIsRefused) {
  TableFacts facts;
  facts.attributes.resize(2);
  facts.row_filter = "x";
  const std::string text = serialize(facts);
  ASSERT_TRUE(parse_table_facts(text).has_value());
  for (std::size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(parse_table_facts(text.substr(0, length))) << length;
  EXPECT_FALSE(parse_table_facts(text + " "));
  EXPECT_FALSE(parse_table_facts(text + " 1"));
  EXPECT_FALSE(parse_table_facts("facts0" + text.substr(6)));
  EXPECT_FALSE(parse_table_facts("facts3 -1"));
  EXPECT_FALSE(parse_table_facts("facts3 1 =%4"));
  EXPECT_FALSE(parse_table_facts("facts3 1 =%zz = r d 4000000000"));
}

TEST(FactsText, TheHashIsTheSameInEveryBuildAndLeavesNamesForMessagesOut) {
  TableFacts facts;
  facts.oid = 1;
  facts.storage.resize(1);
  const std::uint64_t hash = facts_hash(facts);
  EXPECT_EQ(hash, 5668812987602020211U);
  facts.storage[0].name = "public.t";
  facts.storage[0].unseen_rows = true;
  EXPECT_EQ(facts_hash(facts), hash);
  facts.storage[0].relfilenode = 1;
  EXPECT_NE(facts_hash(facts), hash);
}

TEST_F(Facts, StayTheSameWhenNothingIsChanged) {
  table();
  const std::uint64_t hash = facts_hash(facts());
  sql("INSERT INTO t SELECT generate_series(1, 1000); ANALYZE t; CREATE INDEX ON t (b)");
  sql("VACUUM FREEZE pg_attribute");
  EXPECT_EQ(facts_hash(facts()), hash);
}

}  // namespace walspout::postgres
