// Clients that do not keep to the protocol: they get an error or nothing, are handed to no handler,
// and hold nobody up.
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <random>

#include "control/client.hpp"
#include "control/server.hpp"
#include "raw_client.hpp"

namespace walspout::control {
namespace {

using Clock = std::chrono::steady_clock;

class HostileClient : public testing::Test {
 protected:
  std::string answer_to(std::string_view bytes) {
    const RawClient client(folder_.path());
    client.send(bytes);
    client.finish();
    return client.rest();
  }
  // A well-mannered client is served at once.
  void expect_served() {
    const auto begin = Clock::now();
    EXPECT_TRUE(Client::call(folder_.path(), {"ping"}).ok);
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(2));
  }

  StateFolder folder_;
  std::atomic<int> handled_ = 0;
  Server server_{folder_.path(), [this](const std::vector<std::string>& words) -> Reply {
                   if (words[0] != "ping") ++handled_;
                   return {};
                 }};
};

TEST_F(HostileClient, ALineThatIsCutOffIsNoRequest) {
  EXPECT_EQ(answer_to("resync public.orders"), "");
  EXPECT_EQ(handled_, 0);
  expect_served();
}

TEST_F(HostileClient, OneThatSendsNothingGetsNothing) {
  EXPECT_EQ(answer_to(""), "");
  expect_served();
}

TEST_F(HostileClient, AnEmptyLineIsAnError) {
  EXPECT_EQ(answer_to("\n"), "error the request is empty\nend\n");
}

TEST_F(HostileClient, BytesThatAreNotEncodedAreAnError) {
  constexpr const char* kAnswer = "error the request is not in percent-encoded words\nend\n";
  EXPECT_EQ(answer_to("resync \xff\n"), kAnswer);
  EXPECT_EQ(answer_to(std::string_view("resync \0\n", 9)), kAnswer);
  EXPECT_EQ(answer_to("resync %zz\n"), kAnswer);
  EXPECT_EQ(answer_to("resync %\n"), kAnswer);
  EXPECT_EQ(answer_to("resync\r\n"), kAnswer);
  EXPECT_EQ(handled_, 0);
}

TEST_F(HostileClient, TwoRequestsOnOneConnectionAreAnErrorAndNeitherIsDone) {
  EXPECT_EQ(answer_to("resync\nresync\n"),
            "error one connection is one request; connect again for another\nend\n");
  EXPECT_EQ(handled_, 0);
}

TEST_F(HostileClient, ARequestThatIsTooLongIsAnErrorAndNotKept) {
  const std::string answer = "error the request is longer than 1 MiB; ask for less at once\nend\n";
  EXPECT_EQ(answer_to(std::string(kLongestRequest, 'x') + '\n'), answer);
  EXPECT_EQ(answer_to(std::string(3 * kLongestRequest, 'x')), answer);
  EXPECT_EQ(handled_, 0);
  expect_served();
}

TEST_F(HostileClient, TheLongestRequestIsTaken) {
  EXPECT_EQ(answer_to(std::string(kLongestRequest - 1, 'x') + '\n'), "ok\nend\n");
  EXPECT_EQ(handled_, 1);
}

TEST_F(HostileClient, ARequestInSingleBytesIsTaken) {
  const RawClient client(folder_.path());
  for (const char c : std::string("resync%20a b\n")) client.send({&c, 1});
  EXPECT_EQ(client.rest(), "ok\nend\n");
}

TEST_F(HostileClient, GarbageHurtsNobody) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    std::string bytes(random() % 3000, ' ');
    for (char& c : bytes) c = static_cast<char>(random() % 256);
    const std::string answer = answer_to(bytes);
    EXPECT_TRUE(answer.empty() || answer.starts_with("error ") || answer.starts_with("ok\n"))
        << answer;
  }
  expect_served();
}

TEST_F(HostileClient, OneThatGoesAwayBeforeItsAnswerHurtsNobody) {
  for (int round = 0; round < 50; ++round) RawClient(folder_.path()).send("resync\n");
  expect_served();
}

TEST_F(HostileClient, ASilentOneHoldsNobodyUpAndIsDroppedAfterItsTime) {
  const auto begin = Clock::now();
  const RawClient silent(folder_.path());
  const RawClient half(folder_.path());
  half.send("resync public.a");
  expect_served();
  EXPECT_EQ(silent.rest(), "");
  EXPECT_EQ(half.rest(), "");
  const auto took = Clock::now() - begin;
  EXPECT_GE(took, kRequestTime);
  EXPECT_LT(took, kRequestTime * 3);
  EXPECT_EQ(handled_, 0);
}

TEST_F(HostileClient, ManySilentOnesHoldNobodyUp) {
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 300; ++i) {
    silent.push_back(std::make_unique<RawClient>(folder_.path()));
    if (i % 50 == 0) expect_served();
  }
  expect_served();
}

TEST(HostileReader, OneThatDoesNotTakeItsAnswerHoldsNobodyUpAndIsDropped) {
  const StateFolder folder;
  const Server server(folder.path(), [](const std::vector<std::string>& words) -> Reply {
    if (words[0] == "ping") return {};
    return {true, std::vector<std::string>(200, std::string(100'000, 'x'))};
  });
  const auto begin = Clock::now();
  const RawClient slow(folder.path());
  slow.send("large\n");
  EXPECT_TRUE(Client::call(folder.path(), {"ping"}).ok);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(2));
  // Without reading anything: the other side has closed.
  pollfd hung_up{slow.fd(), 0, 0};
  EXPECT_EQ(::poll(&hung_up, 1, 30'000), 1);
  const auto took = Clock::now() - begin;
  EXPECT_GE(took, kAnswerTime);
  EXPECT_LT(took, kAnswerTime * 3);
  EXPECT_FALSE(slow.rest().ends_with("end\n"));
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A listener that cannot accept stays readable: polled on, it would burn a processor.
TEST(HostileMachine, TheServerWaitsQuietlyWhileThereAreNoDescriptors) {
  const StateFolder folder;
  const Server server(folder.path(), [](const auto&) -> Reply { return {}; });
  const RawClient client(folder.path(), RawClient::Later{});
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const double cpu = cpu_seconds();
  client.connect();
  client.send("ping\n");
  pollfd answered{client.fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&answered, 1, 500), 0);
  EXPECT_LT(cpu_seconds() - cpu, 0.25);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(client.rest(), "ok\nend\n");
}

}  // namespace
}  // namespace walspout::control
