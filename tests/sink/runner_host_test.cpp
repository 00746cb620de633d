// walspout_host: what a sink may ask of the host, from any thread.
#include <thread>

#include "runner_fake.hpp"

namespace walspout::sink {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(RunnerTest, WakeAsksForAFlushThoughNothingIsOpen) {
  start();
  transaction(100);
  deliver();
  listener.wait_durable(105);
  plugin->clear();
  std::thread background([this] { plugin->host().wake(plugin->host().ctx); });
  background.join();
  plugin->wait_call("flush");
  EXPECT_THAT(listener.durables(), ElementsAre(105));
}

TEST_F(RunnerTest, WakeBringsTheFailureOfTheBackgroundToLight) {
  start();
  transaction(100);
  deliver();
  listener.wait_durable(105);
  plugin->clear();
  plugin->answer("flush", {WALSPOUT_REOPEN, "the connection was lost"});
  plugin->host().wake(plugin->host().ctx);
  plugin->wait_call("open");
  EXPECT_EQ(end(), "");
}

TEST_F(RunnerTest, WakeWithinACallIsNotLost) {
  start();
  plugin->answer("flush", {.meanwhile = [this] { plugin->host().wake(plugin->host().ctx); }});
  transaction(100);
  deliver();
  plugin->wait_call("flush", 2);
}

TEST_F(RunnerTest, WakeInTheMiddleOfATransactionWaitsForItsEnd) {
  start();
  begin(100);
  row();
  deliver();
  plugin->wait_call("write");
  plugin->host().wake(plugin->host().ctx);
  row();
  deliver();
  plugin->wait_call("write", 2);
  EXPECT_EQ(plugin->count("flush"), 0u);
  commit(100);
  deliver();
  listener.wait_durable(105);
}

TEST_F(RunnerTest, DurableAsksForAFlush) {
  start();
  plugin->answer("flush", {.durable = 0});
  transaction(100);
  deliver();
  plugin->wait_call("flush");
  plugin->host().durable(plugin->host().ctx, 105);
  listener.wait_durable(105);
}

TEST(HostFunctions, WaitEndsEarlyWhenStopped) {
  HostFunctions host("s", [] {});
  EXPECT_EQ(host.abi().wait_ms(host.abi().ctx, 0), 1);
  EXPECT_EQ(host.abi().wait_ms(host.abi().ctx, 1), 1);
  std::thread stopper([&] { host.stop(); });
  EXPECT_EQ(host.abi().wait_ms(host.abi().ctx, 3'600'000), 0);
  stopper.join();
  EXPECT_EQ(host.abi().wait_ms(host.abi().ctx, 3'600'000), 0);
  EXPECT_TRUE(host.stopping());
}

TEST(HostFunctions, CountsAndGaugesAreKeptByName) {
  HostFunctions host("s", [] {});
  const walspout_host& abi = host.abi();
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) abi.count(abi.ctx, "rows", 2);
  });
  for (int i = 0; i < 1000; ++i) abi.count(abi.ctx, "rows", 1);
  other.join();
  abi.gauge(abi.ctx, "depth", 7);
  abi.gauge(abi.ctx, "depth", 2.5);
  EXPECT_EQ(host.metrics(), (std::map<std::string, double>{{"rows", 3000}, {"depth", 2.5}}));
}

TEST(HostFunctions, ClockIsThatOfTheSystem) {
  const HostFunctions host("s", [] {});
  const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  const auto told = host.abi().now_us(host.abi().ctx);
  EXPECT_GE(told, now);
  EXPECT_LT(told, now + 60'000'000);
}

}  // namespace
}  // namespace walspout::sink
