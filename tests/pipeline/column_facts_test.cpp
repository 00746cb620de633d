#include "pipeline/column_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/postgres_server.hpp"

namespace walspout {
namespace {

using postgres::TableFacts;
using test::shared_server;
using testing::ElementsAre;
using transaction::TableShape;

// The stream's shape at that moment.
TableShape shape_of(const TableFacts& facts) {
  TableShape shape;
  shape.oid = facts.oid;
  for (const auto& one : facts.attributes) {
    if (!one.published) continue;
    transaction::ColumnShape column;
    column.name = one.name;
    column.type_oid = one.type_oid;
    column.attnum = one.attnum;
    shape.columns.push_back(std::move(column));
  }
  return shape;
}

Fill text(std::string value) { return {Fill::What::kText, std::move(value)}; }
const Fill kKept{Fill::What::kKept, ""};
const Fill kNull{Fill::What::kNull, ""};
const Fill kDropped{Fill::What::kDropped, ""};
const Fill kUnknown;

class ColumnFacts : public testing::Test {
 protected:
  ColumnFacts() {
    static int count = 0;
    db_ = "columns" + std::to_string(++count);
    shared_server().create_database(db_);
    sql("create table t (a int primary key, b int, c text); create publication pub for table t;"
        "insert into t values (1, 2, 'x')");
    before_ = facts();
  }
  void sql(const std::string& text) { shared_server().sql(db_, text); }
  TableFacts facts() {
    postgres::ConnectOptions options;
    options.url = shared_server().url(db_);
    postgres::Connection connection(options, postgres::Interrupt());
    return postgres::read_table_facts(connection, "pub").tables.at(0);
  }
  // The stream brings `change`; the catalogue is ahead of it by `later`.
  std::vector<Fill> fills(const std::string& change, const std::string& later = "") {
    sql(change);
    const TableShape after = shape_of(facts());
    if (!later.empty()) sql(later);
    const TableFacts now = facts();
    const TableShape old = shape_of(before_);
    match_ = match_columns(old, after, table_now(&before_, now, true));
    return fill_values(old, after, match_, &before_, now);
  }

  std::string db_;
  TableFacts before_;
  transaction::ColumnMatch match_;
};

TEST_F(ColumnFacts, ColumnsThatWereThereKeepTheirValues) {
  EXPECT_THAT(fills("alter table t rename b to x; alter table t drop c"),
              ElementsAre(kKept, kKept));
  EXPECT_TRUE(match_.certain);
}

TEST_F(ColumnFacts, AConstantDefaultIsKnownAndNoDefaultIsNull) {
  EXPECT_THAT(fills("alter table t add d text not null default 'it''s', add e int"),
              ElementsAre(kKept, kKept, kKept, text("it's"), kNull));
  EXPECT_TRUE(match_.certain);
}

TEST_F(ColumnFacts, DropAndAddInOneGoAreKnown) {
  EXPECT_THAT(fills("alter table t drop b, add d int default 5"),
              ElementsAre(kKept, kKept, text("5")));
  EXPECT_TRUE(match_.certain);
}

TEST_F(ColumnFacts, AVolatileDefaultIsUnknown) {
  EXPECT_THAT(fills("alter table t add d float8 default random()"),
              ElementsAre(kKept, kKept, kKept, kUnknown));
}

TEST_F(ColumnFacts, ADefaultThatCameLaterDoesNotFillOldRows) {
  EXPECT_THAT(fills("alter table t add d int", "alter table t alter d set default 5"),
              ElementsAre(kKept, kKept, kKept, kNull));
}

TEST_F(ColumnFacts, AColumnThatIsGoneByNowNeedsNoValue) {
  EXPECT_THAT(fills("alter table t add d int default 5", "alter table t drop d"),
              ElementsAre(kKept, kKept, kKept, kDropped));
}

TEST_F(ColumnFacts, AColumnOfAnotherTypeByNowIsUnknown) {
  EXPECT_THAT(fills("alter table t add d int default 5", "alter table t alter d type text"),
              ElementsAre(kKept, kKept, kKept, kUnknown));
}

TEST_F(ColumnFacts, OneOfSeveralColumnsThatMayBeMeantIsKnownIfAllAgree) {
  EXPECT_THAT(fills("alter table t add d int", "alter table t add e int"),
              ElementsAre(kKept, kKept, kKept, kNull));
  EXPECT_TRUE(match_.certain);
}

TEST_F(ColumnFacts, OneOfSeveralColumnsThatMayBeMeantIsUnknownIfTheyDiffer) {
  EXPECT_THAT(fills("alter table t add d int default 1", "alter table t add e int default 2"),
              ElementsAre(kKept, kKept, kKept, kUnknown));
}

TEST_F(ColumnFacts, WithoutAnEarlierLookOnlyCatalogueValuesAreKnown) {
  const TableShape old = shape_of(before_);
  sql("alter table t add d int default 5, add e int");
  const TableFacts now = facts();
  const TableShape after = shape_of(now);
  const auto match = match_columns(old, after, table_now(nullptr, now, true));
  EXPECT_TRUE(match.certain);
  EXPECT_THAT(fill_values(old, after, match, nullptr, now),
              ElementsAre(kKept, kKept, kKept, text("5"), kUnknown));
}

TEST_F(ColumnFacts, AColumnListThatGrewLeavesItsColumnsUnknown) {
  if (shared_server().value(db_, "select current_setting('server_version_num')::int < 150000") ==
      "t")
    GTEST_SKIP() << "column lists came with 15";
  sql("alter publication pub set table t (a, c)");
  before_ = facts();
  EXPECT_THAT(fills("alter publication pub set table t"), ElementsAre(kKept, kUnknown, kKept));
  EXPECT_TRUE(match_.certain);
}

}  // namespace
}  // namespace walspout
