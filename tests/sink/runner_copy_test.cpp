// A copy: rows without a position, which counts as a whole from its end on.
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
  void start_copy() {
    start(0);
    runner().begin(0, "state", true);
  }
};

TEST_P(Copying, CountsFromItsEnd) {
  start_copy();
  copy_rows({"a", "b"});
  plugin->wait_call("flush");
  EXPECT_THAT(listener.durables(), IsEmpty());
  copy_rows({"c"});
  runner().advance(500);
  listener.wait_durable(500);
  EXPECT_THAT(listener.durables(), ElementsAre(500));
  EXPECT_EQ(plugin->count("write first last 500..500 @0: 0 insert t (1, a); 1 insert t (1, b)"),
            1u);
  EXPECT_EQ(plugin->count("write first last 500..500 @500[state]:"), GetParam() ? 1u : 0u);
}

TEST_P(Copying, IsFollowedByTheStream) {
  start_copy();
  copy_rows({"a"});
  runner().advance(500);
  feed.announce();
  transaction(510);
  deliver();
  listener.wait_durable(515);
  EXPECT_THAT(listener.durables().front(), 500u);
}

TEST_P(Copying, OfNoRowsCountsAsWell) {
  start_copy();
  runner().advance(500);
  listener.wait_durable(500);
}

TEST_P(Copying, IsRepeatedAsAWhole) {
  plugin->answer("write", {});
  plugin->answer("write", {WALSPOUT_REOPEN, "lost"});
  start_copy();
  copy_rows({"a"});
  copy_rows({"b"});
  listener.wait_replay();
  EXPECT_THAT(listener.replays(), ElementsAre(0));
  copy_rows({"c"});       // still on its way
  runner().advance(500);  // the copier had come to its end
  runner().restarted(true);
  runner().begin(0, "state", true);
  copy_rows({"a again"}, 600);
  runner().advance(600);
  listener.wait_durable(600);
  EXPECT_THAT(listener.durables(), ElementsAre(600));
  EXPECT_EQ(plugin->count("open"), 2u);
}

TEST_P(Copying, ThatIsLostByItsLastFlushIsRepeated) {
  start_copy();
  copy_rows({"a"});
  plugin->wait_call("flush");
  plugin->answer("flush", {WALSPOUT_REOPEN, "lost"});
  copy_rows({"b"});
  runner().advance(500);
  listener.wait_replay();
  EXPECT_THAT(listener.durables(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Sink, Copying, testing::Bool(), [](const auto& info) {
  return info.param ? "WithItsPosition" : "WithoutAPosition";
});

TEST_F(RunnerTest, SinkThatIsCopiedAnewMayStillReportItsOldPosition) {
  // As with a temporary slot: whatever the sink had stored is of an earlier one.
  keep_position();
  plugin->set_stored(300, "old");
  start(0);
  runner().begin(0, "state", true);
  copy_rows({"a"});
  plugin->wait_call("flush");
  EXPECT_THAT(listener.durables(), IsEmpty());
  runner().advance(500);
  listener.wait_durable(500);
  EXPECT_THAT(listener.durables(), ElementsAre(500));
}

TEST_F(RunnerTest, SinkWithoutAPositionMayReportTheOldOneAsWell) {
  plugin->set_stored(300);
  start(0);
  runner().begin(0, "state", true);
  copy_rows({"a"});
  plugin->wait_call("flush");
  runner().advance(500);
  listener.wait_durable(500);
  EXPECT_THAT(listener.durables(), ElementsAre(500));
}

TEST_F(RunnerTest, EndOfACopyWaitsForASinkThatTakesItsTime) {
  keep_position();
  start(0);
  runner().begin(0, "state", true);
  plugin->answer("flush", {.durable = 0});
  plugin->answer("flush", {.durable = 0});
  runner().advance(500);
  listener.wait_durable(500);
  EXPECT_EQ(plugin->count("flush"), 3u);
  EXPECT_THAT(listener.durables(), ElementsAre(500));
}

}  // namespace
}  // namespace walspout::sink
