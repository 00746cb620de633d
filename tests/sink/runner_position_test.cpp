// Positions: what is called durable, and how a sink follows without changes.
#include "runner_fake.hpp"

namespace walspout::sink {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Position : public RunnerTest {};

TEST_F(Position, AdvanceOfASinkThatKeepsItIsAnEmptyBatchAndAFlush) {
  keep_position();
  plugin->set_stored(50);
  start();
  runner().advance(200);
  listener.wait_durable(200);
  EXPECT_THAT(plugin->calls(), ElementsAre("write first last 200..200 @200[state]:", "flush"));
}

TEST_F(Position, AdvanceOfASinkWithoutOneAsksItNothing) {
  start();
  runner().advance(200);
  listener.wait_durable(200);
  EXPECT_THAT(plugin->calls(), IsEmpty());
}

TEST_F(Position, AdvanceMakesDurableWhatWasAcceptedBefore) {
  runner().begin(50, {"", 1});
  transaction(100);
  deliver();
  runner().advance(200);
  runner().start();  // all of it is in the queue by now
  listener.wait_durable(200);
  EXPECT_EQ(plugin->count("flush"), 1u);
}

TEST_F(Position, AdvanceWaitsForASinkThatTakesItsTime) {
  start();
  for (int i = 0; i < 3; ++i) plugin->answer("flush", {.durable = 0});
  transaction(100);
  deliver();
  runner().advance(200);
  listener.wait_durable(200);
  EXPECT_EQ(plugin->count("flush"), 4u);
  EXPECT_THAT(listener.durables(), ElementsAre(105, 200)) << "nothing before it was true";
}

TEST_F(Position, AdvanceWaitsForASinkThatKeepsItAndTakesItsTime) {
  keep_position();
  plugin->set_stored(50);
  start();
  plugin->answer("flush", {.durable = 50});
  plugin->answer("flush", {.durable = 105});
  transaction(100);
  deliver();
  runner().advance(200);
  listener.wait_durable(200);
  EXPECT_THAT(listener.durables().front(), 105u);
}

TEST_F(Position, AdvanceIsRepeatedWhenTheSinkIsReopened) {
  keep_position();
  plugin->set_stored(50);
  start();
  plugin->answer("write", {WALSPOUT_RETRY, "busy"});
  plugin->answer("write", {WALSPOUT_REOPEN, "lost"});
  plugin->answer("flush", {WALSPOUT_REOPEN, "lost"});
  runner().advance(200);
  listener.wait_durable(200);
  EXPECT_THAT(listener.durables(), testing::Each(200u));
  EXPECT_EQ(plugin->count("write"), 4u);
}

TEST_F(Position, AdvanceThatIsNoNewsDoesNothing) {
  start();
  transaction(100);
  deliver();
  listener.wait_durable(105);
  plugin->clear();
  runner().advance(105);
  transaction(110);
  deliver();
  listener.wait_durable(115);
  EXPECT_EQ(plugin->count("flush"), 1u);
}

TEST_F(Position, NothingLowerThanAnAdvanceIsReportedAfterIt) {
  // What is reported is stored for a sink without a position: a lower one would be behind the slot.
  start();
  transaction(100);
  deliver();
  listener.wait_durable(105);
  runner().advance(200);
  listener.wait_durable(200);
  plugin->answer("flush", {.durable = 105});
  transaction(210);
  deliver();
  listener.wait_durable(215);
  EXPECT_THAT(listener.durables(), ElementsAre(105, 200, 215));
}

TEST_F(Position, PartOfWhatWasAcceptedMayBeDurable) {
  plugin->answer("flush", {.durable = 105});
  start();
  transaction(100);
  transaction(110);
  deliver();
  listener.wait_durable(115);
  EXPECT_THAT(listener.durables(), ElementsAre(105, 115));
}

TEST_F(Position, MoreDurableThanWasGivenIsAFaultOfThePlugin) {
  plugin->answer("flush", {.durable = 0x106});
  start();
  transaction(0x100);
  deliver();
  EXPECT_EQ(failure(),
            "sink s: plugin fake calls 0/106 durable, but was given only 0/105; this is a fault of "
            "the plugin");
  EXPECT_THAT(listener.durables(), IsEmpty());
}

TEST_F(Position, UnfinishedTransactionCannotBeDurable) {
  keep_position();
  plugin->set_stored(50);
  start();
  plugin->answer("flush", {.durable = 115});
  transaction(100);
  deliver();
  EXPECT_THAT(failure(), HasSubstr("a fault of the plugin"));
}

TEST_F(Position, HostStateGoesWithTheFirstPositionOnly) {
  start();
  transaction(100);
  transaction(110);
  deliver();
  listener.wait_durable(115);
  EXPECT_EQ(plugin->count("write first last 100..105 @105[state]"), 1u);
  EXPECT_EQ(plugin->count("write first last 110..115 @115:"), 1u);
}

TEST_F(Position, HostStateComesAgainWhenTheSinkMayHaveLostIt) {
  start();
  plugin->answer("write", {});
  plugin->answer("write", {WALSPOUT_REOPEN, "lost"});
  transaction(100);
  transaction(110);
  deliver();
  listener.wait_durable(115);
  EXPECT_EQ(plugin->count("write first last 100..105 @105[state]"), 2u);
}

}  // namespace
}  // namespace walspout::sink
