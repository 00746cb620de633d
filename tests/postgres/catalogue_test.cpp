#include "postgres/catalogue.hpp"

#include "fixture.hpp"

namespace walspout::postgres {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Catalogue : public WithDatabase {
 protected:
  std::vector<PublishedTable> published(const std::string& setup) {
    sql(setup);
    auto conn = connect();
    return published_tables(conn, "pub");
  }
  PublishedTable only(const std::string& setup) {
    const auto tables = published(setup);
    EXPECT_EQ(tables.size(), 1u);
    return tables.at(0);
  }
  static std::vector<std::string> names(const PublishedTable& table) {
    std::vector<std::string> all;
    for (const auto& column : table.columns) all.push_back(column.name);
    return all;
  }
};

TEST_F(Catalogue, ATableHasItsColumnsTypesAndKeyInOrder) {
  const auto table = only(
      "CREATE TABLE t (a int NOT NULL, b varchar(7), c numeric(5,2), PRIMARY KEY (c, a));"
      "CREATE PUBLICATION pub FOR TABLE t");
  EXPECT_EQ(table.full_name(), "public.t");
  EXPECT_EQ(table.relkind, 'r');
  EXPECT_EQ(table.replica_identity, 'd');
  EXPECT_EQ(table.row_filter, std::nullopt);
  EXPECT_EQ(std::to_string(table.relfilenode), value("SELECT pg_relation_filenode('t')"));
  EXPECT_THAT(names(table), ElementsAre("a", "b", "c"));
  EXPECT_THAT(table.primary_key, ElementsAre("c", "a"));
  EXPECT_THAT(table.identity_index, ElementsAre("c", "a"));
  EXPECT_EQ(table.columns[1].type_oid, 1043u);
  EXPECT_EQ(table.columns[1].type_mod, 11);
  EXPECT_TRUE(table.columns[0].not_null);
  EXPECT_FALSE(table.columns[1].not_null);
  EXPECT_TRUE(table.columns[0].in_identity);
  EXPECT_FALSE(table.columns[1].in_identity);
}

TEST_F(Catalogue, DroppedColumnsAreGoneAndNumbersStay) {
  const auto table = only(
      "CREATE TABLE t (a int PRIMARY KEY, b int, c int); ALTER TABLE t DROP COLUMN b;"
      "CREATE PUBLICATION pub FOR TABLE t");
  EXPECT_THAT(names(table), ElementsAre("a", "c"));
  EXPECT_EQ(table.columns[1].attnum, 3);
}

TEST_F(Catalogue, AColumnListAndARowFilterCount) {
  if (before(15)) GTEST_SKIP() << "row filters and column lists came with 15";
  const auto table = only(
      "CREATE TABLE t (a int PRIMARY KEY, b int, c int);"
      "CREATE PUBLICATION pub FOR TABLE t (c, a) WHERE (a > 5)");
  EXPECT_THAT(names(table), ElementsAre("a", "c"));
  EXPECT_EQ(table.row_filter, "(a > 5)");
}

TEST_F(Catalogue, AKeyThatIsNotPublishedAsAWholeIsNoKey) {
  if (before(15)) GTEST_SKIP() << "row filters and column lists came with 15";
  const auto table = only(
      "CREATE TABLE t (a int, b int, c int, PRIMARY KEY (a, b));"
      "CREATE PUBLICATION pub FOR TABLE t (a, c) WITH (publish = 'insert')");
  EXPECT_THAT(table.primary_key, IsEmpty());
}

TEST_F(Catalogue, AStoredGeneratedColumnIsNotPublished) {
  const auto table = only(
      "CREATE TABLE t (a int PRIMARY KEY, g int GENERATED ALWAYS AS (a * 2) STORED);"
      "CREATE PUBLICATION pub FOR TABLE t");
  EXPECT_THAT(names(table), ElementsAre("a"));
}

TEST_F(Catalogue, ADeferrableKeyIsNone) {
  const auto table =
      only("CREATE TABLE t (a int PRIMARY KEY DEFERRABLE); CREATE PUBLICATION pub FOR TABLE t");
  EXPECT_THAT(table.primary_key, IsEmpty());
  EXPECT_THAT(table.identity_index, IsEmpty());
}

TEST_F(Catalogue, AnIdentityIndexStandsBesideThePrimaryKey) {
  const auto table = only(
      "CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL, c int NOT NULL, d int);"
      "CREATE UNIQUE INDEX i ON t (c, b) INCLUDE (d); ALTER TABLE t REPLICA IDENTITY USING INDEX i;"
      "CREATE PUBLICATION pub FOR TABLE t");
  EXPECT_EQ(table.replica_identity, 'i');
  EXPECT_THAT(table.primary_key, ElementsAre("a"));
  EXPECT_THAT(table.identity_index, ElementsAre("c", "b"));
  EXPECT_FALSE(table.columns[0].in_identity);
  EXPECT_FALSE(table.columns[3].in_identity);
}

TEST_F(Catalogue, UnderFullEveryColumnIsIdentity) {
  const auto table = only(
      "CREATE TABLE t (a int, b text); ALTER TABLE t REPLICA IDENTITY FULL;"
      "CREATE PUBLICATION pub FOR TABLE t");
  EXPECT_EQ(table.replica_identity, 'f');
  EXPECT_TRUE(table.columns[0].in_identity && table.columns[1].in_identity);
  EXPECT_THAT(table.primary_key, IsEmpty());
}

TEST_F(Catalogue, APartitionRootIsOneTableWithTheRowsOfItsLeaves) {
  const auto table = only(
      "CREATE TABLE root (id int PRIMARY KEY, t text) PARTITION BY RANGE (id);"
      "CREATE TABLE l1 PARTITION OF root FOR VALUES FROM (0) TO (1000);"
      "CREATE TABLE l2 PARTITION OF root FOR VALUES FROM (1000) TO (2000);"
      "INSERT INTO root SELECT i, 'x' FROM generate_series(0, 1999) i; ANALYZE l1; ANALYZE l2;"
      "CREATE PUBLICATION pub FOR TABLE root WITH (publish_via_partition_root)");
  EXPECT_EQ(table.name, "root");
  EXPECT_EQ(table.relkind, 'p');
  EXPECT_EQ(table.relfilenode, 0u);
  EXPECT_EQ(table.estimated_rows, 2000);
  EXPECT_GE(table.bytes, 2 * 8192);
  EXPECT_THAT(table.primary_key, ElementsAre("id"));
}

TEST_F(Catalogue, ATableWithoutColumnsIsATable) {
  const auto table = only("CREATE TABLE t (); CREATE PUBLICATION pub FOR TABLE t");
  EXPECT_THAT(table.columns, IsEmpty());
  EXPECT_EQ(table.estimated_rows, -1);
}

TEST_F(Catalogue, TablesComeByNameWithStrangeNamesToo) {
  const auto tables = published(
      "CREATE TABLE \"Z\"\"z\" (\"C,x\" int PRIMARY KEY); CREATE TABLE a (id int);"
      "CREATE SCHEMA s; CREATE TABLE s.\"q.r\" (id int); CREATE PUBLICATION pub FOR ALL TABLES");
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_EQ(tables[0].name, "Z\"z");
  EXPECT_THAT(tables[0].primary_key, ElementsAre("C,x"));
  EXPECT_EQ(tables[1].name, "a");
  EXPECT_EQ(tables[2].full_name(), "s.q.r");
}

TEST_F(Catalogue, KeysOfOneTableAreAskedByItsOid) {
  sql("CREATE TABLE t (a int, b int NOT NULL, PRIMARY KEY (b, a)); CREATE TABLE n (x int);"
      "CREATE UNIQUE INDEX i ON t (b); ALTER TABLE t REPLICA IDENTITY USING INDEX i");
  auto conn = connect();
  const auto oid = [&](const std::string& table) {
    return static_cast<std::uint32_t>(std::stoul(value("SELECT '" + table + "'::regclass::oid")));
  };
  const auto key = table_key(conn, oid("t"));
  ASSERT_TRUE(key);
  EXPECT_EQ(key->replica_identity, 'i');
  EXPECT_THAT(key->primary_key, ElementsAre("b", "a"));
  EXPECT_THAT(key->identity_index, ElementsAre("b"));
  ASSERT_TRUE(table_key(conn, oid("n")));
  EXPECT_THAT(table_key(conn, oid("n"))->primary_key, IsEmpty());
  EXPECT_FALSE(table_key(conn, 1));
}

}  // namespace walspout::postgres
