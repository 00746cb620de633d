// What is seen of a runner from outside.
#include <future>
#include <numeric>

#include "runner_fake.hpp"

namespace walspout::sink {
namespace {

std::uint64_t count(const Histogram& histogram) {
  const auto counts = histogram.figures().counts;
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

TEST_F(RunnerTest, CallsAreCountedByWhatCameOfThem) {
  plugin->answer("write", {WALSPOUT_RETRY, "busy"});
  plugin->answer("write", {WALSPOUT_RETRY, "busy"});
  start();
  transaction(100);
  transaction(110);
  deliver();
  listener.wait_durable(115);
  const Meters& meters = runner().meters();
  EXPECT_EQ(meters.calls[WALSPOUT_RETRY].load(), 2U);
  EXPECT_EQ(meters.calls[WALSPOUT_OK].load(),
            1 + 2 + plugin->count("flush"));  // open, two writes
  EXPECT_EQ(meters.calls[WALSPOUT_FATAL].load(), 0U);
  EXPECT_EQ(count(meters.flush), plugin->count("flush"));
}

TEST_F(RunnerTest, UnknownStatusesCountAsFatal) {
  plugin->answer("write", {static_cast<walspout_status>(77), "?"});
  start();
  transaction(100);
  deliver();
  failure();
  EXPECT_EQ(runner().meters().calls[WALSPOUT_FATAL].load(), 1U);
}

TEST_F(RunnerTest, EachTransactionIsTimedUntilItIsDurable) {
  plugin->answer("flush", {.status = WALSPOUT_OK, .durable = base::Lsn{105}});
  start();
  transaction(100);
  transaction(110);
  deliver();
  listener.wait_durable(105);
  listener.wait_durable(115);
  EXPECT_EQ(count(runner().meters().commit_to_durable), 2U);
}

TEST_F(RunnerTest, WhatComesAgainIsTimedOnce) {
  plugin->answer("flush", {WALSPOUT_REOPEN, "gone"});
  start();
  transaction(100);
  deliver();
  listener.wait_durable(105);
  EXPECT_EQ(count(runner().meters().commit_to_durable), 1U);
}

TEST_F(RunnerTest, ACallThatDoesNotReturnIsSeen) {
  std::promise<void> within, go_on;
  plugin->answer("write", {.meanwhile = [&] {
                   within.set_value();
                   go_on.get_future().wait();
                 }});
  start();
  while (runner().busy()) std::this_thread::yield();
  transaction(100);
  deliver();
  within.get_future().wait();
  const auto busy = runner().busy();
  ASSERT_TRUE(busy);
  EXPECT_STREQ(busy->call, "write");
  EXPECT_LT(busy->time, std::chrono::minutes(1));
  go_on.set_value();
  listener.wait_durable(105);
  while (runner().busy()) std::this_thread::yield();
}

}  // namespace
}  // namespace walspout::sink
