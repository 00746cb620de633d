#include "pipeline/schema_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <iostream>
#include <memory>

#include "postgres/publication.hpp"
#include "support/postgres_server.hpp"
#include "support/tcp_proxy.hpp"
#include "support/wait.hpp"

namespace walspout {
namespace {

using namespace std::chrono_literals;
using postgres::CatalogueView;
using test::shared_server;
using testing::HasSubstr;
using testing::Not;

constexpr auto kOften = 20ms;
constexpr auto kNever = std::chrono::milliseconds(1h);

class Watch : public testing::Test {
 protected:
  Watch() {
    static int count = 0;
    db_ = "watch" + std::to_string(++count);
    shared_server().create_database(db_);
    config_.host.name = db_;
    config_.source.url = shared_server().url(db_);
    config_.source.publication = "pub";
    testing::internal::CaptureStderr();
  }
  ~Watch() override {
    watch_.reset();
    if (!logged_) {
      const std::string text = log();
      if (HasFailure()) std::cerr << text;
    }
  }

  void sql(const std::string& text) { shared_server().sql(db_, text); }
  void start(std::chrono::milliseconds every = kOften,
             std::vector<postgres::TableFacts> known = {}) {
    watch_ = std::make_unique<SchemaWatch>(config_, wake_, std::move(known), every);
  }
  // The publication as the host makes it.
  void manage() {
    postgres::ConnectOptions options;
    options.url = shared_server().url(db_);
    postgres::Connection connection(options, postgres::Interrupt());
    postgres::ensure_publication(connection, "pub", config_.source.tables);
  }
  bool rung() const {
    pollfd descriptor{wake_.fd(), POLLIN, 0};
    return poll(&descriptor, 1, 0) == 1;
  }
  // The next view, once it was announced.
  CatalogueView next() {
    std::optional<CatalogueView> view;
    test::wait_until("a view to take", test::Seconds(20), [&] {
      if (!rung()) return false;
      wake_.clear();
      view = watch_->take();
      return view.has_value();
    });
    return std::move(*view);
  }
  // The first view of which the condition holds.
  CatalogueView next_with(const std::function<bool(const CatalogueView&)>& condition) {
    while (true) {
      CatalogueView view = next();
      if (condition(view)) return view;
    }
  }
  CatalogueView next_with_tables(std::size_t count) {
    return next_with([&](const CatalogueView& view) { return view.tables.size() == count; });
  }
  // Looks that are done for sure: each begins after its call.
  void look(int times = 1) {
    for (; times > 0; --times) {
      watch_->look_now();
      next();
    }
  }
  // Ends the watch and gives what was logged.
  std::string log() {
    watch_.reset();
    logged_ = true;
    return testing::internal::GetCapturedStderr();
  }
  static int times(const std::string& text, const std::string& part) {
    int count = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
  }

  std::string db_;
  config::Config config_;
  base::Wake wake_;
  std::unique_ptr<SchemaWatch> watch_;
  bool logged_ = false;
};

TEST_F(Watch, TheFirstLookIsHandedOverAndThenOnlyChangesAre) {
  sql("create table t (i int); create publication pub for table t");
  start();
  EXPECT_EQ(next().tables.at(0).full_name(), "public.t");
  EXPECT_TRUE(test::holds_for(test::Seconds(0.3), [&] { return !rung() && !watch_->take(); }));
  sql("alter table t add column j int");
  EXPECT_EQ(next().tables.at(0).attributes.size(), 2U);
}

TEST_F(Watch, WhoAsksGetsAViewThatHasAllThatWasThere) {
  sql("create table t (i int); create publication pub for table t");
  start(kNever);
  next();
  for (int i = 0; i < 5; ++i) {
    sql("alter table t add column c" + std::to_string(i) + " int");
    watch_->look_now();
    EXPECT_EQ(next().tables.at(0).attributes.size(), static_cast<std::size_t>(i + 2));
  }
  watch_->look_now();
  EXPECT_EQ(next().tables.at(0).attributes.size(), 6U);  // though nothing changed
}

TEST_F(Watch, AManagedPublicationGetsTablesThatMatchLater) {
  sql("create table t (i int)");
  config_.source.tables = base::TablePatterns({"public.*", "!public.x*"});
  manage();
  start();
  next_with_tables(1);
  sql("create table u (i int); create table x (i int)");
  EXPECT_EQ(next_with_tables(2).tables.at(1).full_name(), "public.u");
  look(3);
  const std::string text = log();
  EXPECT_EQ(times(text, "publication pub: added public.u"), 1);
  EXPECT_EQ(times(text, "public.u has no replica identity"), 1);
  EXPECT_THAT(text, Not(HasSubstr("public.t has no replica identity")));
}

TEST_F(Watch, APublicationOfOthersIsLeftAlone) {
  sql("create table t (i int); create publication pub for table t; create table u (i int)");
  start();
  next();
  look(2);
  EXPECT_EQ(shared_server().value(db_, "select count(*) from pg_publication_rel"), "1");
}

TEST_F(Watch, ARightThatIsMissingIsWarnedOfOnceAndTheLooksGoOn) {
  sql("create table t (i int)");
  config_.source.tables = base::TablePatterns({"public.*"});
  manage();
  sql("create role poor_" + db_ + " login; create table u (i int)");
  config_.source.url = shared_server().url(db_, "poor_" + db_);
  start();
  next();
  look(3);
  sql("alter table t add column j int");
  EXPECT_EQ(next().tables.at(0).attributes.size(), 2U);
  EXPECT_EQ(times(log(), "cannot be made or changed by this role"), 1);
}

TEST_F(Watch, ATableThatIsLockedDelaysNoLook) {
  sql("create table t (i int)");
  config_.source.tables = base::TablePatterns({"public.*"});
  manage();
  auto holder = shared_server().session(db_);
  holder.sql("begin; lock table t");
  sql("create table u (i int)");
  auto other = shared_server().session(db_);
  other.sql("begin; lock table u");  // and cannot be added now
  start();
  EXPECT_EQ(next().tables.size(), 1U);
  sql("create table v (i int)");
  sql("alter publication pub add table v");
  EXPECT_EQ(next().tables.size(), 2U);
  other.sql("commit");
  holder.sql("commit");
  next_with_tables(3);
}

TEST_F(Watch, APublicationThatIsGoneIsNotMadeAnew) {
  sql("create table t (i int)");
  manage();
  start();
  next();
  sql("drop publication pub");
  std::string first;  // of the looks that end at the publication
  test::wait_until("two looks", test::Seconds(20), [&] {
    const std::string begin = shared_server().value(
        db_,
        "select query_start from pg_stat_activity where state = 'idle' and datname = "
        "current_database() and query ilike '%pg_publication where pubname%' collate \"C\"");
    if (first.empty()) first = begin;
    return begin != first;
  });
  EXPECT_FALSE(rung());
  EXPECT_EQ(shared_server().value(db_, "select count(*) from pg_publication"), "0");
  EXPECT_EQ(times(log(), "publication pub does not exist any more"), 1);
}

const char* const kTree =
    "create table t (a int not null, b text) partition by range (a);"
    "create table p1 partition of t for values from (0) to (10);"
    "create publication pub for table t with (publish_via_partition_root = true)";

TEST_F(Watch, PartitionsThatJoinAreAskedForRowsThatNobodySaw) {
  sql(kTree);
  start();
  next();
  sql("create table p2 partition of t for values from (10) to (20); insert into t values (11);"
      "create table p3 (a int not null, b text); insert into p3 values (21);"
      "alter table t attach partition p3 for values from (20) to (30)");
  const auto expect = [](const CatalogueView& view) {
    const auto& leaves = view.tables.at(0).storage;
    ASSERT_EQ(leaves.size(), 3U);
    EXPECT_EQ(leaves[0].unseen_rows, std::nullopt);
    EXPECT_EQ(leaves[1].unseen_rows, false);
    EXPECT_EQ(leaves[2].unseen_rows, true);
  };
  expect(next());
  sql("truncate p3");  // the answer stays, as the reader may compare with an older view
  watch_->look_now();
  expect(next());
}

TEST_F(Watch, WhatAnEarlierRunKnewTellsWhichPartitionsAreNew) {
  sql(kTree);
  start();
  auto known = next().tables;
  watch_.reset();
  sql("create table p2 partition of t for values from (10) to (20); insert into t values (11)");
  start(kOften, known);
  const CatalogueView view = next();
  EXPECT_EQ(view.tables.at(0).storage.at(1).unseen_rows, false);
  EXPECT_FALSE(postgres::compare_facts(known.at(0), view.tables.at(0)).values_changed);
}

TEST_F(Watch, StoredGeneratedColumnsAreWarnedOfOnce) {
  if (shared_server().value(db_, "select current_setting('server_version_num')::int >= 180000") ==
      "t")
    GTEST_SKIP() << "18 sends them";
  sql("create table t (i int, g int generated always as (i + 1) stored,"
      " h int generated always as (i + 2) stored);"
      "create table u (i int, x int generated always as (i + 1) stored);"
      "create publication pub for all tables");
  start();
  next();
  look(2);
  const std::string text = log();
  EXPECT_EQ(times(text,
                  "public.t: generated columns g, h are not sent by PostgreSQL before 18; "
                  "they are left out"),
            1);
  EXPECT_EQ(times(text,
                  "public.u: generated column x is not sent by PostgreSQL before 18; "
                  "it is left out"),
            1);
}

TEST_F(Watch, ALostConnectionIsMadeAgainWithOneWarning) {
  sql("create table t (i int); create publication pub for table t");
  test::TcpProxy proxy(shared_server().socket_path());
  config_.source.url = proxy.url(db_);
  start();
  next();
  const int before = proxy.accepted();
  proxy.cut();
  test::wait_until("the connection made again", test::Seconds(20),
                   [&] { return proxy.accepted() > before; });
  sql("alter table t add column j int");
  EXPECT_EQ(next().tables.at(0).attributes.size(), 2U);
  EXPECT_EQ(times(log(), "connecting again"), 1);
}

TEST_F(Watch, ASourceThatIsAwayAtFirstIsWaitedForWithOneWarning) {
  config_.source.url += "_later";
  start();
  test::wait_until("a refusal in the server's log", test::Seconds(20), [&] {
    return times(shared_server().log(), "database \"" + db_ + "_later\" does not exist") > 1;
  });
  // It comes with all that is in it: a database without the publication would be a second reason to
  // warn.
  sql("create table t (i int); create publication pub for table t");
  shared_server().sql("postgres", "alter database " + db_ + " rename to " + db_ + "_later");
  EXPECT_EQ(next().tables.size(), 1U);
  EXPECT_EQ(times(log(), "does not exist"), 1);
}

TEST_F(Watch, EndsAtOnceWhateverItWaitsFor) {
  test::TcpProxy proxy(shared_server().socket_path());
  proxy.freeze_after(1);  // in the middle of the login
  config_.source.url = proxy.url(db_);
  start();
  test::wait_until("a login", test::Seconds(20), [&] { return proxy.limit_reached(); });
  const double begin = test::now();
  watch_.reset();
  EXPECT_LT(test::now() - begin, 2 * test::patience());
  config_.source.url = shared_server().url(db_);
  sql("create table t (i int); create publication pub for table t");
  start(kNever);
  next();
  const double second = test::now();
  watch_.reset();
  EXPECT_LT(test::now() - second, 2 * test::patience());
}

}  // namespace
}  // namespace walspout
