// batch_time: several transactions in a message, whose borders are kept over restarts.
#include <fstream>

#include "fixture.hpp"

namespace walspout::webhook_test {
namespace {

class MergeTest : public WebhookTest {
 protected:
  Settings merging(const char* rows = "5", const char* time = "1s") const {
    return settings({{"batch_rows", rows}, {"batch_time", time}});
  }
  static void pass(Driver& sink, std::int64_t ms) {
    const std::lock_guard lock(sink.host.mutex);
    sink.host.now_us += ms * 1000;
  }
  static std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(MergeTest, EventsWaitForOthersUntilTheTimeIsOver) {
  Driver sink(plugin_, merging(), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 1).ok());
  EXPECT_EQ(sink.flush().durable, 0u);
  pass(sink, 600);
  ASSERT_TRUE(put(sink, 0x200, 2).ok());
  EXPECT_EQ(sink.flush().durable, 0u);
  EXPECT_EQ(server_.count(), 0u);
  pass(sink, 600);
  EXPECT_EQ(sink.flush().durable, 0x230u);
  EXPECT_THAT(bodies(), ElementsAre("100-0 200-0 200-1"));
}

TEST_F(MergeTest, AFullBatchDoesNotWait) {
  Driver sink(plugin_, merging(), state());
  ASSERT_TRUE(sink.open().ok());
  for (Lsn lsn = 0x100; lsn <= 0x700; lsn += 0x100) ASSERT_TRUE(put(sink, lsn, 1).ok());
  EXPECT_EQ(sink.flush().durable, 0x530u);
  EXPECT_THAT(bodies(), ElementsAre("100-0 200-0 300-0 400-0 500-0"));
}

TEST_F(MergeTest, ATransactionIsNotTornOverMessagesUnlessItIsLarger) {
  Driver sink(plugin_, merging(), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 3).ok());
  ASSERT_TRUE(put(sink, 0x200, 3).ok());
  ASSERT_TRUE(put(sink, 0x300, 7, 5, 3).ok());
  ASSERT_TRUE(put(sink, 0x400, 1).ok());
  EXPECT_EQ(sink.flush().durable, 0x330u);
  EXPECT_THAT(bodies(), ElementsAre("100-0 100-1 100-2", "200-0 200-1 200-2",
                                    "300-0 300-1 300-2 300-3 300-4", "300-5 300-6"));
}

TEST_F(MergeTest, AfterARestartTheMessagesAreTheSame) {
  std::vector<std::string> first;
  {
    Driver sink(plugin_, merging(), state());
    ASSERT_TRUE(sink.open().ok());
    ASSERT_TRUE(put(sink, 0x100, 1).ok());
    ASSERT_TRUE(put(sink, 0x200, 1).ok());
    pass(sink, 1000);
    server_.answer({503});
    EXPECT_EQ(sink.flush().status, WALSPOUT_RETRY);
    ASSERT_TRUE(put(sink, 0x300, 1).ok());
    ASSERT_TRUE(sink.flush().ok());
    pass(sink, 1000);
    ASSERT_TRUE(sink.flush().ok());
    EXPECT_THAT(bodies(), ElementsAre("100-0 200-0", "100-0 200-0", "300-0"));
    first = message_ids();
  }
  server_.forget();
  // Killed before the host stored that: all comes again, at once, and more.
  Driver sink(plugin_, merging(), state());
  ASSERT_TRUE(sink.open().ok());
  for (Lsn lsn = 0x100; lsn <= 0x400; lsn += 0x100) ASSERT_TRUE(put(sink, lsn, 1).ok());
  EXPECT_EQ(sink.flush().durable, 0x330u);
  EXPECT_THAT(bodies(), ElementsAre("100-0 200-0", "300-0"));
  EXPECT_EQ(message_ids().at(0), first[0]);
  EXPECT_EQ(message_ids().at(1), first[2]);
}

TEST_F(MergeTest, ARepeatedBatchWaitsForItsRest) {
  {
    Driver sink(plugin_, merging(), state());
    ASSERT_TRUE(sink.open().ok());
    ASSERT_TRUE(put(sink, 0x100, 1).ok());
    ASSERT_TRUE(put(sink, 0x200, 1).ok());
    pass(sink, 1000);
    ASSERT_TRUE(sink.flush().ok());
  }
  server_.forget();
  Driver sink(plugin_, merging(), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 1).ok());
  pass(sink, 2000);  // longer than batch_time
  EXPECT_EQ(sink.flush().durable, 0u);
  ASSERT_TRUE(put(sink, 0x200, 1).ok());
  EXPECT_EQ(sink.flush().durable, 0x230u);
  EXPECT_THAT(bodies(), ElementsAre("100-0 200-0"));
}

TEST_F(MergeTest, ButNotForEver) {
  { std::ofstream(state_file("borders")) << "0000000000000100 0000000000000900\n"; }
  Driver sink(plugin_, merging(), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 1).ok());
  pass(sink, 11'000);
  EXPECT_EQ(sink.flush().durable, 0x130u);
}

TEST_F(MergeTest, WhatACrashLeftOfARecordIsPassedOver) {
  {
    std::ofstream(state_file("borders")) << "0000000000000100 0000000000000200\n"
                                         << "00000000000003";
  }
  Driver sink(plugin_, merging(), state());
  ASSERT_TRUE(sink.open().ok());
  for (Lsn lsn = 0x100; lsn <= 0x400; lsn += 0x100) ASSERT_TRUE(put(sink, lsn, 1).ok());
  pass(sink, 1000);
  ASSERT_TRUE(sink.flush().ok());
  EXPECT_THAT(bodies(), ElementsAre("100-0 200-0", "300-0 400-0"));
  EXPECT_EQ(content(state_file("borders")),
            "0000000000000100 0000000000000200\n0000000000000300 0000000000000400\n");
}

TEST_F(MergeTest, TheBorderIsWrittenBeforeTheMessageIsSent) {
  std::string seen;
  server_.decide([&](const HttpRequest&) {
    seen = content(state_file("borders"));
    return HttpReply{};
  });
  Driver sink(plugin_, merging(), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 1).ok());
  pass(sink, 1000);
  ASSERT_TRUE(sink.flush().ok());
  EXPECT_EQ(seen, "0000000000000100 0000000000000100\n");
}

TEST_F(MergeTest, WithoutRoomForTheBorderNothingIsSent) {
  std::filesystem::create_directory(state_file("borders"));  // no file can take its place
  Driver broken(plugin_, merging(), state());
  EXPECT_EQ(broken.open().status, WALSPOUT_RETRY);
  std::filesystem::remove(state_file("borders"));
  Driver sink(plugin_, merging(), state());
  ASSERT_TRUE(sink.open().ok());
  std::filesystem::create_directory(state_file("borders"));
  ASSERT_TRUE(put(sink, 0x100, 1).ok());
  pass(sink, 1000);
  EXPECT_EQ(sink.flush().status, WALSPOUT_RETRY);
  EXPECT_EQ(server_.count(), 0u);
  std::filesystem::remove(state_file("borders"));
  EXPECT_EQ(sink.flush().durable, 0x130u);
}

TEST_F(MergeTest, TheRecordDoesNotGrowForEver) {
  Driver sink(plugin_, merging("2", "1ms"), state());
  ASSERT_TRUE(sink.open().ok());
  for (Lsn lsn = 0x100; lsn < 0x100 + 9000 * 0x40; lsn += 0x40) {
    ASSERT_TRUE(put(sink, lsn, 2).ok());
    if (lsn % 0x10000 != 0) continue;
    ASSERT_TRUE(sink.flush().ok());
  }
  ASSERT_TRUE(sink.flush().ok());
  EXPECT_LT(content(state_file("borders")).size(), 34u * 5600);
}

TEST_F(MergeTest, TransactionsWithoutEventsDoNotWait) {
  Driver sink(plugin_, merging(), state());
  ASSERT_TRUE(sink.open().ok());
  Txn empty(0x100);
  ASSERT_TRUE(sink.deliver(empty).ok());
  EXPECT_EQ(sink.flush().durable, 0x130u);
}

}  // namespace
}  // namespace walspout::webhook_test
