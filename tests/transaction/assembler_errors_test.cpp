// What is refused, and how an assembler goes on after a lost connection.
#include <gmock/gmock.h>

#include "feed.hpp"

namespace walspout::transaction {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(Feed& feed, const std::string& payload) {
  try {
    feed.feed(payload);
  } catch (const StreamError& error) {
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
    return error.what();
  }
  ADD_FAILURE() << "it was taken";
  return "";
}

TEST(Refusal, EmptyMessage) {
  Feed feed;
  EXPECT_THAT(refusal(feed, ""), HasSubstr("empty message"));
}

TEST(Refusal, MalformedMessage) {
  Feed feed;
  EXPECT_THROW(feed << std::string("B\0\0", 3), pgoutput::Malformed);
}

TEST(Refusal, RowOfAnotherNumberOfColumns) {
  Feed feed;
  feed.announce();
  feed << begin_message(100);
  EXPECT_EQ(refusal(feed, insert_message(1, {"1"})),
            "a row of 1 columns for public.t, which has 2");
  EXPECT_THAT(refusal(feed, update_message(1, 0, {}, {"1", "2", "3"})), HasSubstr("3 columns"));
  EXPECT_THAT(refusal(feed, update_message(1, 'K', {"1"}, {"1", "2"})), HasSubstr("1 columns"));
  EXPECT_THAT(refusal(feed, delete_message(1, 'O', {"1", "2", "3"})), HasSubstr("3 columns"));
}

TEST(Refusal, ChangeOfARelationThatWasNotAnnounced) {
  Feed feed;
  feed.announce();
  feed << begin_message(100);
  for (const std::string& change :
       {insert_message(9, {"1", "a"}), update_message(9, 0, {}, {"1", "a"}),
        delete_message(9, 'K', {"1", kNull}), truncate_message({1, 9})})
    EXPECT_THAT(refusal(feed, change), HasSubstr("relation 9, which was not announced"));
}

TEST(Refusal, CommitWithoutBegin) {
  Feed feed;
  EXPECT_EQ(refusal(feed, commit_message(100, 110)), "a commit without a begin");
}

TEST(Refusal, CommitOfAnotherTransaction) {
  Feed feed;
  feed << begin_message(0x100);
  EXPECT_EQ(refusal(feed, commit_message(0x200, 0x210)),
            "a commit at 0/200 for the transaction announced at 0/100");
}

TEST(Refusal, BeginWithinATransaction) {
  Feed feed;
  feed << begin_message(100);
  EXPECT_EQ(refusal(feed, begin_message(200)), "a transaction begins inside of another");
}

TEST(Refusal, ChangeOutsideOfATransaction) {
  Feed feed;
  feed.announce();
  EXPECT_EQ(refusal(feed, insert_message(1, {"1", "a"})), "a change outside of a transaction");
  EXPECT_EQ(refusal(feed, truncate_message({1})), "a change outside of a transaction");
}

TEST(Refusal, OriginOutsideOfATransaction) {
  Feed feed;
  EXPECT_EQ(refusal(feed, origin_message(1, "node")), "an origin outside of a transaction");
}

TEST(Refusal, MessageThatIsNotWhereItsKindBelongs) {
  Feed feed;
  EXPECT_THAT(refusal(feed, logical_message(true, 50, "p", "x")), HasSubstr("not where"));
  feed << begin_message(100);
  EXPECT_THAT(refusal(feed, logical_message(false, 50, "p", "x")), HasSubstr("not where"));
}

TEST(Refusal, StreamedTransaction) {
  Feed feed;
  EXPECT_THAT(refusal(feed, std::string("S\0\0\0\x07\x01", 6)), HasSubstr("not asked for"));
}

TEST(Refusal, PreparedTransaction) {
  Feed feed;
  std::string begin_prepare("b", 1);
  begin_prepare += std::string(28, '\0') + "gid" + '\0';
  EXPECT_THAT(refusal(feed, begin_prepare), HasSubstr("recreate the slot without two_phase"));
}

TEST(Reset, ForgetsTheOpenTransactionAndItsChanges) {
  Feed feed;
  feed.announce();
  feed << begin_message(100) << insert_message(1, {"1", "a"});
  feed.assembler.reset();
  EXPECT_FALSE(feed.assembler.transaction_open());
  EXPECT_EQ(feed.assembler.take(), nullptr);
  feed.announce();
  feed.transaction(100, 110, {insert_message(1, {"1", "a"}), insert_message(1, {"2", "b"})});
  EXPECT_THAT(show(feed.assembler.take()),
              ElementsAre("first last 100..110: 0 insert t (1, a); 1 insert t (2, b)"));
}

TEST(Reset, InTheMiddleOfACutTransactionBeginsItAnew) {
  Feed feed;
  feed.announce();
  feed << begin_message(100) << insert_message(1, {"1", "a"});
  ASSERT_NE(feed.assembler.take(), nullptr);
  feed << insert_message(1, {"2", "b"});
  feed.assembler.reset();
  feed.announce();
  feed.transaction(100, 110, {insert_message(1, {"1", "a"})});
  EXPECT_THAT(show(feed.assembler.take()), ElementsAre("first last 100..110: 0 insert t (1, a)"));
}

TEST(Reset, ForgetsTheRelationsOfTheSession) {
  Feed feed;
  feed.announce();
  feed.transaction(100, 110, {insert_message(1, {"1", "a"})});
  feed.assembler.reset();
  feed << begin_message(120);
  EXPECT_THAT(refusal(feed, insert_message(1, {"2", "b"})), HasSubstr("not announced"));
}

TEST(Reset, TransactionThatWasReceivedButNotTakenDoesNotCount) {
  // It went with the connection and comes again: to take its end for routed would lose it.
  Feed feed;
  feed.announce();
  feed.transaction(100, 110, {insert_message(1, {"1", "a"})});
  EXPECT_EQ(feed.assembler.end_of_last(), 110u);
  feed.assembler.reset();
  EXPECT_EQ(feed.assembler.end_of_last(), 0u);
}

TEST(Reset, RepeatedShapeKeepsItsVersion) {
  Feed feed;
  feed.announce();
  feed.transaction(100, 110, {insert_message(1, {"1", "a"})});
  const ChunkPtr before = feed.assembler.take();
  feed.assembler.reset();
  feed.announce();
  feed.transaction(120, 130, {insert_message(1, {"2", "b"})});
  const ChunkPtr after = feed.assembler.take();
  EXPECT_EQ(before->changes()[0]->relation->version, after->changes()[0]->relation->version);
}

}  // namespace
}  // namespace walspout::transaction
