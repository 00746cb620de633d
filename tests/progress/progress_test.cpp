#include "progress/progress.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace walspout::progress {
namespace {

TEST(Progress, ConfirmsTheLeastOfAllSinks) {
  Progress progress(3);
  progress.start(0, 100);
  progress.start(1, 100);
  progress.start(2, 100);
  EXPECT_EQ(progress.confirmed(), 100u);
  progress.durable(0, 300);
  progress.durable(1, 200);
  EXPECT_EQ(progress.confirmed(), 100u);
  progress.durable(2, 250);
  EXPECT_EQ(progress.confirmed(), 200u);
  EXPECT_EQ(progress.durable(0), 300u);
}

TEST(Progress, ConfirmsNothingBeforeEverySinkHasStarted) {
  Progress progress(2);
  progress.start(0, 100);
  progress.durable(0, 200);
  EXPECT_EQ(progress.confirmed(), 0u);
}

TEST(Progress, PositionsOfASinkOnlyGrow) {
  Progress progress(1);
  progress.durable(0, 200);
  progress.durable(0, 150);
  EXPECT_EQ(progress.durable(0), 200u);
}

TEST(Progress, ConfirmedNeverDecreasesThoughASinkStartsAnew) {
  Progress progress(1);
  progress.durable(0, 200);
  EXPECT_EQ(progress.confirmed(), 200u);
  progress.start(0, 0);
  EXPECT_EQ(progress.durable(0), 0u);
  EXPECT_EQ(progress.confirmed(), 200u);
  progress.durable(0, 100);
  EXPECT_EQ(progress.confirmed(), 200u);
  progress.durable(0, 300);
  EXPECT_EQ(progress.confirmed(), 300u);
}

TEST(Progress, WithoutSinksConfirmsNothing) { EXPECT_EQ(Progress(0).confirmed(), 0u); }

TEST(Progress, NeverConfirmsBeyondASinkWhileAllReport) {
  Progress progress(2);
  std::atomic<bool> done{false};
  const auto report = [&](std::size_t sink) {
    for (base::Lsn at = 1; at <= 20'000; ++at) progress.durable(sink, at);
  };
  std::thread one(report, 0), two(report, 1);
  std::thread watcher([&] {
    base::Lsn last = 0;
    while (!done) {
      const base::Lsn confirmed = progress.confirmed();
      ASSERT_GE(confirmed, last);
      ASSERT_LE(confirmed, progress.durable(0));
      ASSERT_LE(confirmed, progress.durable(1));
      last = confirmed;
    }
  });
  one.join();
  two.join();
  done = true;
  watcher.join();
  EXPECT_EQ(progress.confirmed(), 20'000u);
}

}  // namespace
}  // namespace walspout::progress
