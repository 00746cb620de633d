// What each message becomes.
#include <gmock/gmock.h>

#include "feed.hpp"

namespace walspout::transaction {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Assembler, OneTransactionIsOnePiece) {
  Feed feed;
  feed << begin_message(100, 42) << relation_message(1, "t", {{"id", true}, {"v"}})
       << insert_message(1, {"1", "one"}) << insert_message(1, {"2", kNull})
       << commit_message(100, 110);
  const ChunkPtr chunk = feed.assembler.take();
  EXPECT_THAT(show(chunk),
              ElementsAre("first last 100..110: 0 insert t (1, one); 1 insert t (2, NULL)"));
  const walspout_txn& txn = chunk->pieces()[0].txn;
  EXPECT_EQ(txn.struct_size, sizeof(walspout_txn));
  EXPECT_EQ(txn.kind, static_cast<std::uint32_t>(WALSPOUT_TXN_COMMIT));
  EXPECT_EQ(txn.xid, 42u);
  EXPECT_EQ(txn.commit_time_us, 946'684'800LL * 1'000'000 + 1000);
  EXPECT_EQ(txn.origin.size, 0u);
  EXPECT_EQ(feed.assembler.end_of_last(), 110u);
  EXPECT_EQ(feed.assembler.take(), nullptr) << "everything was taken";
}

TEST(Assembler, SeveralTransactionsShareAChunk) {
  Feed feed;
  feed.announce();
  feed.transaction(100, 110, {insert_message(1, {"1", "a"})});
  feed.transaction(120, 130, {insert_message(1, {"2", "b"}), insert_message(1, {"3", "c"})});
  EXPECT_THAT(show(feed.assembler.take()),
              ElementsAre("first last 100..110: 0 insert t (1, a)",
                          "first last 120..130: 0 insert t (2, b); 1 insert t (3, c)"));
}

TEST(Assembler, TransactionWithoutAChangeMovesOnlyTheEnd) {
  Feed feed;
  feed.transaction(100, 110, {});
  feed.transaction(120, 130, {relation_message(1, "t", {{"id", true}, {"v"}})});
  EXPECT_EQ(feed.assembler.take(), nullptr);
  EXPECT_EQ(feed.assembler.end_of_last(), 130u);
}

TEST(Assembler, ChangesCarryThePositionOfTheirRecord) {
  Feed feed;
  feed.announce();
  feed << begin_message(100);
  feed.feed(insert_message(1, {"1", "a"}), 77);
  feed.feed(commit_message(100, 110), 100);
  EXPECT_EQ(feed.assembler.take()->changes()[0]->lsn, 77u);
}

TEST(Assembler, OldKeyRowSaysWhatWasNotSent) {
  Feed feed;
  feed.announce();
  feed.transaction(100, 110,
                   {update_message(1, 'K', {"1", kNull}, {"2", "x"}),
                    delete_message(1, 'K', {"2", kNull}), update_message(1, 0, {}, {"3", "y"})});
  EXPECT_THAT(show(feed.assembler.take()),
              ElementsAre("first last 100..110: 0 update t (1, ABSENT) -> (2, x);"
                          " 1 delete t (2, ABSENT); 2 update t (3, y)"));
}

TEST(Assembler, NullInAKeyColumnOfAnOldKeyRowIsNull) {
  Feed feed;
  feed << relation_message(1, "t", {{"a", true}, {"b", true}, {"c"}}, 'i');
  feed.transaction(100, 110, {delete_message(1, 'K', {"1", kNull, kNull})});
  EXPECT_THAT(show(feed.assembler.take()),
              ElementsAre("first last 100..110: 0 delete t (1, NULL, ABSENT)"));
}

TEST(Assembler, FullOldRowKeepsItsNulls) {
  Feed feed;
  feed << relation_message(1, "t", {{"id", true}, {"v", true}}, 'f');
  feed.transaction(
      100, 110,
      {update_message(1, 'O', {"1", kNull}, {"2", kNull}), delete_message(1, 'O', {kNull, kNull})});
  EXPECT_THAT(show(feed.assembler.take()),
              ElementsAre("first last 100..110: 0 update t (1, NULL) full -> (2, NULL);"
                          " 1 delete t (NULL, NULL) full"));
}

TEST(Assembler, WhatAnUpdateLeavesOutIsTakenFromAFullOldRow) {
  Feed feed;
  feed << relation_message(1, "t", {{"id", true}, {"v"}, {"w"}}, 'f');
  feed.transaction(100, 110,
                   {update_message(1, 'O', {"1", "long", "x"}, {"1", kUnchanged, "y"}),
                    update_message(1, 'K', {"1", kNull, kNull}, {"2", kUnchanged, "y"})});
  EXPECT_THAT(show(feed.assembler.take()),
              ElementsAre("first last 100..110: 0 update t (1, long, x) full -> (1, long, y);"
                          " 1 update t (1, ABSENT, ABSENT) -> (2, UNCHANGED, y)"));
}

TEST(Assembler, TruncateOfSeveralTablesIsOneChangeEach) {
  Feed feed;
  feed.announce(1, "a");
  feed.announce(2, "b");
  feed.announce(3, "c");
  feed.transaction(100, 110,
                   {insert_message(1, {"1", "x"}), truncate_message({2, 1, 3}, 1),
                    truncate_message({3}, 2), insert_message(1, {"2", "y"})});
  const ChunkPtr chunk = feed.assembler.take();
  EXPECT_THAT(show(chunk), ElementsAre("first last 100..110: 0 insert a (1, x); 1 truncate b;"
                                       " 2 truncate a; 3 truncate c; 4 truncate c;"
                                       " 5 insert a (2, y)"));
  EXPECT_EQ(chunk->changes()[1]->flags, WALSPOUT_TRUNCATE_CASCADE);
  EXPECT_EQ(chunk->changes()[4]->flags, WALSPOUT_TRUNCATE_RESTART_IDENTITY);
}

TEST(Assembler, TransactionalMessageIsAChangeOfItsTransaction) {
  Feed feed;
  feed.announce();
  feed.transaction(100, 110,
                   {insert_message(1, {"1", "a"}), logical_message(true, 50, "p", "hello"),
                    insert_message(1, {"2", "b"})});
  const ChunkPtr chunk = feed.assembler.take();
  EXPECT_THAT(show(chunk), ElementsAre("first last 100..110: 0 insert t (1, a);"
                                       " 1 message p: hello; 2 insert t (2, b)"));
  EXPECT_EQ(chunk->changes()[1]->relation, nullptr);
}

TEST(Assembler, NonTransactionalMessageIsATransactionOfItsOwn) {
  Feed feed;
  feed.announce();
  feed.transaction(100, 110, {insert_message(1, {"1", "a"})});
  feed << logical_message(false, 144, "p", "now");
  feed.transaction(144, 160, {insert_message(1, {"2", "b"})});
  const ChunkPtr chunk = feed.assembler.take();
  EXPECT_THAT(show(chunk), ElementsAre("first last 100..110: 0 insert t (1, a)",
                                       "first last 143..144: 0 message p: now",
                                       "first last 144..160: 0 insert t (2, b)"));
  EXPECT_EQ(chunk->pieces()[1].txn.xid, 0u);
}

TEST(Assembler, PositionAfterANonTransactionalMessageDoesNotContainACommitThatFollowsAtOnce) {
  // The server names the end of the message's record, where the record of a commit may begin.
  Feed feed;
  feed << logical_message(false, 144, "p", "");
  EXPECT_EQ(feed.assembler.end_of_last(), 144u);
}

TEST(Assembler, OriginIsThatOfItsTransactionOnly) {
  Feed feed;
  feed.announce();
  feed.transaction(100, 110, {origin_message(55, "node_b"), insert_message(1, {"1", "a"})});
  feed.transaction(120, 130, {insert_message(1, {"2", "b"})});
  const ChunkPtr chunk = feed.assembler.take();
  const walspout_txn& first = chunk->pieces()[0].txn;
  EXPECT_EQ(std::string_view(first.origin.data, first.origin.size), "node_b");
  EXPECT_EQ(first.origin_lsn, 55u);
  EXPECT_EQ(chunk->pieces()[1].txn.origin.size, 0u);
  EXPECT_EQ(chunk->pieces()[1].txn.origin_lsn, 0u);
}

TEST(Assembler, StreamAbortOfATransactionThatWasNeverStreamedIsIgnored) {
  Feed feed;
  feed << std::string("A\0\0\0\x07\0\0\0\x07", 9);
  feed.announce();
  feed.transaction(100, 110, {insert_message(1, {"1", "a"})});
  EXPECT_THAT(show(feed.assembler.take()), testing::SizeIs(1));
}

}  // namespace
}  // namespace walspout::transaction
