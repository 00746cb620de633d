// Transactions over several chunks, and transactions that a sink has already.
#include "routed.hpp"

namespace walspout::route {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Pieces, CutTransactionIsSharedByASinkThatTakesAll) {
  Routed feed({rules({})});
  feed << begin_message(100) << insert_message(1, {"1", "x"});
  EXPECT_THAT(feed.deliver(), ElementsAre("first 100..0: 0 insert a (1, x)"));
  EXPECT_TRUE(feed.router.in_transaction(0));
  feed << insert_message(1, {"2", "y"}) << commit_message(100, 110);
  const Delivery last = feed.router.route(0, feed.assembler.take());
  EXPECT_EQ(last.own, nullptr);
  EXPECT_FALSE(feed.router.in_transaction(0));
}

TEST(Pieces, TransactionBeginsForASinkWhereItsFirstChangeIs) {
  Routed feed({rules({"public.b"})});
  feed << begin_message(100) << insert_message(1, {"1", "x"});
  EXPECT_THAT(feed.deliver(), IsEmpty());
  EXPECT_FALSE(feed.router.in_transaction(0));
  feed << insert_message(2, {"2", "y"});
  EXPECT_THAT(feed.deliver(), ElementsAre("first 100..0: 1 insert b (2, y)"));
  EXPECT_TRUE(feed.router.in_transaction(0));
  feed << insert_message(1, {"3", "x"});
  EXPECT_THAT(feed.deliver(), IsEmpty());
  feed << insert_message(1, {"4", "x"}) << commit_message(100, 110);
  EXPECT_THAT(feed.deliver(), ElementsAre("last 100..110:")) << "it has to end";
  EXPECT_FALSE(feed.router.in_transaction(0));
}

TEST(Pieces, TransactionMayBeginForASinkInItsLastChunk) {
  Routed feed({rules({}), rules({"public.b"})});
  feed << begin_message(100) << insert_message(1, {"1", "x"});
  const ChunkPtr one = feed.assembler.take();
  EXPECT_TRUE(feed.router.route(1, one).empty());
  feed << insert_message(2, {"2", "y"}) << commit_message(100, 110);
  EXPECT_THAT(feed.deliver(1), ElementsAre("first last 100..110: 1 insert b (2, y)"));
}

TEST(Pieces, CutTransactionWithNothingForTheSinkNeverBegins) {
  Routed feed({rules({"public.b"})});
  feed << begin_message(100) << insert_message(1, {"1", "x"});
  EXPECT_THAT(feed.deliver(), IsEmpty());
  feed << insert_message(1, {"2", "x"}) << commit_message(100, 110);
  EXPECT_THAT(feed.deliver(), IsEmpty());
  EXPECT_FALSE(feed.router.in_transaction(0));
}

TEST(Skip, TransactionsThatCommitBeforeThePositionAreLeftOut) {
  Routed feed({rules({})});
  feed.router.skip_until(0, 120);
  feed.transaction(100, 110, {insert_message(1, {"1", "x"})});
  feed.transaction(119, 125, {insert_message(1, {"2", "x"})});
  feed.transaction(120, 130, {insert_message(1, {"3", "x"})});
  EXPECT_THAT(feed.deliver(), ElementsAre("first last 120..130: 0 insert a (3, x)"));
  EXPECT_EQ(feed.router.skip_until(0), 120u);
}

TEST(Skip, IsPerSink) {
  Routed feed({rules({}), rules({})});
  feed.router.skip_until(1, 105);
  feed.transaction(100, 110, {insert_message(1, {"1", "x"})});
  const ChunkPtr chunk = feed.assembler.take();
  EXPECT_FALSE(feed.router.route(0, chunk).empty());
  EXPECT_TRUE(feed.router.route(1, chunk).empty());
}

TEST(Skip, GoesByTheCommitNotByTheChange) {
  Routed feed({rules({})});
  feed.router.skip_until(0, 100);
  feed << begin_message(100);
  feed.feed(insert_message(1, {"1", "x"}), 20);  // long before it committed
  feed << commit_message(100, 110);
  EXPECT_THAT(feed.deliver(), ElementsAre("first last 100..110: 0 insert a (1, x)"));
}

TEST(Skip, HoldsForAllPiecesOfACutTransaction) {
  Routed feed({rules({})});
  feed.router.skip_until(0, 101);
  feed << begin_message(100) << insert_message(1, {"1", "x"});
  EXPECT_THAT(feed.deliver(), IsEmpty());
  feed << insert_message(1, {"2", "x"});
  EXPECT_THAT(feed.deliver(), IsEmpty());
  feed << insert_message(1, {"3", "x"}) << commit_message(100, 110);
  feed.transaction(120, 130, {insert_message(1, {"4", "x"})});
  EXPECT_THAT(feed.deliver(), ElementsAre("first last 120..130: 0 insert a (4, x)"));
}

TEST(Skip, NonTransactionalMessageIsSkippedFromItsPositionOn) {
  Routed feed({rules({})});
  feed << logical_message(false, 100, "p", "again");
  feed.router.skip_until(0, 100);  // its position, as it was reported
  EXPECT_THAT(feed.deliver(), IsEmpty());
  feed << logical_message(false, 140, "p", "new");
  feed.router.skip_until(0, 110);  // the end of a transaction just before its record
  EXPECT_THAT(feed.deliver(), ElementsAre("first last 139..140: 0 message p: new"));
}

TEST(Skip, AMessagesPositionDoesNotSkipTheCommitThatBeginsThere) {
  Routed feed({rules({})});
  feed << logical_message(false, 144, "p", "again");
  feed.transaction(144, 160, {insert_message(1, {"1", "x"})});
  feed.router.skip_until(0, 144);
  EXPECT_THAT(feed.deliver(), ElementsAre("first last 144..160: 0 insert a (1, x)"));
}

TEST(Skip, SetAgainForgetsTheTransactionUnderWay) {
  Routed feed({rules({})});
  feed << begin_message(100) << insert_message(1, {"1", "x"});
  EXPECT_THAT(feed.deliver(), ElementsAre("first 100..0: 0 insert a (1, x)"));
  feed.router.skip_until(0, 90);  // the connection was lost
  EXPECT_FALSE(feed.router.in_transaction(0));
  feed.assembler.reset();
  feed.announce(1, "a");
  feed.transaction(100, 110, {insert_message(1, {"1", "x"})});
  EXPECT_THAT(feed.deliver(), ElementsAre("first last 100..110: 0 insert a (1, x)"));
}

TEST(Skip, DoesNotHoldForCopies) {
  Routed feed({rules({})});
  feed.router.skip_until(0, 1000);
  feed.transaction(100, 110, {insert_message(1, {"1", "x"})});
  const ChunkPtr stream = feed.assembler.take();
  auto copied = std::make_shared<transaction::Chunk>(feed.budget);
  for (const walspout_change* change : stream->changes()) copied->add(change);
  transaction::Piece piece = stream->pieces()[0];
  piece.txn.kind = WALSPOUT_TXN_SNAPSHOT;
  copied->add(piece);
  EXPECT_FALSE(feed.router.route(0, copied).empty());
}

// What is stored about a transaction must not come with those before it.
TEST(Split, TransactionsBeforeACommitAreTakenAway) {
  Routed feed({rules({})});
  for (const base::Lsn commit : {100, 110, 120})
    feed.transaction(commit, commit + 5, {insert_message(1, {std::to_string(commit), "x"})});
  Delivery rest = feed.router.route(0, feed.assembler.take());
  EXPECT_TRUE(rest.take_before(100).empty());
  Delivery before = rest.take_before(120);
  ASSERT_EQ(before.pieces().size(), 2u);
  EXPECT_EQ(before.pieces().back().txn.commit_lsn, 110u);
  ASSERT_EQ(rest.pieces().size(), 1u);
  EXPECT_EQ(rest.pieces().front().txn.commit_lsn, 120u);
  EXPECT_EQ(before.take_before(110).pieces().size(), 1u) << "of a part, too";
  EXPECT_EQ(before.pieces().size(), 1u);
  EXPECT_TRUE(rest.take_before(200).pieces().size() == 1 && rest.empty());
}

}  // namespace
}  // namespace walspout::route
