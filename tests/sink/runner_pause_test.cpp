// A sink that an operator pauses and resumes.
#include <thread>

#include "runner_fake.hpp"

namespace walspout::sink {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t kHour = 3'600'000;  // as a delay: longer than any test waits

class RunnerPauseTest : public RunnerTest {};

TEST_F(RunnerPauseTest, NothingIsWrittenUntilItIsResumed) {
  start();
  runner().pause();
  EXPECT_TRUE(runner().paused());
  transaction(100);
  deliver();
  runner().advance(110);
  transaction(120);
  deliver();
  plugin->answer("write", {.meanwhile = [this] { EXPECT_FALSE(runner().paused()); }});
  runner().resume();
  listener.wait_durable(125);
  EXPECT_EQ(plugin->count("write"), 2u);
  EXPECT_EQ(end(), "");
}

TEST_F(RunnerPauseTest, TheEndLeavesWhatWaits) {
  start();
  transaction(100);
  deliver();
  listener.wait_durable(105);
  runner().pause();
  transaction(110);
  deliver();
  EXPECT_EQ(end(), "");
  EXPECT_EQ(plugin->count("write"), 1u);
  EXPECT_EQ(plugin->calls().back(), "close");
  EXPECT_THAT(listener.durables(), ElementsAre(105));
}

TEST_F(RunnerPauseTest, WhatWasAcceptedIsMadeDurableFirst) {
  plugin->answer("write", {.meanwhile = [this] { runner().pause(); }});
  for (int i = 0; i < 3; ++i) plugin->answer("flush", {.durable = 0});  // it takes its time
  start();
  transaction(100);
  deliver();
  listener.wait_durable(105);
  transaction(110);
  deliver();
  EXPECT_EQ(end(), "");
  EXPECT_EQ(plugin->count("write"), 1u);
}

TEST_F(RunnerPauseTest, ATransactionThatWasBegunIsBroughtToItsEnd) {
  start();
  begin(100);
  row("a");
  deliver();
  plugin->wait_call("write");
  runner().pause();
  row("b");
  commit(100);
  deliver();
  listener.wait_durable(105);
  transaction(110);
  deliver();
  EXPECT_EQ(end(), "");
  EXPECT_THAT(plugin->calls(),
              ElementsAre("write first 100..0 @0: 0 insert t (1, a)",
                          "write last 100..105 @105[state]: 1 insert t (1, b)", "flush", "close"));
}

TEST_F(RunnerPauseTest, StartsPausedWhenItWasPausedBefore) {
  options.paused = true;
  start();
  transaction(100);
  deliver();
  EXPECT_THAT(plugin->calls(), IsEmpty());
  runner().resume();
  listener.wait_durable(105);
  EXPECT_EQ(end(), "");
}

TEST_F(RunnerPauseTest, ACallThatFailsAgainAndAgainIsLeftAlone) {
  plugin->answer("write", {.status = WALSPOUT_RETRY, .text = "down", .meanwhile = [this] {
                             runner().pause();
                           }});
  start();
  transaction(100);
  deliver();
  plugin->wait_call("write");
  EXPECT_EQ(end(), "");
  EXPECT_EQ(plugin->count("write"), 1u);
  EXPECT_THAT(listener.durables(), IsEmpty());
}

TEST_F(RunnerPauseTest, TheSameCallIsMadeAgainAfterwards) {
  plugin->answer("write", {.status = WALSPOUT_RETRY, .text = "down", .meanwhile = [this] {
                             runner().pause();
                           }});
  start();
  transaction(100);
  deliver();
  while (!runner().paused()) std::this_thread::yield();  // within the call
  runner().resume();
  listener.wait_durable(105);
  EXPECT_EQ(end(), "");
  EXPECT_EQ(plugin->count("write first last 100..105"), 2u);
}

TEST_F(RunnerPauseTest, ResumeEndsTheWaitForTheNextTry) {
  plugin->answer("write", {.status = WALSPOUT_RETRY, .text = "down", .retry_after_ms = kHour});
  start();
  transaction(100);
  deliver();
  plugin->wait_call("write");
  // It may come a moment before the wait begins, so more than one.
  while (plugin->count("write") < 2) runner().resume();
  listener.wait_durable(105);
  EXPECT_EQ(end(), "");
}

TEST_F(RunnerPauseTest, TheEndComesAlsoWhileAPausedSinkWaitsForItsNextTry) {
  plugin->answer("write", {.status = WALSPOUT_RETRY, .text = "down", .retry_after_ms = kHour});
  start();
  transaction(100);
  deliver();
  plugin->wait_call("write");
  runner().pause();
  EXPECT_EQ(end(), "");
}

TEST_F(RunnerPauseTest, ASinkThatIsReopenedIsNotOpenedWhileItIsPaused) {
  plugin->answer("write", {.status = WALSPOUT_REOPEN, .text = "gone", .meanwhile = [this] {
                             runner().pause();
                           }});
  start();
  transaction(100);
  deliver();
  plugin->wait_call("close");
  EXPECT_EQ(plugin->count("open"), 0u);
  runner().resume();
  listener.wait_durable(105);
  EXPECT_EQ(end(), "");
  EXPECT_EQ(plugin->count("open"), 1u);
}

TEST_F(RunnerPauseTest, AFlushThatLosesEverythingIsRepeatedAfterwards) {
  plugin->answer("write", {.meanwhile = [this] { runner().pause(); }});
  plugin->answer("flush", {WALSPOUT_REOPEN, "gone"});
  start();
  transaction(100);
  deliver();
  plugin->wait_call("close");
  runner().resume();
  listener.wait_durable(105);
  EXPECT_EQ(end(), "");
  EXPECT_EQ(plugin->count("write"), 2u);
}

}  // namespace
}  // namespace walspout::sink
