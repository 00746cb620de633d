// Refused events, and what is sent again when the host leaves them out.
#include <map>
#include <mutex>
#include <set>
#include <sstream>

#include "fixture.hpp"

namespace walspout::webhook_test {
namespace {

class PoisonTest : public WebhookTest {
 protected:
  PoisonTest() {
    server_.decide([this](const HttpRequest& request) {
      if (request.body.find("poison") != std::string::npos) return HttpReply{422, {}, "no"};
      const std::lock_guard lock(mutex_);
      accepted_.push_back(ids(request.body));
      for (std::string id : split(ids(request.body)))
        seen_[id].insert(request.header("webhook-id"));
      return HttpReply{};
    });
  }
  static std::vector<std::string> split(const std::string& all) {
    std::vector<std::string> words;
    std::istringstream in(all);
    for (std::string word; in >> word;) words.push_back(word);
    return words;
  }
  // Rows 0 to 9, without those that the host leaves out; 3 and 7 are poison.
  static void rows(Txn& txn, const std::set<int>& without, std::set<int> poison = {3, 7}) {
    for (int i = 0; i < 10; ++i) {
      if (without.contains(i)) continue;
      txn.ordinal(static_cast<std::uint64_t>(i));
      txn.insert(table(), {std::to_string(i), poison.contains(i) ? "poison" : "good"});
    }
  }
  // As the host does with on_poison = "skip": from flush, the sink is opened anew.
  std::set<int> deliver_skipping(Driver& sink) {
    std::set<int> left_out;
    for (int round = 0; round < 10; ++round) {
      EXPECT_TRUE(sink.open().ok());
      Txn txn(0x100);
      rows(txn, left_out);
      EXPECT_TRUE(sink.deliver(txn).ok());
      if (sink.flush().ok()) break;
      EXPECT_EQ(sink.last().status, WALSPOUT_POISON) << sink.last().message;
      EXPECT_TRUE(left_out.insert(static_cast<int>(sink.last().ordinal)).second);
    }
    return left_out;
  }
  std::string accepted() {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const std::string& ids : accepted_) all += (all.empty() ? "" : " ") + ids;
    return all;
  }

  std::mutex mutex_;
  std::vector<std::string> accepted_;
  std::map<std::string, std::set<std::string>> seen_;  // event -> messages that brought it
};

TEST_F(PoisonTest, IsFoundByHalvingAndTheOthersComeOnceInOrder) {
  for (const char* rows : {"1", "4", "10"}) {
    accepted_.clear();
    std::filesystem::remove(state_file("delivered"));
    Driver sink(plugin_, settings({{"batch_rows", rows}}), state());
    EXPECT_EQ(deliver_skipping(sink), (std::set{3, 7})) << rows;
    EXPECT_EQ(sink.last().durable, 0x130u);
    std::vector<std::string> first;  // repetitions aside
    for (const std::string& id : split(accepted()))
      if (std::find(first.begin(), first.end(), id) == first.end()) first.push_back(id);
    EXPECT_THAT(
        first, ElementsAre("100-0", "100-1", "100-2", "100-4", "100-5", "100-6", "100-8", "100-9"));
  }
}

TEST_F(PoisonTest, AnEventNeverComesUnderTwoMessageIds) {
  for (const char* rows : {"2", "3", "5", "7", "10"}) {
    seen_.clear();
    std::filesystem::remove(state_file("delivered"));
    Driver sink(plugin_, settings({{"batch_rows", rows}}), state());
    deliver_skipping(sink);
    EXPECT_EQ(seen_.size(), 8u);
    for (const auto& [event, messages] : seen_) EXPECT_EQ(messages.size(), 1u) << event << rows;
  }
}

TEST_F(PoisonTest, WhatWasTakenIsRememberedOverAStop) {
  const Settings five = settings({{"batch_rows", "10"}});
  {
    Driver sink(plugin_, five, state());
    ASSERT_TRUE(sink.open().ok());
    Txn txn(0x100);
    rows(txn, {});
    ASSERT_TRUE(sink.deliver(txn).ok());
    EXPECT_EQ(sink.flush().status, WALSPOUT_POISON);
  }
  EXPECT_EQ(accepted(), "100-0 100-1 100-2");
  // on_poison = "stop": the receiver was mended, and the host is started again.
  Driver sink(plugin_, five, state());
  ASSERT_TRUE(sink.open().ok());
  Txn txn(0x100);
  rows(txn, {}, {});
  ASSERT_TRUE(sink.deliver(txn).ok());
  ASSERT_TRUE(sink.flush().ok());
  EXPECT_EQ(accepted(), "100-0 100-1 100-2 100-3 100-4 100-5 100-6 100-7 100-8 100-9");
}

TEST_F(PoisonTest, AndForgottenOnceItIsDurable) {
  Driver sink(plugin_, settings({{"batch_rows", "10"}}), state());
  deliver_skipping(sink);
  EXPECT_TRUE(std::filesystem::exists(state_file("delivered")));
  ASSERT_TRUE(put(sink, 0x200, 1).ok());
  ASSERT_TRUE(sink.flush().ok());
  EXPECT_FALSE(std::filesystem::exists(state_file("delivered")));
}

TEST_F(PoisonTest, AnotherServersTransactionAtTheSamePlaceIsSent) {
  {
    Driver sink(plugin_, settings({{"batch_rows", "10"}}), state());
    ASSERT_TRUE(sink.open().ok());
    Txn txn(0x100);
    rows(txn, {});
    ASSERT_TRUE(sink.deliver(txn).ok());
    EXPECT_EQ(sink.flush().status, WALSPOUT_POISON);
  }
  accepted_.clear();
  Driver sink(plugin_, settings({{"batch_rows", "10"}}), state());
  ASSERT_TRUE(sink.open().ok());
  Txn txn(0x100);
  txn.commit_time_us(1);
  rows(txn, {}, {});
  ASSERT_TRUE(sink.deliver(txn).ok());
  ASSERT_TRUE(sink.flush().ok());
  EXPECT_EQ(split(accepted()).size(), 10u);
}

TEST_F(PoisonTest, WithinALargeTransactionItIsNamedByWriteAndLeftOut) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  Txn txn(0x100);
  for (int i = 0; i < 30; ++i)
    txn.insert(table(), {std::to_string(i), i == 2 ? "poison" : std::string(1'000'000, 'x')});
  int named = 0;
  for (std::size_t i = 0; i < 30;) {
    const std::uint32_t flags = (i == 0 ? WALSPOUT_FIRST : 0) | (i == 29 ? WALSPOUT_LAST : 0);
    const Reply reply = sink.write(txn, i, i + 1, flags);
    if (reply.ok()) {
      ++i;
      continue;
    }
    ASSERT_EQ(reply.status, WALSPOUT_POISON);
    EXPECT_EQ(reply.ordinal, 2u);
    ++named;
  }
  ASSERT_TRUE(sink.flush().ok()) << sink.last().message;
  EXPECT_EQ(named, 1);
  EXPECT_EQ(split(accepted()).size(), 29u);
}

}  // namespace
}  // namespace walspout::webhook_test
