// Several requests at a time.
#include <atomic>
#include <map>
#include <thread>

#include "fixture.hpp"

namespace walspout::webhook_test {
namespace {

class ConcurrencyTest : public WebhookTest {
 protected:
  // "3" of an event whose key is 3.
  static std::string key_of(const std::string& body) {
    const std::string mark = "\"key\":{\"id\":";
    const std::size_t at = body.find(mark);
    if (at == std::string::npos) return "";
    return body.substr(at + mark.size(), body.find('}', at) - at - mark.size());
  }
  std::map<std::string, std::vector<std::string>> by_key() const {
    std::map<std::string, std::vector<std::string>> all;
    for (const HttpRequest& request : server_.requests())
      all[key_of(request.body)].push_back(ids(request.body));
    return all;
  }
};

TEST_F(ConcurrencyTest, OneRequestIsInFlightUnlessSaid) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 50).ok());
  ASSERT_TRUE(sink.flush().ok());
  EXPECT_EQ(server_.most_in_flight(), 1);
}

TEST_F(ConcurrencyTest, SeveralAreInFlightAndNoneTooMany) {
  server_.always({200, {}, {}, HttpReply::Then::kGate});
  Driver sink(plugin_, settings({{"concurrency", "4"}}), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 50).ok());
  std::thread receiver([this] {
    EXPECT_TRUE(server_.wait_count(4));
    server_.release();
  });
  EXPECT_TRUE(sink.flush().ok()) << sink.last().message;
  receiver.join();
  EXPECT_EQ(server_.most_in_flight(), 4);
  EXPECT_EQ(server_.connections(), 4);
  EXPECT_EQ(server_.count(), 50u);
}

TEST_F(ConcurrencyTest, TheOrderOfEachKeyIsKept) {
  std::atomic<int> count = 0;
  server_.decide([&](const HttpRequest&) { return HttpReply{++count % 7 == 0 ? 503 : 200}; });
  Driver sink(plugin_, settings({{"concurrency", "8"}}), state());
  ASSERT_TRUE(sink.open().ok());
  for (Lsn lsn = 0x100; lsn < 0xB00; lsn += 0x100) {
    Txn txn(lsn);
    for (int i = 0; i < 10; ++i) txn.update(table(), {std::to_string(i), std::to_string(lsn)});
    ASSERT_TRUE(sink.deliver(txn).ok());
  }
  ASSERT_TRUE(flush_until_done(sink).ok()) << sink.last().message;
  EXPECT_EQ(sink.last().durable, 0xA30u);
  for (const auto& [key, events] : by_key()) {
    std::vector<std::string> distinct = events;
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    ASSERT_EQ(distinct.size(), 10u) << key;
    for (std::size_t i = 0; i < 10; ++i)
      EXPECT_EQ(distinct[i], std::string(1, "123456789A"[i]) + "00-" + key);
  }
}

TEST_F(ConcurrencyTest, WhatConcernsAllKeysWaitsForAllAndAllForIt) {
  // The first answers slowly: what must wait for it must not be there before.
  server_.answer({200, {}, {}, HttpReply::Then::kGate});
  Driver sink(plugin_, settings({{"concurrency", "4"}}), state());
  ASSERT_TRUE(sink.open().ok());
  Txn txn(0x100);
  fill(txn, 4);
  txn.truncate(table());
  fill(txn, 4);
  ASSERT_TRUE(sink.deliver(txn).ok());
  std::thread receiver([this] {
    EXPECT_TRUE(server_.wait_count(4));
    server_.release();
  });
  ASSERT_TRUE(sink.flush().ok());
  receiver.join();
  const auto got = bodies();
  ASSERT_EQ(got.size(), 9u);
  EXPECT_EQ(got[4], "100-4");
}

TEST_F(ConcurrencyTest, AChangedKeyWaitsForBothKeys) {
  Driver sink(plugin_, settings({{"concurrency", "16"}}), state());
  ASSERT_TRUE(sink.open().ok());
  Txn txn(0x100);
  fill(txn, 8);
  txn.update(table(), {"3", absent}, {"300", "moved"});
  txn.insert(table(), {"3", "anew"});
  ASSERT_TRUE(sink.deliver(txn).ok());
  ASSERT_TRUE(sink.flush().ok());
  const auto got = bodies();
  ASSERT_EQ(got.size(), 10u);
  EXPECT_EQ(got[8], "100-8");
  EXPECT_EQ(got[9], "100-9");
}

TEST_F(ConcurrencyTest, RowsOfATableWithoutKeyKeepTheirOrder) {
  Driver sink(plugin_, settings({{"concurrency", "8"}}), state());
  ASSERT_TRUE(sink.open().ok());
  const Relation bare = relation("public", "bare").column("v", oid::kText);
  Txn txn(0x100);
  for (int i = 0; i < 20; ++i) txn.insert(bare, {std::to_string(i)});
  ASSERT_TRUE(sink.deliver(txn).ok());
  ASSERT_TRUE(sink.flush().ok());
  EXPECT_EQ(server_.most_in_flight(), 1);
  const auto got = bodies();
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], "100-" + std::to_string(i));
}

TEST_F(ConcurrencyTest, BatchesOfALaneAreTheSameOverARestart) {
  std::vector<std::vector<std::string>> all;
  for (const std::size_t pieces : {1, 4}) {
    server_.forget();
    Driver sink(plugin_, settings({{"concurrency", "3"}, {"batch_rows", "4"}}), state());
    ASSERT_TRUE(sink.open().ok());
    ASSERT_TRUE(put(sink, 0x100, 40, 5, pieces).ok());
    ASSERT_TRUE(sink.flush().ok());
    auto ids = message_ids();
    std::sort(ids.begin(), ids.end());
    all.push_back(ids);
  }
  EXPECT_EQ(all[0], all[1]);
}

TEST_F(ConcurrencyTest, PoisonInOneLaneIsNamedWhenTheOthersAreDone) {
  server_.decide([](const HttpRequest& request) {
    return HttpReply{key_of(request.body) == "5" ? 422 : 200};
  });
  Driver sink(plugin_, settings({{"concurrency", "4"}}), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 20).ok());
  EXPECT_EQ(sink.flush().status, WALSPOUT_POISON);
  EXPECT_EQ(sink.last().ordinal, 5u);
  EXPECT_EQ(server_.in_flight(), 0);
}

}  // namespace
}  // namespace walspout::webhook_test
