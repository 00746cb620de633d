#include <gtest/gtest.h>
#include <poll.h>

#include <thread>

#include "base/memory_budget.hpp"

namespace walspout::base {
namespace {

bool rung(const Wake& wake, int timeout_ms = 0) {
  pollfd fd{wake.fd(), POLLIN, 0};
  return poll(&fd, 1, timeout_ms) == 1;
}

TEST(Wake, IsReadableOnceRungUntilItIsCleared) {
  Wake wake;
  EXPECT_FALSE(rung(wake));
  wake.ring();
  wake.ring();
  EXPECT_TRUE(rung(wake));
  EXPECT_TRUE(rung(wake)) << "a look must not clear it";
  wake.clear();
  EXPECT_FALSE(rung(wake));
  wake.clear();  // of a quiet one: does not block
}

TEST(MemoryBudget, IsExhaustedFromTheLimitOn) {
  Wake wake;
  MemoryBudget budget(100, wake);
  budget.take(99);
  EXPECT_FALSE(budget.exhausted());
  budget.take(1);
  EXPECT_TRUE(budget.exhausted());
  EXPECT_EQ(budget.used(), 100u);
}

TEST(MemoryBudget, RingsOnlyWhenUseFallsBelowTheLimit) {
  Wake wake;
  MemoryBudget budget(100, wake);
  budget.take(250);
  budget.give_back(100);
  EXPECT_FALSE(rung(wake)) << "still exhausted";
  budget.give_back(60);
  EXPECT_TRUE(rung(wake));
  wake.clear();
  budget.give_back(90);
  EXPECT_FALSE(rung(wake)) << "was not exhausted";
}

TEST(MemoryBudget, OnePieceMayOvershoot) {
  Wake wake;
  MemoryBudget budget(100, wake);
  budget.take(1'000'000);
  budget.give_back(1'000'000);
  EXPECT_FALSE(budget.exhausted());
  EXPECT_TRUE(rung(wake));
}

TEST(MemoryBudget, WakesAReaderThatWaitsHoweverItsUsersRace) {
  Wake wake;
  MemoryBudget budget(64, wake);
  constexpr int kPieces = 20'000;
  std::atomic<int> taken{0}, given{0};
  const auto user = [&] {
    while (given.load() < kPieces) {
      int seen = given.load();
      if (seen < taken.load() && given.compare_exchange_strong(seen, seen + 1))
        budget.give_back(16);
    }
  };
  std::thread one(user), two(user);
  while (taken.load() < kPieces) {
    wake.clear();
    if (budget.exhausted()) {
      ASSERT_TRUE(rung(wake, 20'000)) << "exhausted for ever at " << taken.load();
      continue;
    }
    budget.take(16);
    taken.fetch_add(1);
  }
  one.join();
  two.join();
  EXPECT_EQ(budget.used(), 0u);
}

}  // namespace
}  // namespace walspout::base
