// How events become messages, and that the same ones do so again.
#include <fstream>

#include "fixture.hpp"

namespace walspout::webhook_test {
namespace {

using BatchTest = WebhookTest;

TEST_F(BatchTest, RowsCutWithinATransactionAndItsEndCuts) {
  Driver sink(plugin_, settings({{"batch_rows", "3"}}), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 7).ok());
  ASSERT_TRUE(put(sink, 0x200, 1).ok());
  ASSERT_TRUE(sink.flush().ok());
  EXPECT_THAT(bodies(), ElementsAre("100-0 100-1 100-2", "100-3 100-4 100-5", "100-6", "200-0"));
}

TEST_F(BatchTest, BytesCut) {
  Driver sink(plugin_, settings({{"batch_rows", "100"}, {"batch_bytes", "2500B"}}), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 5, 900).ok());
  ASSERT_TRUE(sink.flush().ok());
  EXPECT_THAT(bodies(), ElementsAre("100-0 100-1", "100-2 100-3", "100-4"));
  for (const HttpRequest& request : server_.requests()) EXPECT_LE(request.body.size(), 2500u);
}

TEST_F(BatchTest, PiecesCutAsTheWholeDoes) {
  std::vector<std::vector<std::string>> all;
  for (const std::size_t pieces : {1, 2, 3, 5, 10}) {
    server_.forget();
    Driver sink(plugin_, settings({{"batch_rows", "4"}}), state());
    ASSERT_TRUE(sink.open().ok());
    ASSERT_TRUE(put(sink, 0x100, 10, 5, pieces).ok());
    ASSERT_TRUE(sink.flush().ok());
    all.push_back(message_ids());
  }
  for (const auto& ids : all) EXPECT_EQ(ids, all.front());
}

TEST_F(BatchTest, ALargeTransactionIsSentWhileItComes) {
  Driver sink(plugin_, settings({{"batch_rows", "100"}}), state());
  ASSERT_TRUE(sink.open().ok());
  Txn txn(0x100);
  fill(txn, 40, 1'000'000);
  for (std::size_t i = 0; i < 40; ++i)
    ASSERT_TRUE(sink.write(txn, i, i + 1, i == 0 ? WALSPOUT_FIRST : 0).ok());
  EXPECT_GT(server_.count(), 20u);
  ASSERT_TRUE(sink.write(txn, 40, 40, WALSPOUT_LAST).ok());
  EXPECT_EQ(sink.flush().durable, 0x130u);
}

TEST_F(BatchTest, AFailureWithinALargeTransactionLeavesTheCallUntaken) {
  server_.answer({503}, 3);
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  Txn txn(0x100);
  fill(txn, 30, 1'000'000);
  int retries = 0;
  for (std::size_t i = 0; i < 30;) {
    const std::uint32_t flags = (i == 0 ? WALSPOUT_FIRST : 0) | (i == 29 ? WALSPOUT_LAST : 0);
    const Reply reply = sink.write(txn, i, i + 1, flags);
    ASSERT_TRUE(reply.ok() || reply.status == WALSPOUT_RETRY);
    reply.ok() ? static_cast<int>(++i) : ++retries;
  }
  EXPECT_EQ(retries, 3);
  ASSERT_TRUE(sink.flush().ok());
  std::vector<std::string> got = bodies();
  got.erase(std::unique(got.begin(), got.end()), got.end());
  EXPECT_EQ(got.size(), 30u);
}

TEST_F(BatchTest, AnAbortedTransactionIsNotSent) {
  for (const char* time : {"0ms", "1s"}) {
    server_.forget();
    Driver sink(plugin_, settings({{"batch_rows", "4"}, {"batch_time", time}}), state());
    ASSERT_TRUE(sink.open().ok());
    Txn txn(0x100);
    fill(txn, 10);
    ASSERT_TRUE(sink.write(txn, 0, 6, WALSPOUT_FIRST).ok());
    ASSERT_TRUE(sink.abort().ok());
    ASSERT_TRUE(put(sink, 0x200, 4).ok());
    EXPECT_EQ(sink.flush().durable, 0x230u);
    EXPECT_THAT(bodies(), ElementsAre("200-0 200-1 200-2 200-3"));
  }
}

TEST_F(BatchTest, AnUnfinishedTransactionIsNotPromised) {
  Driver sink(plugin_, settings({{"batch_rows", "2"}}), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 1).ok());
  Txn txn(0x200);
  fill(txn, 5);
  ASSERT_TRUE(sink.write(txn, 0, 3, WALSPOUT_FIRST).ok());
  EXPECT_EQ(sink.flush().durable, 0x130u);
  ASSERT_TRUE(sink.write(txn, 3, 5, WALSPOUT_LAST).ok());
  EXPECT_EQ(sink.flush().durable, 0x230u);
  EXPECT_THAT(bodies(), ElementsAre("100-0", "200-0 200-1", "200-2 200-3", "200-4"));
}

TEST_F(BatchTest, ACallThatFailsHasTakenNothing) {
  Driver sink(plugin_, settings({{"batch_rows", "10"}}), state());
  ASSERT_TRUE(sink.open().ok());
  const Relation blob = relation("s", "b").column("i", oid::kInt4);
  Txn bad(0x100);
  fill(bad, 3);
  bad.insert(blob, {Cell::binary("\x01")});
  EXPECT_EQ(sink.deliver(bad).status, WALSPOUT_FATAL);
  ASSERT_TRUE(put(sink, 0x200, 1).ok());
  ASSERT_TRUE(sink.flush().ok());
  EXPECT_THAT(bodies(), ElementsAre("200-0"));
}

TEST_F(BatchTest, ASchemaChangeDoesNotMoveTheBorders) {
  std::vector<std::vector<std::string>> all;
  for (const bool with : {false, true}) {
    server_.forget();
    Driver sink(plugin_, settings({{"batch_rows", "3"}}), state());
    ASSERT_TRUE(sink.open().ok());
    Txn txn(0x100);
    if (with) txn.schema(table());
    fill(txn, 4);
    if (with) txn.schema(table());
    fill(txn, 4);
    ASSERT_TRUE(sink.deliver(txn).ok());
    ASSERT_TRUE(sink.flush().ok());
    all.push_back(message_ids());
  }
  EXPECT_EQ(all[0].size(), 3u);
  EXPECT_EQ(all[0], all[1]);
}

TEST_F(BatchTest, RowsOfACopyHaveMessagesOfTheirOwn) {
  Driver sink(plugin_, settings({{"batch_rows", "10"}, {"batch_time", "10s"}}), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 1).ok());
  Txn copy(0x150);
  copy.snapshot(9).position(0).shadow(0);
  fill(copy, 2);
  ASSERT_TRUE(sink.deliver(copy).ok());
  ASSERT_TRUE(sink.flush().ok());
  EXPECT_THAT(bodies(), ElementsAre("100-0", "copy-9-0 copy-9-1"));
}

TEST_F(BatchTest, ARefusedRowOfACopyNamesTheCopy) {
  server_.answer({422});
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  Txn copy(0x150);
  copy.snapshot(9).position(0);
  fill(copy, 1);
  ASSERT_TRUE(sink.deliver(copy).ok());
  EXPECT_EQ(sink.flush().status, WALSPOUT_POISON);
  EXPECT_EQ(sink.last().copy_id, 9u);
}

}  // namespace
}  // namespace walspout::webhook_test
