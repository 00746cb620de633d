#include "pipeline/block_readers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "pipeline/source.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"
#include "transaction/relation.hpp"

namespace walspout {
namespace {

using test::eventually;
using test::Seconds;
using test::shared_server;
using testing::ElementsAre;

constexpr BlockSizes kSmall{std::uint64_t{64} << 10, std::uint64_t{32} << 10};

std::vector<std::string> all(BlockRuns runs) {
  std::vector<std::string> list;
  while (const auto where = runs.next()) list.push_back(*where);
  return list;
}

TEST(BlockRuns, CoverTheTableOnceAndWhatFollowsItsEnd) {
  EXPECT_THAT(all(BlockRuns(5, 5, {100, 2})),
              ElementsAre("ctid >= '(0,0)'::tid AND ctid < '(2,0)'::tid",
                          "ctid >= '(2,0)'::tid AND ctid < '(4,0)'::tid", "ctid >= '(4,0)'::tid"));
  EXPECT_THAT(all(BlockRuns(4, 4, {100, 2})),
              ElementsAre("ctid >= '(0,0)'::tid AND ctid < '(2,0)'::tid", "ctid >= '(2,0)'::tid"));
}

TEST(BlockRuns, OfWideRowsHaveFewBlocks) {
  EXPECT_THAT(all(BlockRuns(3, 3000, {100, 10})),
              ElementsAre("ctid >= '(0,0)'::tid AND ctid < '(1,0)'::tid",
                          "ctid >= '(1,0)'::tid AND ctid < '(2,0)'::tid", "ctid >= '(2,0)'::tid"));
}

TEST(BlockRuns, ASmallTableIsWorthOneReader) {
  EXPECT_EQ(BlockRuns(0, 0, {100, 10}).readers(), 1u);
  EXPECT_EQ(BlockRuns(1, 199, {100, 10}).readers(), 1u);
  EXPECT_EQ(BlockRuns(1, 200, {100, 10}).readers(), 2u);
  EXPECT_EQ(BlockRuns(1, 20000, {100, 10}).readers(), 4u);
}

class Blocks : public testing::Test {
 protected:
  static constexpr int kRows = 20000;

  Blocks() {
    static int count = 0;
    db_ = "blocks" + std::to_string(++count);
    shared_server().create_database(db_);
    config_.source.url = shared_server().url(db_);
    sql("create table t (n integer, v text)");
    sql("insert into t select g, repeat('x', 100) from generate_series(1, " +
        std::to_string(kRows) + ") g");
    sql("create publication pub for table t");
    connection_ = connect_ordinary(config_, never_);
    table_ = postgres::published_tables(*connection_, "pub").at(0);
    transaction::TableShape shape{table_.oid, "public", "t", 'f', {}};
    shape.columns.push_back({"n", "integer", 23, 23, 0, -1, 1, 0, 0});
    shape.columns.push_back({"v", "text", 25, 25, 0, -1, 2, 0, 0});
    request_.relation = relations_.intern(std::move(shape));
    request_.first_ordinal = 1;
    postgres::begin_snapshot(*connection_, "", never_);
    postgres::lock_table_name(*connection_, table_, never_);
  }

  void sql(const std::string& text) { shared_server().sql(db_, text); }
  std::string value(const std::string& text) { return shared_server().value(db_, text); }

  void read(const std::function<void()>& at_chunk = [] {}) {
    RangeRows rows(
        request_, budget_, [] { return true; },
        [&](transaction::ChunkPtr chunk) {
          for (const walspout_change* change : chunk->changes()) {
            EXPECT_EQ(change->ordinal, ++last_) << "the numbers rise by one";
            const walspout_value& n = change->new_row[0];
            EXPECT_TRUE(seen_.insert(std::string(static_cast<const char*>(n.data), n.size)).second)
                << "came twice";
          }
          at_chunk();
        });
    BlockReaders readers(config_, *connection_, table_, rows, kSmall);
    ASSERT_TRUE(readers.worth_it(never_));
    readers.read(never_);
    EXPECT_EQ(rows.count(), last_);
  }
  std::string others() {
    return " from pg_stat_activity where datname = current_database() and query like 'COPY%'"
           " and pid <> " +
           std::to_string(connection_->backend_pid());
  }

  const postgres::Interrupt never_;
  std::string db_;
  config::Config config_;
  base::Wake wake_;
  base::MemoryBudget budget_{std::size_t{64} << 20, wake_};
  transaction::RelationCache relations_;
  std::unique_ptr<postgres::Connection> connection_;
  postgres::PublishedTable table_;
  RangeRequest request_;
  std::uint64_t last_ = 0;
  std::set<std::string> seen_;
};

TEST_F(Blocks, SeveralReadersBringEachRowOfOneSnapshotOnce) {
  sql("insert into t select g, 'late' from generate_series(30001, 30100) g");
  bool several = false, first = true;
  read([&] {
    // The first chunk waits until somebody else reads, too.
    if (std::exchange(first, false))
      several = eventually(Seconds(10), [&] { return value("select count(*)" + others()) != "0"; });
  });
  EXPECT_TRUE(several);
  EXPECT_EQ(seen_.size(), static_cast<std::size_t>(kRows));
  EXPECT_FALSE(seen_.contains("30001"));
}

TEST_F(Blocks, AReaderThatBreaksOffEndsThemAll) {
  bool ended = false, first = true;
  EXPECT_THROW(read([&] {
                 if (!std::exchange(first, false)) return;
                 ended = eventually(Seconds(10), [&] {
                   return value("select count(pg_terminate_backend(pid))" + others()) != "0";
                 });
               }),
               postgres::ConnectionLost);
  EXPECT_TRUE(ended);
  EXPECT_LT(seen_.size(), static_cast<std::size_t>(kRows));
}

// Who waits to lock the table exclusively stands before the further readers, behind the first.
TEST_F(Blocks, ReadersThatCannotBeginAreLeftOut) {
  test::Session other = shared_server().session(db_);
  std::thread waiting([&] {
    other.sql("begin");
    other.sql("lock table t in access exclusive mode");
    other.sql("rollback");
  });
  EXPECT_TRUE(eventually(Seconds(10), [&] {
    return value("select count(*) from pg_locks where relation = 't'::regclass and not granted") ==
           "1";
  }));
  read();
  EXPECT_EQ(seen_.size(), static_cast<std::size_t>(kRows));
  connection_.reset();
  waiting.join();
}

}  // namespace
}  // namespace walspout
