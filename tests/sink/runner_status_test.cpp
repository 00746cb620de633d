// What each status makes the runner do; reopen has a file of its own.
#include "runner_fake.hpp"

namespace walspout::sink {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(RunnerTest, RetryRepeatsTheSameWrite) {
  plugin->answer("write", {WALSPOUT_RETRY, "busy"});
  plugin->answer("write", {WALSPOUT_RETRY, "still busy"});
  start();
  transaction(100, {"a"});
  transaction(110, {"b"});
  deliver();
  listener.wait_durable(115);
  const std::string first = "write first last 100..105 @105[state]: 0 insert t (1, a)";
  EXPECT_THAT(plugin->calls(),
              ElementsAre(first, first, first, "write first last 110..115 @115: 0 insert t (1, b)",
                          "flush"));
}

TEST_F(RunnerTest, RetryRepeatsFlushAndOpen) {
  plugin->answer("open", {WALSPOUT_RETRY, "down"});
  plugin->answer("open", {WALSPOUT_REOPEN, "down"});
  plugin->answer("flush", {WALSPOUT_RETRY, "busy"});
  runner().start();
  plugin->wait_call("open", 3);
  runner().begin(50, {"", 1});
  transaction(100);
  deliver();
  listener.wait_durable(105);
  EXPECT_EQ(plugin->count("flush"), 2u);
  EXPECT_EQ(plugin->count("write"), 1u);
}

TEST_F(RunnerTest, RetryWaitsAsLongAsTheSinkSays) {
  plugin->answer("write", {.status = WALSPOUT_RETRY, .text = "busy", .retry_after_ms = 80});
  start();
  const auto began = std::chrono::steady_clock::now();
  transaction(100);
  deliver();
  plugin->wait_call("write", 2);
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(80));
}

TEST_F(RunnerTest, ConfigStopsForTheOperator) {
  plugin->answer("write", {WALSPOUT_CONFIG, "no such folder; create it"});
  start();
  transaction(100);
  deliver();
  EXPECT_EQ(failure(), "sink s: no such folder; create it");
  EXPECT_TRUE(runner().failure().configuration);
  EXPECT_THAT(plugin->calls().back(), "close");
}

TEST_F(RunnerTest, ConfigAtOpenStopsForTheOperator) {
  plugin->answer("open", {WALSPOUT_CONFIG, "wrong password"});
  runner().start();
  EXPECT_EQ(failure(), "sink s: wrong password");
  EXPECT_TRUE(runner().failure().configuration);
}

TEST_F(RunnerTest, FatalStops) {
  plugin->answer("flush", {WALSPOUT_FATAL, "broken"});
  start();
  transaction(100);
  deliver();
  EXPECT_EQ(failure(), "sink s: broken");
  EXPECT_FALSE(runner().failure().configuration);
  EXPECT_THAT(listener.durables(), IsEmpty());
}

TEST_F(RunnerTest, UnknownStatusStops) {
  plugin->answer("write", {77, "from the future"});
  start();
  transaction(100);
  deliver();
  EXPECT_EQ(failure(), "sink s: write returned the unexpected status 77: from the future");
}

TEST_F(RunnerTest, FailureWithoutATextSaysSo) {
  plugin->answer("write", {WALSPOUT_FATAL, ""});
  start();
  transaction(100);
  deliver();
  EXPECT_EQ(failure(), "sink s: no reason given");
}

TEST_F(RunnerTest, PoisonStopsAndNamesTheChange) {
  plugin->answer("write", {WALSPOUT_POISON, "too long", 0x100, 1});
  start();
  transaction(0x100, {"a", "b"});
  deliver();
  EXPECT_EQ(failure(),
            "sink s: change 1 of the transaction at 0/100 cannot be applied: too long; mend the "
            "target, or set on_poison = \"skip\" to leave it out");
}

TEST_F(RunnerTest, PoisonIsLeftOutWhenConfigured) {
  options.on_poison = PoisonPolicy::kSkip;
  plugin->answer("write", {WALSPOUT_POISON, "bad", 100, 1});
  plugin->answer("write", {WALSPOUT_POISON, "bad", 100, 2});
  start();
  transaction(100, {"a", "b", "c", "d"});
  deliver();
  listener.wait_durable(105);
  EXPECT_THAT(plugin->calls(),
              testing::Contains("write first last 100..105 @105[state]: 0 insert t "
                                "(1, a); 3 insert t (1, d)"));
  EXPECT_EQ(plugin->count("write"), 3u);
}

TEST_F(RunnerTest, TransactionOfPoisonAloneStillMovesThePosition) {
  options.on_poison = PoisonPolicy::kSkip;
  plugin->answer("write", {WALSPOUT_POISON, "bad", 100, 0});
  start();
  transaction(100);
  deliver();
  listener.wait_durable(105);
  EXPECT_THAT(plugin->calls(), testing::Contains("write first last 100..105 @105[state]:"));
}

TEST_F(RunnerTest, PoisonFoundByFlushIsLeftOutOfTheRepetition) {
  options.on_poison = PoisonPolicy::kSkip;
  plugin->answer("flush", {WALSPOUT_POISON, "bad", 100, 0});
  start();
  transaction(100, {"a", "b"});
  transaction(110, {"c"});
  deliver();
  listener.wait_durable(115);
  EXPECT_EQ(end(), "");
  EXPECT_THAT(
      plugin->calls(),
      ElementsAre("write first last 100..105 @105[state]: 0 insert t (1, a); 1 insert t (1, b)",
                  "write first last 110..115 @115: 0 insert t (1, c)", "flush", "close", "open",
                  "write first last 100..105 @105[state]: 1 insert t (1, b)",
                  "write first last 110..115 @115: 0 insert t (1, c)", "flush", "close"));
}

TEST_F(RunnerTest, PoisonFoundByFlushStops) {
  plugin->answer("flush", {WALSPOUT_POISON, "bad", 100, 0});
  start();
  transaction(100);
  deliver();
  EXPECT_THAT(failure(), HasSubstr("cannot be applied: bad"));
  EXPECT_THAT(listener.durables(), IsEmpty());
}

TEST_F(RunnerTest, PoisonThatIsNamedAgainIsAFaultOfThePlugin) {
  options.on_poison = PoisonPolicy::kSkip;
  plugin->answer("write", {WALSPOUT_POISON, "bad", 100, 0});
  plugin->answer("write", {WALSPOUT_POISON, "bad", 100, 0});
  start();
  transaction(100);
  deliver();
  EXPECT_THAT(failure(), HasSubstr("a fault of the plugin"));
}

TEST_F(RunnerTest, ExceptionOfTheListenerStopsTheSink) {
  listener.on_durable = [](base::Lsn) { throw std::runtime_error("state.db: disk is full"); };
  start();
  transaction(100);
  deliver();
  EXPECT_EQ(failure(), "sink s: state.db: disk is full");
}

TEST_F(RunnerTest, AbortTakesBackTheUnfinishedTransaction) {
  start();
  transaction(100);
  begin(110);
  row("a");
  deliver();
  runner().abort();
  feed.assembler.reset();
  feed.announce();
  transaction(110, {"a", "b"});
  deliver();
  listener.wait_durable(115);
  EXPECT_EQ(end(), "");
  EXPECT_THAT(plugin->calls(),
              testing::IsSupersetOf({"abort",
                                     "write first last 110..115 @115: 0 insert t (1, a); "
                                     "1 insert t (1, b)"}));
  EXPECT_EQ(plugin->count("open"), 0u);
}

TEST_F(RunnerTest, AbortWithoutTheCallbackReopensAndRepeats) {
  without_abort();
  start();
  transaction(100);
  begin(110);
  row("a");
  deliver();
  runner().abort();
  listener.wait_durable(105);
  EXPECT_EQ(end(), "");
  EXPECT_THAT(
      plugin->calls(),
      ElementsAre("write first last 100..105 @105[state]: 0 insert t (1, x)",
                  "write first 110..0 @0: 0 insert t (1, a)", "close", "open",
                  "write first last 100..105 @105[state]: 0 insert t (1, x)", "flush", "close"));
}

TEST_F(RunnerTest, AbortThatFailsReopens) {
  plugin->answer("abort", {WALSPOUT_RETRY, "cannot"});
  start();
  begin(100);
  row();
  deliver();
  runner().abort();
  plugin->wait_call("open");
  EXPECT_EQ(end(), "");
  EXPECT_THAT(listener.durables(), IsEmpty());
}

TEST_F(RunnerTest, AbortThatIsFatalStops) {
  plugin->answer("abort", {WALSPOUT_FATAL, "cannot"});
  start();
  begin(100);
  row();
  deliver();
  runner().abort();
  EXPECT_EQ(failure(), "sink s: cannot");
}

TEST_F(RunnerTest, AbortBetweenTransactionsDoesNothing) {
  start();
  transaction(100);
  deliver();
  runner().abort();
  EXPECT_EQ(end(), "");
  EXPECT_EQ(plugin->count("abort"), 0u);
  EXPECT_THAT(listener.durables(), ElementsAre(105));
}

}  // namespace
}  // namespace walspout::sink
