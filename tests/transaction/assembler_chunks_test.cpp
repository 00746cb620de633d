// Where chunks begin and end, and what they hold alive.
#include <gmock/gmock.h>

#include "feed.hpp"

namespace walspout::transaction {
namespace {

using testing::ElementsAre;

TEST(Chunks, TransactionCutInTheMiddleHasFirstAndLastOnItsEnds) {
  Feed feed;
  feed.announce();
  feed << begin_message(100) << insert_message(1, {"1", "a"});
  const ChunkPtr one = feed.assembler.take();
  EXPECT_TRUE(feed.assembler.transaction_open());
  EXPECT_EQ(feed.assembler.end_of_last(), 0u) << "not received whole";
  feed << insert_message(1, {"2", "b"});
  const ChunkPtr two = feed.assembler.take();
  feed << insert_message(1, {"3", "c"}) << commit_message(100, 110);
  EXPECT_FALSE(feed.assembler.transaction_open());
  const ChunkPtr three = feed.assembler.take();
  EXPECT_THAT(show(one), ElementsAre("first 100..0: 0 insert t (1, a)"));
  EXPECT_THAT(show(two), ElementsAre("100..0: 1 insert t (2, b)"));
  EXPECT_THAT(show(three), ElementsAre("last 100..110: 2 insert t (3, c)"));
}

TEST(Chunks, LastPieceMayBeEmptyButIsNeverMissing) {
  Feed feed;
  feed.announce();
  feed << begin_message(100) << insert_message(1, {"1", "a"});
  EXPECT_THAT(show(feed.assembler.take()), ElementsAre("first 100..0: 0 insert t (1, a)"));
  feed << commit_message(100, 110);
  EXPECT_THAT(show(feed.assembler.take()), ElementsAre("last 100..110:"));
}

TEST(Chunks, TransactionThatBeginsAtTheBorderIsFirstWhereItsFirstChangeIs) {
  Feed feed;
  feed.announce();
  feed.transaction(100, 110, {insert_message(1, {"1", "a"})});
  feed << begin_message(120);
  EXPECT_THAT(show(feed.assembler.take()), ElementsAre("first last 100..110: 0 insert t (1, a)"));
  feed << insert_message(1, {"2", "b"}) << commit_message(120, 130);
  EXPECT_THAT(show(feed.assembler.take()), ElementsAre("first last 120..130: 0 insert t (2, b)"));
}

TEST(Chunks, OpenTransactionWithoutAChangeYetIsNoChunk) {
  Feed feed;
  feed << begin_message(100);
  EXPECT_EQ(feed.assembler.take(), nullptr);
  EXPECT_TRUE(feed.assembler.transaction_open());
}

TEST(Chunks, AreFullAtTheirSizeWhateverTheTransactions) {
  Feed feed;
  feed.announce();
  const std::string value(10'000, 'x');
  std::size_t rows = 0, chunks = 0;
  feed << begin_message(100);
  for (int i = 0; i < 500; ++i) {
    feed << insert_message(1, {"1", value});
    if (!feed.assembler.full()) continue;
    const ChunkPtr chunk = feed.assembler.take();
    EXPECT_LT(chunk->bytes(), Assembler::kChunkBytes + 200'000);
    rows += chunk->changes().size();
    ++chunks;
    EXPECT_FALSE(feed.assembler.full());
  }
  feed << commit_message(100, 110);
  rows += feed.assembler.take()->changes().size();
  EXPECT_EQ(rows, 500u);
  EXPECT_GT(chunks, 5u);
}

TEST(Chunks, OriginOfACutTransactionOutlivesTheChunkItCameIn) {
  Feed feed;
  feed.announce();
  feed << begin_message(100) << origin_message(55, "a_far_away_node_with_a_long_name")
       << insert_message(1, {"1", "a"});
  ChunkPtr one = feed.assembler.take();
  one.reset();  // its sinks were fast
  feed << insert_message(1, {"2", "b"});
  ChunkPtr two = feed.assembler.take();
  two.reset();
  feed << commit_message(100, 110);
  const ChunkPtr three = feed.assembler.take();
  const walspout_txn& txn = three->pieces()[0].txn;
  EXPECT_EQ(std::string_view(txn.origin.data, txn.origin.size), "a_far_away_node_with_a_long_name");
}

TEST(Chunks, RelationThatChangesInTheMiddleHoldsForTheRowsAfterIt) {
  Feed feed;
  feed.announce();
  feed << begin_message(100) << insert_message(1, {"1", "a"})
       << relation_message(1, "t", {{"id", true}, {"v"}, {"w"}})
       << insert_message(1, {"2", "b", "c"}) << commit_message(100, 110);
  const ChunkPtr chunk = feed.assembler.take();
  EXPECT_THAT(show(chunk),
              ElementsAre("first last 100..110: 0 insert t (1, a); 1 insert t (2, b, c)"));
  EXPECT_NE(chunk->changes()[0]->relation->version, chunk->changes()[1]->relation->version);
}

TEST(Chunks, RelationIsHeldByEveryChunkThatNeedsIt) {
  Feed feed;
  feed.announce();
  feed.transaction(100, 110, {insert_message(1, {"1", "a"})});
  feed.assembler.take();
  feed.transaction(120, 130, {insert_message(1, {"2", "b"})});
  const ChunkPtr second = feed.assembler.take();
  feed.assembler.reset();
  feed.cache = RelationCache();
  EXPECT_THAT(show(second), ElementsAre("first last 120..130: 0 insert t (2, b)"));
}

TEST(Chunks, RelationIsAskedForOnlyWhenAChangeNeedsIt) {
  Feed feed;
  feed.announce(1, "root");
  feed.announce(2, "leaf");
  feed.transaction(100, 110, {insert_message(1, {"1", "a"}), insert_message(1, {"2", "b"})});
  feed.transaction(120, 130, {insert_message(1, {"3", "c"})});
  EXPECT_EQ(feed.resolver.asked, 1);
}

TEST(Chunks, MemoryIsGivenBackWithTheLastHolder) {
  Feed feed;
  feed.announce();
  feed.transaction(100, 110, {insert_message(1, {"1", std::string(100'000, 'x')})});
  ChunkPtr chunk = feed.assembler.take();
  EXPECT_GE(feed.budget.used(), 100'000u);
  EXPECT_EQ(feed.budget.used(), chunk->bytes());
  ChunkPtr other = chunk;
  chunk.reset();
  EXPECT_GE(feed.budget.used(), 100'000u);
  other.reset();
  EXPECT_EQ(feed.budget.used(), 0u);
}

TEST(Chunks, TransactionsWithoutChangesDoNotGatherMemory) {
  // PostgreSQL 14 sends all of them.
  Feed feed;
  const std::string name(1000, 'n');
  std::size_t most = 0;
  for (base::Lsn at = 100; at < 20'000; at += 10) {
    feed.transaction(at, at + 5, {origin_message(1, name)});
    if (feed.assembler.full()) {
      EXPECT_EQ(feed.assembler.take(), nullptr);
      EXPECT_FALSE(feed.assembler.full());
      ++most;
    }
  }
  EXPECT_GT(most, 0u);
  EXPECT_EQ(feed.budget.used(), 0u);
}

}  // namespace
}  // namespace walspout::transaction
