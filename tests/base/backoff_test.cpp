#include "base/backoff.hpp"

#include <gtest/gtest.h>

namespace walspout::base {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, StaysBetweenBaseAndTheDoubledBaseAndTheCap) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    Backoff backoff(milliseconds(200), milliseconds(3000), seed);
    milliseconds top(200);
    for (int i = 0; i < 200; ++i) {
      const milliseconds delay = backoff.next();
      ASSERT_GE(delay, milliseconds(200));
      ASSERT_LE(delay, top) << "attempt " << i;
      top = std::min(top * 2, milliseconds(3000));
    }
  }
}

TEST(Backoff, FirstDelayIsTheBase) {
  EXPECT_EQ(Backoff(milliseconds(70), milliseconds(1000), 1).next(), milliseconds(70));
}

TEST(Backoff, ReachesBeyondHalfOfTheCap) {
  Backoff backoff(milliseconds(1), milliseconds(1000), 7);
  milliseconds most(0);
  for (int i = 0; i < 200; ++i) most = std::max(most, backoff.next());
  EXPECT_GT(most, milliseconds(500));
}

TEST(Backoff, ResetBeginsAgainAtTheBase) {
  Backoff backoff(milliseconds(10), milliseconds(10000), 3);
  for (int i = 0; i < 10; ++i) backoff.next();
  EXPECT_EQ(backoff.failures(), 10);
  backoff.reset();
  EXPECT_EQ(backoff.failures(), 0);
  EXPECT_EQ(backoff.next(), milliseconds(10));
}

TEST(Backoff, CapBelowTheBaseGivesTheBase) {
  Backoff backoff(milliseconds(500), milliseconds(100), 3);
  for (int i = 0; i < 30; ++i) EXPECT_EQ(backoff.next(), milliseconds(500));
}

TEST(Backoff, LargeBaseDoesNotOverflow) {
  Backoff backoff(std::chrono::hours(1), std::chrono::hours(2), 3);
  for (int i = 0; i < 100; ++i) {
    const auto delay = backoff.next();
    ASSERT_GE(delay, std::chrono::hours(1));
    ASSERT_LE(delay, std::chrono::hours(2));
  }
}

}  // namespace
}  // namespace walspout::base
