// WALSPOUT_REOPEN: what was not durable comes again, and nothing else.
#include <thread>

#include "runner_fake.hpp"

namespace walspout::sink {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Reopen : public RunnerTest {
 protected:
  // A transaction larger than the window, but for its end.
  void too_large(base::Lsn commit) {
    begin(commit);
    for (int i = 0; i < 3; ++i) {
      row(std::string(40'000, 'x'));
      deliver();
    }
    plugin->wait_call("write", 3);
  }
};

TEST_F(Reopen, RepeatsExactlyWhatWasNotDurable) {
  start();
  transaction(100, {"a"});
  deliver();
  listener.wait_durable(105);
  plugin->clear();
  plugin->answer("write", {});
  plugin->answer("write", {WALSPOUT_REOPEN, "connection lost"});
  transaction(110, {"b"});
  transaction(120, {"c"});
  deliver();
  listener.wait_durable(125);
  EXPECT_EQ(end(), "");
  const std::string b = "write first last 110..115 @115: 0 insert t (1, b)";
  const std::string b_again = "write first last 110..115 @115[state]: 0 insert t (1, b)";
  const std::string c = "write first last 120..125 @125: 0 insert t (1, c)";
  EXPECT_THAT(plugin->calls(), ElementsAre(b, c, "close", "open", b_again, c, "flush", "close"));
  EXPECT_THAT(listener.replays(), IsEmpty());
}

// A state that says more than its position would claim what is not there.
TEST_F(Reopen, EachStateComesAgainWithTheTransactionThatItBelongsTo) {
  plugin->answer("write", {.meanwhile = [this] {
                   runner().host_state({"newer", 2});
                   transaction(110, {"b"});
                   deliver();
                 }});
  plugin->answer("write", {WALSPOUT_REOPEN, "connection lost"});
  start();
  transaction(100, {"a"});
  deliver();
  listener.wait_durable(115);
  EXPECT_EQ(end(), "");
  const std::string a = "write first last 100..105 @105[state]: 0 insert t (1, a)";
  const std::string b = "write first last 110..115 @115[newer]: 0 insert t (1, b)";
  EXPECT_THAT(plugin->calls(), ElementsAre(a, b, "close", "open", a, b, "flush", "close"));
}

TEST_F(Reopen, SinkThatHadMadeMoreDurableIsNotGivenItAgain) {
  keep_position();
  plugin->set_stored(50);
  plugin->answer("write", {});
  plugin->answer("write", {});
  plugin->answer("write", {.status = WALSPOUT_REOPEN, .text = "crashed", .meanwhile = [this] {
                             plugin->set_stored(115);
                           }});
  start();
  transaction(100, {"a"});
  transaction(110, {"b"});
  transaction(120, {"c"});
  deliver();
  listener.wait_durable(125);
  EXPECT_EQ(plugin->count("write first last 100"), 1u);
  EXPECT_EQ(plugin->count("write first last 110"), 1u);
  EXPECT_EQ(plugin->count("write first last 120"), 2u);
  EXPECT_THAT(listener.durables(), ElementsAre(115, 125));
}

TEST_F(Reopen, InTheMiddleOfATransactionRepeatsItFromItsBeginning) {
  start();
  begin(100);
  row("a");
  deliver();
  plugin->wait_call("write");
  plugin->answer("write", {WALSPOUT_REOPEN, "lost"});
  row("b");
  deliver();
  plugin->wait_call("write", 4);
  commit(100);
  deliver();
  listener.wait_durable(105);
  EXPECT_THAT(plugin->calls(), ElementsAre("write first 100..0 @0: 0 insert t (1, a)",
                                           "write 100..0 @0: 1 insert t (1, b)", "close", "open",
                                           "write first 100..0 @0: 0 insert t (1, a)",
                                           "write 100..0 @0: 1 insert t (1, b)",
                                           "write last 100..105 @105[state]:", "flush"));
}

TEST_F(Reopen, WaitsAsLongAsTheSinkSays) {
  plugin->answer("write", {.status = WALSPOUT_REOPEN, .text = "later", .retry_after_ms = 80});
  start();
  const auto began = std::chrono::steady_clock::now();
  transaction(100);
  deliver();
  plugin->wait_call("open");
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(80));
}

TEST_F(Reopen, MayBeAskedForAgainAndAgain) {
  for (int i = 0; i < 5; ++i) plugin->answer("write", {WALSPOUT_REOPEN, "lost"});
  for (int i = 0; i < 3; ++i) plugin->answer("flush", {WALSPOUT_REOPEN, "lost"});
  start();
  transaction(100);
  deliver();
  listener.wait_durable(105);
  EXPECT_EQ(plugin->count("close"), 8u);
  EXPECT_EQ(plugin->count("write"), 9u);
}

TEST_F(Reopen, WithoutTheWindowAsksForAReplayAndIgnoresEverythingUntilThen) {
  options.window_bytes = 100'000;
  start();
  transaction(100);
  deliver();
  listener.wait_durable(105);
  plugin->clear();
  too_large(110);
  plugin->answer("write", {WALSPOUT_REOPEN, "lost"});
  row("end");
  commit(110);
  deliver();
  listener.wait_replay();
  EXPECT_THAT(listener.replays(), ElementsAre(105));
  plugin->clear();
  transaction(120);  // still on its way when the reader learns of it
  deliver();
  runner().advance(130);
  runner().abort();
  runner().restarted(false);
  transaction(110, {"again"});
  deliver();
  listener.wait_durable(115);
  EXPECT_THAT(plugin->calls(),
              ElementsAre("write first last 110..115 @115[state]: 0 insert t (1, again)", "flush"));
  EXPECT_EQ(runner().restarts_seen(), runner().restarts_asked());
}

TEST_F(Reopen, WindowIsWholeAgainOnceTheLargeTransactionIsDurable) {
  options.window_bytes = 100'000;
  start();
  too_large(100);
  commit(100);
  deliver();
  listener.wait_durable(105);
  plugin->answer("write", {WALSPOUT_REOPEN, "lost"});
  transaction(110);
  deliver();
  listener.wait_durable(115);
  EXPECT_THAT(listener.replays(), IsEmpty());
  EXPECT_EQ(plugin->count("write first last 110"), 2u);
}

TEST_F(Reopen, WhatFollowsALargeTransactionInItsChunkIsRepeatedToo) {
  options.window_bytes = 200'000;  // more than two of the small chunks
  start();
  too_large(100);
  plugin->answer("write", {});
  // Slow enough that a flush is due between two transactions of one chunk.
  plugin->answer("write",
                 {.meanwhile = [] { std::this_thread::sleep_for(Runner::kFlushInterval * 2); }});
  plugin->answer("write", {});
  plugin->answer("write", {WALSPOUT_REOPEN, "lost"});
  commit(100);
  transaction(110, {"b"});
  transaction(120, {"c"});
  transaction(130, {"d"});
  deliver();
  listener.wait_durable(135);
  EXPECT_THAT(listener.replays(), IsEmpty());
  EXPECT_THAT(listener.durables(), ElementsAre(115, 135));
  EXPECT_EQ(plugin->count("write first last 110"), 1u);
  EXPECT_EQ(plugin->count("write first last 120"), 2u);
  EXPECT_EQ(plugin->count("write first last 130"), 2u);
}

TEST_F(Reopen, LargeTransactionIsFlushedThoughTheQueueNeverRunsDry) {
  options.window_bytes = 100'000;
  start();
  too_large(100);
  commit(100);
  deliver();
  // From now on a new transaction is there whenever one is written.
  base::Lsn next = 110;
  std::atomic<bool> enough{false};
  std::thread reader([&] {
    while (!enough) {
      transaction(next);
      deliver();
      next += 10;
      if (next > 200'000) break;
    }
  });
  listener.wait_durable(105);
  enough = true;
  reader.join();
}

TEST_F(Reopen, AbortAfterTheWindowWasDroppedNeedsNoReplayWhenNothingElseIsMissing) {
  options.window_bytes = 100'000;
  start();
  too_large(100);
  runner().abort();
  feed.assembler.reset();
  feed.announce();
  plugin->answer("write", {WALSPOUT_REOPEN, "lost"});
  transaction(100, {"again"});
  deliver();
  listener.wait_durable(105);
  EXPECT_THAT(listener.replays(), IsEmpty());
}

TEST_F(Reopen, AtALowerPositionThanItHadReportedIsLostData) {
  keep_position();
  plugin->set_stored(50);
  start();
  transaction(0x100);
  deliver();
  listener.wait_durable(0x105);
  plugin->answer("write", {.status = WALSPOUT_REOPEN, .text = "lost", .meanwhile = [this] {
                             plugin->set_stored(50);
                           }});
  transaction(0x110);
  deliver();
  EXPECT_EQ(failure(),
            "sink s: reopened at 0/32, but had called 0/105 durable; its target lost data: copy it "
            "anew");
}

TEST_F(Reopen, AtALowerPositionThanItBeganWithIsLostData) {
  keep_position();
  plugin->set_stored(0x50);
  plugin->answer("write", {.status = WALSPOUT_REOPEN, .text = "lost", .meanwhile = [this] {
                             plugin->set_stored(0);
                           }});
  start(0x50);
  transaction(0x100);
  deliver();
  EXPECT_THAT(failure(), HasSubstr("reopened at 0/0, but had called 0/50 durable"));
}

TEST_F(Reopen, AtAPositionItWasNeverGivenIsAnotherTarget) {
  keep_position();
  plugin->set_stored(0x50);
  plugin->answer("write", {.status = WALSPOUT_REOPEN, .text = "lost", .meanwhile = [this] {
                             plugin->set_stored(0x900);
                           }});
  start(0x50);
  transaction(0x100);
  deliver();
  EXPECT_THAT(failure(), HasSubstr("reopened at 0/900, but was given only 0/105"));
}

TEST_F(Reopen, MayFindTheTransactionDurableWhoseAnswerWasLost) {
  keep_position();
  plugin->set_stored(50);
  plugin->answer("write", {.status = WALSPOUT_REOPEN, .text = "lost", .meanwhile = [this] {
                             plugin->set_stored(105);
                           }});
  start();
  transaction(100);
  deliver();
  listener.wait_durable(105);
  EXPECT_EQ(end(), "");
  EXPECT_EQ(plugin->count("write"), 1u);
  EXPECT_THAT(listener.durables(), ElementsAre(105));
}

}  // namespace
}  // namespace walspout::sink
