#include "progress/slot_outlook.hpp"

#include <gtest/gtest.h>

namespace walspout::progress {
namespace {

using std::chrono::seconds;
using Level = SlotOutlook::Level;

constexpr base::Lsn kStart = 1'000'000;
constexpr std::int64_t kAllowed = 100'000;

class SlotOutlookTest : public testing::Test {
 protected:
  // At this second the slot retains so much of what is allowed.
  void at(int second, std::uint64_t retained, bool unreserved = false) {
    SlotSample sample;
    sample.at = std::chrono::steady_clock::time_point(seconds(second));
    sample.restart = kStart;
    sample.written = kStart + retained;
    if (limited_) sample.safe = kAllowed - static_cast<std::int64_t>(retained);
    sample.unreserved = unreserved;
    outlook_.add(sample);
  }

  bool limited_ = true;
  SlotOutlook outlook_;
};

TEST_F(SlotOutlookTest, KnowsNothingBeforeItHasSeenAnything) {
  EXPECT_EQ(outlook_.retained(), 0U);
  EXPECT_FALSE(outlook_.used());
  EXPECT_EQ(outlook_.growth(), 0);
  EXPECT_FALSE(outlook_.lost_in());
  EXPECT_EQ(outlook_.level(), Level::kFine);
}

TEST_F(SlotOutlookTest, ForeseesTheLossFromTheGrowth) {
  at(0, 10'000);
  EXPECT_FALSE(outlook_.lost_in()) << "one look tells no growth";
  at(10, 20'000);
  EXPECT_EQ(outlook_.growth(), 1000);
  EXPECT_EQ(outlook_.lost_in(), seconds(80));
  EXPECT_EQ(outlook_.used(), 0.2);
}

TEST_F(SlotOutlookTest, ASlotThatKeepsUpIsNotLost) {
  at(0, 20'000);
  at(10, 20'000);
  EXPECT_EQ(outlook_.growth(), 0);
  EXPECT_FALSE(outlook_.lost_in());
  at(20, 5'000);
  EXPECT_EQ(outlook_.growth(), 0);
}

TEST_F(SlotOutlookTest, CountsOnTheLastMinutesOnly) {
  for (int second = 0; second <= 600; second += 10) at(second, 100);
  for (int second = 610; second <= 1000; second += 10)
    at(second, 100 + static_cast<std::uint64_t>(second - 600) * 10);
  EXPECT_NEAR(outlook_.growth(), 10, 0.5);
}

TEST_F(SlotOutlookTest, LevelsRiseAtHalfAndAtFourFifths) {
  at(0, 49'000);
  EXPECT_EQ(outlook_.level(), Level::kFine);
  at(10, 50'000);
  EXPECT_EQ(outlook_.level(), Level::kHalf);
  at(20, 79'999);
  EXPECT_EQ(outlook_.level(), Level::kHalf);
  at(30, 80'000);
  EXPECT_EQ(outlook_.level(), Level::kUrgent);
  at(40, 130'000);  // beyond the limit: the next checkpoint decides
  EXPECT_EQ(outlook_.level(), Level::kUrgent);
  EXPECT_EQ(outlook_.used(), 1);
  EXPECT_EQ(outlook_.lost_in(), seconds(0));
  at(50, 130'000, true);
  EXPECT_EQ(outlook_.level(), Level::kLosing);
  at(60, 10'000);
  EXPECT_EQ(outlook_.level(), Level::kFine);
}

TEST_F(SlotOutlookTest, WithoutALimitNothingIsForeseen) {
  limited_ = false;
  at(0, 10'000);
  at(10, 90'000);
  EXPECT_EQ(outlook_.growth(), 8000);
  EXPECT_FALSE(outlook_.used());
  EXPECT_FALSE(outlook_.lost_in());
  EXPECT_EQ(outlook_.level(), Level::kFine);
}

TEST_F(SlotOutlookTest, WhatTakesDecadesIsNotForeseen) {
  at(0, 0);
  at(299, 1);
  limited_ = true;
  SlotSample far;
  far.at = std::chrono::steady_clock::time_point(seconds(300));
  far.restart = kStart;
  far.written = kStart + 1;
  far.safe = std::int64_t{1} << 50;
  outlook_.add(far);
  EXPECT_FALSE(outlook_.lost_in());
}

}  // namespace
}  // namespace walspout::progress
