// What the rules are told of a real server, and a host whose sink is refused.
#include <gmock/gmock.h>

#include "pipeline/rule_check.hpp"
#include "support/host_process.hpp"
#include "support/postgres_server.hpp"

namespace walspout {
namespace {

using test::shared_server;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class RuleSource : public testing::Test {
 protected:
  RuleSource() {
    static int count = 0;
    db_ = "rules" + std::to_string(++count);
    shared_server().create_database(db_);
  }

  void sql(const std::string& text) { shared_server().sql(db_, text); }
  Published published() {
    postgres::ConnectOptions options;
    options.url = shared_server().url(db_);
    postgres::Connection connection(options, postgres::Interrupt());
    return read_published(connection, "p");
  }
  // The columns of one table, all published.
  std::vector<std::string> left_out(const std::string& definition) {
    sql("create table t (" + definition + "); create publication p for table t");
    const Published found = published();
    EXPECT_EQ(found.tables.size(), 1U);
    const auto at = found.left_out.find(found.tables.at(0).oid);
    return at == found.left_out.end() ? std::vector<std::string>{} : at->second;
  }

  std::string db_;
};

TEST_F(RuleSource, LongTypesMayBeLeftOut) {
  EXPECT_THAT(left_out("id int primary key, a text, b bytea, c jsonb, d int[], e numeric"),
              ElementsAre("a", "b", "c", "d", "e"));
}

TEST_F(RuleSource, DomainsAndCompositesAreAsLong) {
  sql("create domain note as text; create type pair as (x text, y text)");
  EXPECT_THAT(left_out("id int primary key, n note, p pair"), ElementsAre("n", "p"));
}

TEST_F(RuleSource, ShortTypesNeverAre) {
  EXPECT_THAT(left_out("id int primary key, a bigint, b uuid, c timestamptz, d bool, e float8"),
              ElementsAre());
}

TEST_F(RuleSource, ShortNumbersInALongRowNeverAre) {
  EXPECT_THAT(left_out("id int primary key, a numeric(10,2), b numeric(28,28), c numeric(40,0), "
                       "d text"),
              ElementsAre("c", "d"));
}

TEST_F(RuleSource, ARowThatAlwaysFitsAPageHasNoneLeftOut) {
  EXPECT_THAT(left_out("id int primary key, a varchar(10), b numeric(40,0)"), ElementsAre());
}

TEST_F(RuleSource, PlainStorageIsNeverOutOfLine) {
  sql("create table t (id int primary key, a text, b text); "
      "alter table t alter a set storage plain; create publication p for table t");
  const Published found = published();
  ASSERT_EQ(found.left_out.size(), 1U);
  EXPECT_THAT(found.left_out.begin()->second, ElementsAre("b"));
}

TEST_F(RuleSource, ATableThatSendsWholeOldRowsLeavesNothingOut) {
  sql("create table t (id int primary key, a text); alter table t replica identity full; "
      "create publication p for table t");
  EXPECT_TRUE(published().left_out.empty());
}

TEST_F(RuleSource, OnePartitionThatDoesNotSendWholeRowsIsEnough) {
  sql("create table r (id int primary key, a text) partition by range (id); "
      "create table r1 partition of r for values from (0) to (10); "
      "create table r2 partition of r for values from (10) to (20) partition by range (id); "
      "create table r21 partition of r2 for values from (10) to (15); "
      "create publication p for table r with (publish_via_partition_root = true)");
  const auto names = [&] {
    const Published found = published();
    const auto at = found.left_out.find(found.tables.at(0).oid);
    return at == found.left_out.end() ? std::vector<std::string>{} : at->second;
  };
  EXPECT_THAT(names(), ElementsAre("a"));
  sql("alter table r1 replica identity full");
  EXPECT_THAT(names(), ElementsAre("a"));
  sql("alter table r21 replica identity full");
  EXPECT_THAT(names(), ElementsAre());
}

TEST_F(RuleSource, SaysWhatIsPublished) {
  sql("create table t (id int primary key); "
      "create publication p for table t with (publish = 'insert, delete')");
  const Published found = published();
  EXPECT_TRUE(found.publication.inserts && found.publication.deletes);
  EXPECT_FALSE(found.publication.updates || found.publication.truncates);
}

TEST_F(RuleSource, APublicationThatIsNotThereIsRefused) {
  EXPECT_THROW(published(), postgres::Refused);
}

// A whole host, with a plugin that takes nothing.
class RefusedRoute : public RuleSource {
 protected:
  RefusedRoute() : host_(shared_server(), dir_.path(), config()) {
    sql("create table \"T\" (id int primary key, body text); create table nokey (a int); "
        "create publication p for all tables");
  }

  test::HostConfig config() const {
    test::HostConfig config;
    config.url = shared_server().url(db_);
    config.slot = db_;
    config.publication = "p";
    config.sinks = {{"out", TEST_PLUGINS "/modest.so", {}}};
    return config;
  }
  void more(std::vector<std::string> lines) { host_.config().sinks[0].more = std::move(lines); }

  test::TempDir dir_;
  test::HostProcess host_;
};

TEST_F(RefusedRoute, CheckNamesEveryOneWithTheWayOut) {
  const auto done = host_.verb("check");
  EXPECT_EQ(done.status, 2) << done.output;
  EXPECT_THAT(done.output, HasSubstr("sink out: plugin modest cannot take truncate"));
  EXPECT_THAT(done.output, HasSubstr("and public.nokey has none that is published; ALTER TABLE "
                                     "\"public\".\"nokey\" ADD PRIMARY KEY (...)"));
  EXPECT_THAT(done.output, HasSubstr("change a key, which may come of public.T;"));
  EXPECT_THAT(done.output, HasSubstr("updates of public.T leave out long values that they do not "
                                     "change (body); ALTER TABLE \"public\".\"T\" REPLICA IDENTITY "
                                     "FULL"));
}

TEST_F(RefusedRoute, RunEndsWithStatus2BeforeAnythingIsDelivered) {
  host_.start();
  EXPECT_EQ(host_.wait_exit(), 2);
  EXPECT_TRUE(host_.logged("sink out: plugin ")) << host_.log();
}

TEST_F(RefusedRoute, TheWayOutIsOne) {
  more({"tables = [\"public.T\"]", "operations = [\"insert\", \"delete\"]"});
  const auto done = host_.verb("check");
  EXPECT_EQ(done.status, 0) << done.output;
  EXPECT_THAT(done.output, Not(HasSubstr("plugin modest cannot")));
  host_.start_streaming();
  host_.stop();
}

}  // namespace
}  // namespace walspout
