// What the client makes of hosts that do not answer as they should.
#include "control/client.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "control/endpoint.hpp"
#include "raw_client.hpp"

namespace walspout::control {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// Takes one connection, reads a line and says `answer`.
class FakeHost {
 public:
  FakeHost(const std::filesystem::path& folder, std::string answer, bool hang = false)
      : endpoint_(folder), listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const auto* address = reinterpret_cast<const sockaddr*>(&endpoint_.address());
    EXPECT_EQ(::bind(listener_.get(), address, sizeof(sockaddr_un)), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    if (hang) return;
    thread_ = std::thread([this, answer = std::move(answer)] {
      const Descriptor one(::accept(listener_.get(), nullptr, nullptr));
      char c = 0;
      while (::recv(one.get(), &c, 1, 0) == 1 && c != '\n') {
      }
      ::send(one.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    });
  }
  ~FakeHost() {
    if (thread_.joinable()) thread_.join();
  }
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

 private:
  Endpoint endpoint_;
  Descriptor listener_;
  std::thread thread_;
};

std::string failure(const std::filesystem::path& folder, std::chrono::milliseconds timeout) {
  try {
    Client::call(folder, {"resync"}, timeout);
  } catch (const NoHost& error) {
    return std::string("NoHost ") + error.what();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

std::string failure_of(const std::string& answer) {
  const StateFolder folder;
  const FakeHost host(folder.path(), answer);
  return failure(folder.path(), std::chrono::seconds(10));
}

TEST(ControlClient, NobodyThereIsNoHost) {
  const StateFolder folder;
  EXPECT_EQ(failure(folder.path(), std::chrono::seconds(1)),
            "NoHost " + folder.socket().string() + ": no host listens");
  EXPECT_THAT(failure(folder.path() / "none", std::chrono::seconds(1)), StartsWith("NoHost "));
}

TEST(ControlClient, AnAnswerThatIsCutOffIsNotTakenForAWholeOne) {
  for (const char* answer : {"", "o", "ok", "ok\n", "ok\npublic.a\n", "ok\nen", "ok\nend", "end\n"})
    EXPECT_THAT(failure_of(answer), HasSubstr("the host ended before it had answered")) << answer;
}

TEST(ControlClient, WhatIsNoAnswerIsSaidToBeNone) {
  EXPECT_THAT(failure_of("HTTP/1.1 400 Bad Request\nend\n"),
              EndsWith("what answers there is no walspout"));
}

TEST(ControlClient, AHostThatDoesNotAnswerIsGivenUpInTime) {
  const StateFolder folder;
  const FakeHost host(folder.path(), "", true);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(failure(folder.path(), std::chrono::milliseconds(300)),
              HasSubstr("did not answer in time, and may still do what was asked"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(ControlClient, AHostWhoseQueueIsFullIsGivenUpInTime) {
  const StateFolder folder;
  const FakeHost host(folder.path(), "", true);
  const RawClient first(folder.path());
  const RawClient second(folder.path());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(failure(folder.path(), std::chrono::milliseconds(300)),
              HasSubstr("the host does not answer; look at its log"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(ControlClient, ARequestThatIsTooLongIsNotSent) {
  const StateFolder folder;
  const FakeHost host(folder.path(), "", true);
  try {
    Client::call(folder.path(), {std::string(kLongestRequest, 'x')});
    ADD_FAILURE() << "sent it";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("longer than 1 MiB"));
  }
}

TEST(ControlClient, ASocketOfAnotherUserIsSaidToBeOne) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
  const StateFolder folder;
  const FakeHost host(folder.path(), "", true);
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(folder.socket().c_str(), 0600), 0);
  ASSERT_EQ(seteuid(65534), 0);
  const std::string text = failure(folder.path(), std::chrono::seconds(1));
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_THAT(text, HasSubstr("may not be used by this user; run the command as the host's user"));
}

}  // namespace
}  // namespace walspout::control
