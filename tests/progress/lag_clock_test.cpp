#include "progress/lag_clock.hpp"

#include <gtest/gtest.h>

namespace walspout::progress {
namespace {

using namespace std::chrono_literals;
using Clock = LagClock::Clock;

constexpr Clock::time_point kBegin{24h};

TEST(LagClock, NothingIsBehindWhatIsNotThere) {
  LagClock lag;
  EXPECT_FALSE(lag.behind(0, kBegin));
  lag.received(100, kBegin);
  EXPECT_FALSE(lag.behind(100, kBegin + 1h));
  EXPECT_FALSE(lag.behind(101, kBegin + 1h));
}

TEST(LagClock, TheOldestThatIsMissingCounts) {
  LagClock lag;
  lag.received(100, kBegin);
  lag.received(200, kBegin + 2s);
  lag.received(300, kBegin + 4s);
  EXPECT_EQ(lag.behind(50, kBegin + 10s), 10s);
  EXPECT_EQ(lag.behind(100, kBegin + 10s), 8s);
  EXPECT_EQ(lag.behind(250, kBegin + 10s), 6s);
}

TEST(LagClock, APositionKeepsTheTimeAtWhichItCame) {
  LagClock lag;
  lag.received(100, kBegin);
  for (int second = 1; second < 5000; ++second)
    lag.received(100, kBegin + std::chrono::seconds(second));
  EXPECT_EQ(lag.behind(99, kBegin + 5000s), 5000s);
}

TEST(LagClock, AWeekIsKeptInLittleMemoryToAHundredth) {
  LagClock lag;
  constexpr int kWeek = 7 * 24 * 3600;
  for (int second = 0; second <= kWeek; ++second)
    lag.received(static_cast<base::Lsn>(second) + 1, kBegin + std::chrono::seconds(second));
  for (const int age : {5, 60, 3600, 24 * 3600, kWeek - 1}) {
    const auto behind =
        lag.behind(static_cast<base::Lsn>(kWeek - age), kBegin + std::chrono::seconds(kWeek));
    ASSERT_TRUE(behind);
    const double seconds = std::chrono::duration<double>(*behind).count();
    EXPECT_LE(seconds, age);
    EXPECT_GE(seconds, age * 0.97 - 2) << age;
  }
}

}  // namespace
}  // namespace walspout::progress
