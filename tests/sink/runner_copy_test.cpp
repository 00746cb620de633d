// Copies of tables between the transactions of the stream, and the host's state that tells how far
// they are.
#include "runner_fake.hpp"

namespace walspout::sink {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Copying : public RunnerTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) keep_position();
  }
};

TEST_P(Copying, RowsMoveNoPosition) {
  start(50);
  copy_rows({"a", "b"});
  plugin->wait_call("flush");
  EXPECT_THAT(listener.durables(), IsEmpty());
  EXPECT_EQ(plugin->count("write first last 500..500 @0: 0 insert t (1, a); 1 insert t (1, b)"),
            1u);
  runner().advance(600);
  listener.wait_durable(600);
}

TEST_P(Copying, TransactionsOfTheStreamComeInBetween) {
  start(50);
  copy_rows({"a"});
  feed.announce();
  transaction(510);
  deliver();
  copy_rows({"b"}, 520);
  listener.wait_durable(515);
  EXPECT_EQ(plugin->count("write first last 520..520 @0: 0 insert t (1, b)"), 1u);
}

TEST_P(Copying, NewStateIsStoredThoughThePositionIsTheOldOne) {
  start(50);
  runner().advance(60);
  listener.wait_durable(60);
  EXPECT_EQ(listener.stored_state(), 1u);
  copy_rows({"a"});
  runner().host_state({"half", 2});
  runner().advance(60);
  while (listener.stored_state() != 2) std::this_thread::yield();
  EXPECT_EQ(plugin->count("write first last 60..60 @60[half]:"), GetParam() ? 1u : 0u);
}

TEST_P(Copying, RowsThatMayBeLostGoBackToTheStoredState) {
  start(50);
  runner().advance(60);
  listener.wait_durable(60);
  plugin->answer("write", {WALSPOUT_REOPEN, "lost"});
  copy_rows({"a"});
  runner().host_state({"half", 2});
  listener.wait_replay();
  EXPECT_THAT(listener.replays(), ElementsAre(60));
  EXPECT_EQ(listener.stored_state(), 1u);
  copy_rows({"still on its way"});
  runner().restarted(false);
  runner().host_state({"again", 3});
  copy_rows({"a again"}, 600);
  runner().advance(600);
  listener.wait_durable(600);
  EXPECT_EQ(listener.stored_state(), 3u);
  EXPECT_EQ(plugin->count("open"), 1u);
}

TEST_P(Copying, RowsBehindWhichAPositionIsDurableAreSafe) {
  start(50);
  copy_rows({"a"});
  runner().advance(600);
  listener.wait_durable(600);
  plugin->answer("write", {WALSPOUT_REOPEN, "lost"});
  feed.announce();
  transaction(610);
  deliver();
  listener.wait_durable(615);
  EXPECT_THAT(listener.replays(), IsEmpty());
}

TEST_P(Copying, RowThatCannotBeAppliedEndsTheCopyAlone) {
  plugin->answer("write", {WALSPOUT_POISON, "too large", 500, 0});
  start(50);
  copy_rows({"a"});
  copy_rows({"b"});
  listener.wait_failed_copy();
  EXPECT_THAT(listener.failed_copies(), ElementsAre("7: too large"));
  feed.announce();
  transaction(510);
  deliver();
  listener.wait_durable(515);
  EXPECT_EQ(plugin->count("write first last 500..500 @0: 0 insert t (1, b)"), 0u);
}

TEST_P(Copying, RowThatAFlushNamesEndsTheCopyAlone) {
  start(50);
  Answer poison{WALSPOUT_POISON, "refused", 500, 0};
  poison.copy_id = 7;
  plugin->answer("flush", poison);
  copy_rows({"a"});
  listener.wait_failed_copy();
  EXPECT_THAT(listener.failed_copies(), ElementsAre("7: refused"));
  listener.wait_replay();
  runner().restarted(false);
  plugin->clear();
  copy_rows({"a again"});
  feed.announce();
  transaction(510);
  deliver();
  listener.wait_durable(515);
  EXPECT_EQ(plugin->count("write first last 500"), 0u);
}

INSTANTIATE_TEST_SUITE_P(Sink, Copying, testing::Bool(), [](const auto& info) {
  return info.param ? "WithItsPosition" : "WithoutAPosition";
});

TEST_F(RunnerTest, SinkThatIsBegunBelowItsPositionMayStillReportThat) {
  // As with a new slot of a server that was restored from a backup.
  keep_position();
  plugin->set_stored(900, "old");
  start(50);
  copy_rows({"a"});
  plugin->wait_call("flush");
  EXPECT_THAT(listener.durables(), IsEmpty());
  runner().advance(500);
  listener.wait_durable(500);
  EXPECT_THAT(listener.durables(), ElementsAre(500));
}

TEST_F(RunnerTest, PositionWaitsForASinkThatTakesItsTime) {
  keep_position();
  start(50);
  plugin->answer("flush", {.durable = 0});
  plugin->answer("flush", {.durable = 0});
  runner().advance(500);
  listener.wait_durable(500);
  EXPECT_EQ(plugin->count("flush"), 3u);
  EXPECT_THAT(listener.durables(), ElementsAre(500));
}

}  // namespace
}  // namespace walspout::sink
