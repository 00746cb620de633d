#include "postgres/publication.hpp"

#include "fixture.hpp"

namespace walspout::postgres {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using What = PublicationOutcome::What;

class Publication : public WithDatabase {
 protected:
  PublicationOutcome ensure(std::vector<std::string> patterns, const std::string& name = "pub",
                            const std::string& user = "postgres") {
    auto conn = connect(user);
    return ensure_publication(conn, name, base::TablePatterns(std::move(patterns)));
  }
  std::string tables(const std::string& name = "pub") {
    return value(
        "SELECT string_agg(schemaname || '.' || tablename, ' ' ORDER BY 1) FROM "
        "pg_publication_tables WHERE pubname = $$" +
        name + "$$");
  }
};

TEST_F(Publication, IsMadeFromPatternsWithAMark) {
  sql("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY);"
      "CREATE TABLE audit_x (id int PRIMARY KEY)");
  const auto done = ensure({"public.*", "!public.audit_*"});
  EXPECT_EQ(done.what, What::kCreated);
  EXPECT_THAT(done.added, ElementsAre("public.a", "public.b"));
  EXPECT_EQ(tables(), "public.a public.b");
  auto conn = connect();
  const auto info = find_publication(conn, "pub");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->comment, "managed by walspout: public.*, !public.audit_*");
  EXPECT_TRUE(info->managed && info->via_partition_root && !info->all_tables);
  EXPECT_EQ(info->table_count, 2);
}

TEST_F(Publication, ForASuperuserAllTablesIsAllTables) {
  sql("CREATE TABLE a (id int PRIMARY KEY)");
  EXPECT_TRUE(ensure({}).all_tables);
  EXPECT_EQ(value("SELECT puballtables FROM pg_publication"), "t");
  EXPECT_EQ(ensure({}).what, What::kUnchanged);
}

TEST_F(Publication, ForAnotherOwnerAllTablesIsAList) {
  sql("CREATE ROLE owner_" + db_ + " LOGIN; GRANT CREATE ON DATABASE " + db_ + " TO owner_" + db_ +
      "; CREATE SCHEMA s AUTHORIZATION owner_" + db_ +
      "; CREATE TABLE s.a (id int PRIMARY KEY); ALTER TABLE s.a OWNER TO owner_" + db_);
  const auto done = ensure({}, "pub", "owner_" + db_);
  EXPECT_FALSE(done.all_tables);
  EXPECT_EQ(tables(), "s.a");
  EXPECT_EQ(ensure({}, "pub", "owner_" + db_).what, What::kUnchanged);
}

TEST_F(Publication, ARoleThatDoesNotOwnTheTableIsToldWhatToRun) {
  sql("CREATE ROLE stranger_" + db_ + " LOGIN; GRANT CREATE ON DATABASE " + db_ + " TO stranger_" +
      db_ + "; CREATE TABLE a (id int PRIMARY KEY)");
  const auto text = message_of<Refused>([&] { ensure({"public.a"}, "pub", "stranger_" + db_); });
  EXPECT_THAT(text, HasSubstr("CREATE PUBLICATION \"pub\" FOR TABLE ONLY \"public\".\"a\" WITH"));
  EXPECT_EQ(value("SELECT count(*) FROM pg_publication"), "0");
}

TEST_F(Publication, IsKeptInStepWithThePatterns) {
  sql("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY)");
  ensure({"public.a"});
  const auto done = ensure({"public.b"});
  EXPECT_EQ(done.what, What::kAltered);
  EXPECT_THAT(done.added, ElementsAre("public.b"));
  EXPECT_THAT(done.removed, ElementsAre("public.a"));
  EXPECT_EQ(tables(), "public.b");
  EXPECT_EQ(ensure({"public.b"}).what, What::kUnchanged);
}

TEST_F(Publication, PicksUpATableThatCameLater) {
  sql("CREATE TABLE a (id int PRIMARY KEY)");
  ensure({"public.*"});
  sql("CREATE TABLE b (id int PRIMARY KEY)");
  EXPECT_THAT(ensure({"public.*"}).added, ElementsAre("public.b"));
  EXPECT_EQ(tables(), "public.a public.b");
}

TEST_F(Publication, TurnsFromAllTablesIntoAList) {
  sql("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY)");
  ensure({});
  EXPECT_EQ(ensure({"public.a"}).what, What::kAltered);
  EXPECT_EQ(tables(), "public.a");
}

TEST_F(Publication, OfOthersIsUsedAsItIs) {
  sql("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY);"
      "CREATE PUBLICATION pub FOR TABLE a");
  EXPECT_EQ(ensure({"public.b"}).what, What::kUsedAsIs);
  EXPECT_EQ(tables(), "public.a");
}

TEST_F(Publication, WithoutTablesIsNoFailure) {
  sql("CREATE PUBLICATION pub");
  EXPECT_EQ(ensure({}).what, What::kUsedAsIs);
  EXPECT_EQ(ensure({"nowhere.*"}, "mine").what, What::kCreated);
}

TEST_F(Publication, NamesOfAnyKindWork) {
  sql("CREATE SCHEMA \"Sch,ema\"; CREATE TABLE \"Sch,ema\".\"Ta\"\"ble 'x'\" (id int PRIMARY KEY)");
  const std::string name = "We\"ird, 'Pub'";
  ensure({"Sch,ema.*"}, name);
  EXPECT_EQ(tables(name), "Sch,ema.Ta\"ble 'x'");
  EXPECT_EQ(ensure({"Sch,ema.*"}, name).what, What::kUnchanged);
  auto conn = connect();
  EXPECT_TRUE(drop_publication(conn, name));
  EXPECT_FALSE(drop_publication(conn, name));
}

TEST_F(Publication, ARootStandsForItsPartitions) {
  sql("CREATE TABLE root (id int PRIMARY KEY) PARTITION BY RANGE (id);"
      "CREATE TABLE mid PARTITION OF root FOR VALUES FROM (0) TO (100) PARTITION BY RANGE (id);"
      "CREATE TABLE leaf PARTITION OF mid FOR VALUES FROM (0) TO (10);"
      "CREATE TABLE other PARTITION OF root FOR VALUES FROM (100) TO (200)");
  EXPECT_THAT(ensure({"public.*"}).added, ElementsAre("public.root"));
  EXPECT_EQ(tables(), "public.root");
  EXPECT_THAT(ensure({"public.mid", "public.leaf"}).added, ElementsAre("public.mid"));
}

TEST_F(Publication, LeavesOutWhatCannotBePublished) {
  sql("CREATE TABLE a (id int PRIMARY KEY); CREATE UNLOGGED TABLE u (id int PRIMARY KEY);"
      "CREATE VIEW v AS SELECT 1 AS x; CREATE MATERIALIZED VIEW m AS SELECT 1 AS x");
  EXPECT_THAT(ensure({"*.*"}).added, ElementsAre("public.a"));
}

TEST_F(Publication, NamesTablesWhoseUpdatesWillFail) {
  sql("CREATE TABLE keyed (id int PRIMARY KEY); CREATE TABLE bare (id int);"
      "CREATE TABLE whole (id int); ALTER TABLE whole REPLICA IDENTITY FULL;"
      "CREATE TABLE late (id int PRIMARY KEY DEFERRABLE)");
  EXPECT_THAT(ensure({"public.*"}).without_identity, ElementsAre("public.bare", "public.late"));
}

TEST_F(Publication, AChildByInheritanceIsATableOfItsOwn) {
  sql("CREATE TABLE parent (id int PRIMARY KEY); CREATE TABLE child () INHERITS (parent)");
  ensure({"public.parent"});
  EXPECT_EQ(tables(), "public.parent");
}

TEST_F(Publication, StaleOnesAreFoundByPrefix) {
  sql("CREATE PUBLICATION walspout_tail_1; CREATE PUBLICATION walspoutxtail_2");
  auto conn = connect();
  EXPECT_THAT(publications_like(conn, "walspout_"), ElementsAre("walspout_tail_1"));
  EXPECT_THAT(publications_like(conn, "none"), IsEmpty());
}

}  // namespace walspout::postgres
