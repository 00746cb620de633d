#include "base/queue.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace walspout::base {
namespace {

using Clock = std::chrono::steady_clock;

TEST(Queue, GivesEverythingAtOnceInOrder) {
  Queue<int> queue;
  for (int i = 0; i < 5; ++i) queue.push(i);
  std::deque<int> got;
  ASSERT_TRUE(queue.pop_all(got, Clock::now()));
  EXPECT_EQ(got, (std::deque<int>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(queue.empty());
}

TEST(Queue, AppendsToWhatIsThere) {
  Queue<std::unique_ptr<int>> queue;
  std::deque<std::unique_ptr<int>> got;
  got.push_back(std::make_unique<int>(1));
  queue.push(std::make_unique<int>(2));
  ASSERT_TRUE(queue.pop_all(got, Clock::now()));
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(*got[1], 2);
}

TEST(Queue, DeadlineEndsAWaitWithoutAnItem) {
  Queue<int> queue;
  std::deque<int> got;
  const auto deadline = Clock::now() + std::chrono::milliseconds(20);
  EXPECT_FALSE(queue.pop_all(got, deadline));
  EXPECT_GE(Clock::now(), deadline);
}

TEST(Queue, KickEndsAWaitWithoutAnItem) {
  Queue<int> queue;
  std::deque<int> got;
  std::thread kicker([&] { queue.kick(); });
  EXPECT_FALSE(queue.pop_all(got, Clock::now() + std::chrono::hours(1)));
  kicker.join();
}

TEST(Queue, KickBeforeTheWaitIsNotLost) {
  Queue<int> queue;
  std::deque<int> got;
  queue.kick();
  EXPECT_FALSE(queue.pop_all(got, Clock::now() + std::chrono::hours(1)));
  EXPECT_FALSE(queue.pop_all(got, Clock::now())) << "and it counts once";
}

TEST(Queue, ItemsOfManyThreadsAllArriveEachInItsOrder) {
  Queue<std::pair<int, int>> queue;
  constexpr int kThreads = 3, kItems = 5000;
  std::vector<std::thread> senders;
  for (int t = 0; t < kThreads; ++t) {
    senders.emplace_back([&queue, t] {
      for (int i = 0; i < kItems; ++i) queue.push({t, i});
    });
  }
  std::vector<int> next(kThreads, 0);
  int count = 0;
  while (count < kThreads * kItems) {
    std::deque<std::pair<int, int>> got;
    ASSERT_TRUE(queue.pop_all(got, Clock::now() + std::chrono::seconds(60))) << "lost a wake-up";
    for (const auto& [thread, item] : got)
      ASSERT_EQ(item, next[static_cast<std::size_t>(thread)]++);
    count += static_cast<int>(got.size());
  }
  for (std::thread& sender : senders) sender.join();
}

}  // namespace
}  // namespace walspout::base
