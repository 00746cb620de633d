// The ordinary way: open, write, flush, close.
#include "runner_fake.hpp"

namespace walspout::sink {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(RunnerTest, OpensTheSinkAndSaysWhereItStands) {
  keep_position();
  plugin->set_stored(120, "v1 kept");
  start(120);
  transaction(130);
  deliver();
  listener.wait_durable(135);
  EXPECT_EQ(runner().state(), Runner::State::kOpen);
  EXPECT_EQ(runner().opened().position, 120u);
  EXPECT_EQ(runner().opened().host_state, "v1 kept");
  EXPECT_TRUE(runner().keeps_position());
}

TEST_F(RunnerTest, PositionOfASinkThatKeepsNoneDoesNotCount) {
  plugin->set_stored(120);
  start();
  transaction(130);
  deliver();
  listener.wait_durable(135);
  EXPECT_EQ(runner().opened().position, 0u);
}

TEST_F(RunnerTest, FlushesOnceForManyTransactions) {
  runner().begin(50, {"", 1});
  transaction(100);
  deliver();
  transaction(110);
  transaction(120);
  deliver();
  runner().start();  // all of it is in the queue by now
  listener.wait_durable(125);
  EXPECT_EQ(plugin->count("flush"), 1u);
  EXPECT_THAT(listener.durables(), ElementsAre(125));
}

TEST_F(RunnerTest, WritesWhatItWasGivenInOrder) {
  start();
  transaction(100, {"a", "b"});
  transaction(110, {"c"});
  deliver();
  listener.wait_durable(115);
  EXPECT_EQ(end(), "");
  EXPECT_THAT(
      plugin->calls(),
      ElementsAre("write first last 100..105 @105[state]: 0 insert t (1, a); 1 insert t (1, b)",
                  "write first last 110..115 @115: 0 insert t (1, c)", "flush", "close"));
}

TEST_F(RunnerTest, DoesNotFlushInTheMiddleOfATransaction) {
  start();
  transaction(100);
  begin(110);
  row("a");
  deliver();
  plugin->wait_call("write", 2);
  row("b");
  deliver();
  plugin->wait_call("write", 3);
  EXPECT_EQ(plugin->count("flush"), 0u);
  commit(110);
  deliver();
  listener.wait_durable(115);
  EXPECT_THAT(
      plugin->calls(),
      ElementsAre("write first last 100..105 @105[state]: 0 insert t (1, x)",
                  "write first 110..0 @0: 0 insert t (1, a)", "write 110..0 @0: 1 insert t (1, b)",
                  "write last 110..115 @115:", "flush"));
}

TEST_F(RunnerTest, GivesTheChunkBackWhenItIsDurable) {
  start();
  transaction(100);
  deliver();
  listener.wait_durable(105);
  EXPECT_EQ(end(), "");
  EXPECT_EQ(feed.budget.used(), 0u);
}

TEST_F(RunnerTest, FinishFlushesWhatWasAccepted) {
  start();
  transaction(100);
  deliver();
  EXPECT_EQ(end(), "");
  EXPECT_EQ(runner().state(), Runner::State::kFinished);
  EXPECT_THAT(listener.durables(), ElementsAre(105));
  EXPECT_EQ(plugin->calls().back(), "close");
}

TEST_F(RunnerTest, FinishRepeatsWhatTheLastFlushLost) {
  plugin->answer("flush", {WALSPOUT_REOPEN, "gone"});
  start();
  transaction(100);
  deliver();
  EXPECT_EQ(end(), "");
  EXPECT_THAT(listener.durables(), ElementsAre(105));
  EXPECT_EQ(plugin->count("write"), 2u);
}

TEST_F(RunnerTest, FinishWaitsForASinkThatTakesItsTime) {
  for (int i = 0; i < 3; ++i) plugin->answer("flush", {.durable = 0});
  start();
  transaction(100);
  deliver();
  EXPECT_EQ(end(), "");
  EXPECT_THAT(listener.durables(), ElementsAre(105));
  EXPECT_EQ(plugin->count("flush"), 4u);
}

TEST_F(RunnerTest, FinishTakesBackAnUnfinishedTransaction) {
  start();
  transaction(100);
  begin(110);
  row();
  deliver();
  EXPECT_EQ(end(), "");
  EXPECT_EQ(plugin->count("abort"), 1u);
  EXPECT_THAT(listener.durables(), ElementsAre(105));
}

TEST_F(RunnerTest, StopEndsAtOnceWithoutAFlush) {
  start();
  begin(100);
  row();
  deliver();
  plugin->wait_call("write");
  runner().stop_now();
  ASSERT_TRUE(runner().wait_finished(std::chrono::steady_clock::now() + std::chrono::seconds(30)));
  EXPECT_EQ(runner().state(), Runner::State::kFinished);
  EXPECT_EQ(plugin->count("flush"), 0u);
  EXPECT_EQ(plugin->calls().back(), "close");
  EXPECT_THAT(listener.durables(), IsEmpty());
}

TEST_F(RunnerTest, StopEndsAWaitForARetry) {
  for (int i = 0; i < 3; ++i)
    plugin->answer("write",
                   {.status = WALSPOUT_RETRY, .text = "busy", .retry_after_ms = 3'600'000});
  start();
  transaction(100);
  deliver();
  plugin->wait_call("write");
  runner().stop_now();
  ASSERT_TRUE(runner().wait_finished(std::chrono::steady_clock::now() + std::chrono::seconds(30)));
  EXPECT_EQ(runner().state(), Runner::State::kFinished);
  EXPECT_THAT(listener.durables(), IsEmpty());
}

TEST_F(RunnerTest, StopEndsAWaitForTheFirstOpen) {
  plugin->answer("open", {.status = WALSPOUT_RETRY, .text = "down", .retry_after_ms = 3'600'000});
  runner().start();
  plugin->wait_call("open");
  runner().stop_now();
  ASSERT_TRUE(runner().wait_finished(std::chrono::steady_clock::now() + std::chrono::seconds(30)));
  EXPECT_EQ(plugin->count("close"), 0u) << "it never was open";
}

TEST_F(RunnerTest, StopEndsAWaitForASlowFlush) {
  for (int i = 0; i < 1000; ++i) plugin->answer("flush", {.durable = 0});
  start();
  transaction(100);
  deliver();
  runner().finish();
  plugin->wait_call("flush", 2);
  runner().stop_now();
  ASSERT_TRUE(runner().wait_finished(std::chrono::steady_clock::now() + std::chrono::seconds(30)));
  EXPECT_THAT(listener.durables(), IsEmpty());
}

}  // namespace
}  // namespace walspout::sink
