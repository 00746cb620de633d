// C103: every problem in one list, and nothing created.
#include "postgres/preflight.hpp"

#include "fixture.hpp"
#include "postgres/slot.hpp"

namespace walspout::postgres {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using Severity = Finding::Severity;

namespace {

auto finds(Severity severity, const std::string& object, const std::string& text,
           const std::string& remedy) {
  return Contains(AllOf(Field(&Finding::severity, severity), Field(&Finding::object, object),
                        Field(&Finding::text, HasSubstr(text)),
                        Field(&Finding::remedy, HasSubstr(remedy))));
}

PreflightOptions asks(const std::string& url, std::vector<std::string> patterns = {}) {
  PreflightOptions options;
  options.url = url;
  options.slot = "preflight";
  options.publication = "pub";
  options.patterns = base::TablePatterns(std::move(patterns));
  return options;
}

}  // namespace

class PreflightCheck : public WithDatabase {
 protected:
  Preflight check(std::vector<std::string> patterns = {}, const std::string& user = "postgres") {
    return preflight(asks(shared_server().url(db_, user), std::move(patterns)), Interrupt());
  }
};

TEST_F(PreflightCheck, WithEverythingRightNamesTheTablesAndTheirKeys) {
  sql("CREATE TABLE a (x int, y int, PRIMARY KEY (y, x)); CREATE TABLE f (x int);"
      "ALTER TABLE f REPLICA IDENTITY FULL");
  const auto result = check({"public.*"});
  EXPECT_TRUE(result.ok());
  EXPECT_FALSE(result.slot_exists || result.publication_exists);
  ASSERT_EQ(result.tables.size(), 2u);
  EXPECT_EQ(result.tables[0].name, "public.a");
  EXPECT_EQ(result.tables[0].key, "primary key (y, x)");
  EXPECT_EQ(result.tables[1].key, "replica identity full");
  EXPECT_EQ(value("SELECT count(*) FROM pg_publication"), "0");
  EXPECT_EQ(value("SELECT count(*) FROM pg_replication_slots"), "0");
}

TEST_F(PreflightCheck, EveryMissingRightIsInOneList) {
  const std::string role = "poor_" + db_, quoted = "\"" + role + "\"";
  sql("CREATE ROLE " + role +
      " LOGIN; CREATE SCHEMA s; CREATE TABLE s.a (id int PRIMARY KEY);"
      "CREATE TABLE b (id int PRIMARY KEY); ALTER TABLE b ENABLE ROW LEVEL SECURITY;"
      "GRANT SELECT ON b TO " +
      role);
  const auto result = check({}, role);
  EXPECT_FALSE(result.ok());
  EXPECT_THAT(result.findings, finds(Severity::kError, "role " + quoted, "may not replicate",
                                     "ALTER ROLE " + quoted + " REPLICATION"));
  EXPECT_THAT(result.findings, finds(Severity::kError, "table s.a", "schema is closed",
                                     "GRANT USAGE ON SCHEMA \"s\" TO " + quoted));
  EXPECT_THAT(result.findings, finds(Severity::kError, "table s.a", "may not be read",
                                     "GRANT SELECT ON \"s\".\"a\" TO " + quoted));
  EXPECT_THAT(result.findings, finds(Severity::kError, "table public.b", "row level security",
                                     "ALTER ROLE " + quoted + " BYPASSRLS"));
  EXPECT_THAT(result.findings, finds(Severity::kError, "publication pub", "may not create it",
                                     "GRANT CREATE ON DATABASE"));
  EXPECT_THAT(result.findings,
              finds(Severity::kError, "table s.a", "belongs to postgres", "GRANT"));
}

TEST_F(PreflightCheck, TablesThatCannotBePublishedAreNamed) {
  sql("CREATE UNLOGGED TABLE u (id int); CREATE VIEW v AS SELECT 1 AS x;"
      "CREATE TABLE bare (id int)");
  const auto result = check({"public.u", "public.v", "public.bare", "public.gone"});
  EXPECT_THAT(result.findings, finds(Severity::kError, "table public.u", "unlogged",
                                     "ALTER TABLE \"public\".\"u\" SET LOGGED"));
  EXPECT_THAT(result.findings, finds(Severity::kError, "table public.v", "is a view", ""));
  EXPECT_THAT(result.findings, finds(Severity::kWarning, "table public.gone", "not exist", ""));
  EXPECT_THAT(result.findings, finds(Severity::kWarning, "table public.bare", "replica identity",
                                     "ALTER TABLE \"public\".\"bare\" REPLICA IDENTITY FULL"));
}

TEST_F(PreflightCheck, APublicationOfOthersIsJudged) {
  sql("CREATE PUBLICATION pub WITH (publish = 'insert')");
  const auto result = check();
  EXPECT_TRUE(result.publication_exists);
  EXPECT_THAT(result.findings, finds(Severity::kWarning, "publication pub", "no tables", "ADD"));
  EXPECT_THAT(result.findings, finds(Severity::kWarning, "publication pub",
                                     "update, delete, truncate", "SET (publish"));
}

TEST_F(PreflightCheck, ASlotOfAnotherKindOrDatabaseIsAnError) {
  sql("SELECT pg_create_logical_replication_slot('preflight', 'test_decoding')");
  EXPECT_THAT(check().findings, finds(Severity::kError, "slot preflight", "test_decoding",
                                      "pg_drop_replication_slot('preflight')"));
  sql("SELECT pg_drop_replication_slot('preflight')");
  shared_server().sql("postgres",
                      "SELECT pg_create_logical_replication_slot('preflight', 'pgoutput')");
  EXPECT_THAT(check().findings,
              finds(Severity::kError, "slot preflight", "belongs to database postgres", ""));
  sql("SELECT pg_drop_replication_slot('preflight')");
}

TEST_F(PreflightCheck, AnUnknownDatabaseIsAFindingNotAnException) {
  const auto result =
      preflight(asks(shared_server().url("nowhere") + " password=S3cr3tPw"), Interrupt());
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].object, "connection");
  EXPECT_THAT(result.findings[0].text, Not(HasSubstr("S3cr3tPw")));
  EXPECT_FALSE(result.ok());
}

TEST_F(PreflightCheck, AServerSetUpForNothingIsToldEverySetting) {
  test::PostgresServer::Options options;
  options.settings = {"wal_level = replica", "max_replication_slots = 0", "max_wal_senders = 0"};
  test::PostgresServer server(options);
  const auto result = preflight(asks(server.url("postgres")), Interrupt());
  EXPECT_THAT(result.findings, finds(Severity::kError, "wal_level", "is replica",
                                     "ALTER SYSTEM SET wal_level = 'logical'"));
  EXPECT_THAT(result.findings, finds(Severity::kError, "max_replication_slots", "in use",
                                     "ALTER SYSTEM SET max_replication_slots = 5"));
  EXPECT_THAT(result.findings, finds(Severity::kError, "max_wal_senders", "in use",
                                     "ALTER SYSTEM SET max_wal_senders = 5"));
}

}  // namespace walspout::postgres
