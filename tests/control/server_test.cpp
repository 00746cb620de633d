#include "control/server.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <thread>

#include "control/client.hpp"
#include "raw_client.hpp"

namespace walspout::control {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Reply echo(const std::vector<std::string>& words) { return {true, words}; }

unsigned mode_of(const std::filesystem::path& path) {
  struct stat found {};
  EXPECT_EQ(lstat(path.c_str(), &found), 0) << path;
  return found.st_mode & 07777U;
}

TEST(ControlServer, GivesTheWordsToTheHandlerAndItsLinesBack) {
  const StateFolder folder;
  const Server server(folder.path(), echo);
  const Reply reply = Client::call(folder.path(), {"resync", "", "a b", "é", "50%"});
  EXPECT_TRUE(reply.ok);
  EXPECT_THAT(reply.lines, ElementsAre("resync", "", "a b", "é", "50%"));
}

TEST(ControlServer, SpeaksAsItsHeaderSays) {
  const StateFolder folder;
  const Server server(folder.path(), echo);
  const RawClient client(folder.path());
  client.send("a%20b c\n");
  EXPECT_EQ(client.rest(), "ok\na b\nc\nend\n");
}

TEST(ControlServer, AnErrorHasItsTextInTheFirstLine) {
  const StateFolder folder;
  const Server server(folder.path(), [](const auto&) -> Reply {
    return {false, {"no table matches; correct it", "more"}};
  });
  const RawClient client(folder.path());
  client.send("resync\n");
  EXPECT_EQ(client.rest(), "error no table matches; correct it\nmore\nend\n");
  const Reply reply = Client::call(folder.path(), {"resync"});
  EXPECT_FALSE(reply.ok);
  EXPECT_THAT(reply.lines, ElementsAre("no table matches; correct it", "more"));
}

TEST(ControlServer, AnErrorMayHaveNoText) {
  const StateFolder folder;
  const Server server(folder.path(), [](const auto&) -> Reply { return {false, {}}; });
  const Reply reply = Client::call(folder.path(), {"x"});
  EXPECT_FALSE(reply.ok);
  EXPECT_THAT(reply.lines, IsEmpty());
}

TEST(ControlServer, ALineThatIsCalledEndIsALine) {
  const StateFolder folder;
  const Server server(folder.path(), echo);
  EXPECT_THAT(Client::call(folder.path(), {"end", "end", "ok"}).lines,
              ElementsAre("end", "end", "ok"));
}

TEST(ControlServer, WhatTheHandlerThrowsIsAnErrorAndTheServerGoesOn) {
  const StateFolder folder;
  const Server server(folder.path(), [](const std::vector<std::string>& words) -> Reply {
    if (words[0] == "bad") throw std::runtime_error("two\nlines");
    return {};
  });
  const Reply reply = Client::call(folder.path(), {"bad"});
  EXPECT_FALSE(reply.ok);
  EXPECT_THAT(reply.lines, ElementsAre("two\\nlines"));
  EXPECT_TRUE(Client::call(folder.path(), {"ping"}).ok);
}

TEST(ControlServer, TheSocketIsForItsOwnerAloneWhateverTheUmask) {
  for (const mode_t mask : {mode_t{0}, mode_t{0022}, mode_t{0777}}) {
    const StateFolder folder;
    const mode_t before = umask(mask);
    const Server server(folder.path(), echo);
    umask(before);
    EXPECT_EQ(mode_of(folder.socket()), 0600U);
    EXPECT_TRUE(Client::call(folder.path(), {"ping"}).ok);
  }
}

TEST(ControlServer, TheSocketIsGoneWithTheServer) {
  const StateFolder folder;
  { const Server server(folder.path(), echo); }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(folder.socket())));
  EXPECT_THROW(Client::call(folder.path(), {"ping"}), NoHost);
}

// Bound and never listened on, as one whose process was killed looks to a client.
void leave_stale(const StateFolder& folder) {
  const Endpoint endpoint(folder.path());
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&endpoint.address()),
                   sizeof(sockaddr_un)),
            0);
}

TEST(ControlServer, ASocketThatAKilledHostHasLeftIsReplaced) {
  const StateFolder folder;
  leave_stale(folder);
  EXPECT_THROW(Client::call(folder.path(), {"ping"}), NoHost);
  const Server server(folder.path(), echo);
  EXPECT_TRUE(Client::call(folder.path(), {"ping"}).ok);
  EXPECT_EQ(mode_of(folder.socket()), 0600U);
}

TEST(ControlServer, AFileInTheSocketsPlaceIsLeftAndNamed) {
  const StateFolder folder;
  std::ofstream(folder.socket()) << "mine";
  try {
    const Server server(folder.path(), echo);
    ADD_FAILURE() << "listens";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(),
              folder.socket().string() + ": is in the way of the control socket; move it away");
  }
  EXPECT_EQ(std::filesystem::file_size(folder.socket()), 4U);
}

TEST(ControlServer, ADirectoryThatIsNotThereIsNamed) {
  const StateFolder folder;
  try {
    const Server server(folder.path() / "none", echo);
    ADD_FAILURE() << "listens";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr((folder.path() / "none").string()));
  }
}

TEST(ControlServer, APathLongerThanAnAddressWorks) {
  const StateFolder folder;
  const auto deep = folder.path() / std::string(120, 'x') / std::string(120, 'y');
  std::filesystem::create_directories(deep);
  {
    const Server server(deep, echo);
    EXPECT_EQ(mode_of(deep / kSocketName), 0600U);
    EXPECT_THAT(Client::call(deep, {"ping"}).lines, ElementsAre("ping"));
  }
  EXPECT_THROW(Client::call(deep, {"ping"}), NoHost);
  EXPECT_TRUE(std::filesystem::is_empty(deep));
}

TEST(ControlServer, APathAsLongAsAnAddressAndOneMoreWork) {
  for (const std::size_t size : {106U, 107U, 108U}) {
    const StateFolder folder;
    const std::size_t used =
        folder.path().string().size() + 1 + 1 + std::string(kSocketName).size();
    const auto path = folder.path() / std::string(size - used, 'x');
    std::filesystem::create_directory(path);
    ASSERT_EQ((path / kSocketName).string().size(), size);
    const Server server(path, echo);
    EXPECT_TRUE(Client::call(path, {"ping"}).ok) << size;
  }
}

TEST(ControlServer, StopsAtOnceWithSilentClientsConnected) {
  const StateFolder folder;
  std::optional<Server> server(std::in_place, folder.path(), echo);
  const RawClient silent(folder.path());
  const RawClient half(folder.path());
  half.send("resy");
  EXPECT_TRUE(Client::call(folder.path(), {"ping"}).ok);
  const auto begin = std::chrono::steady_clock::now();
  server.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_EQ(silent.rest(), "");
  EXPECT_EQ(half.rest(), "");
}

TEST(ControlServer, ARequestInTheHandlerIsAnsweredBeforeItStops) {
  const StateFolder folder;
  std::atomic<bool> asked = false, release = false, stopped = false;
  std::optional<Server> server(std::in_place, folder.path(), [&](const auto&) -> Reply {
    asked = true;
    asked.notify_all();
    release.wait(false);
    EXPECT_FALSE(stopped);
    return {true, {"done"}};
  });
  const RawClient client(folder.path());
  client.send("resync\n");
  asked.wait(false);
  std::thread stopper([&] {
    server.reset();
    stopped = true;
  });
  release = true;
  release.notify_all();
  EXPECT_EQ(client.rest(), "ok\ndone\nend\n");
  stopper.join();
}

TEST(ControlServer, LargeRequestsAndAnswersComeWhole) {
  const StateFolder folder;
  const Server server(folder.path(), echo);
  const std::string large(900'000, 'x');
  const Reply reply = Client::call(folder.path(), {large});
  EXPECT_TRUE(reply.ok);
  EXPECT_THAT(reply.lines, ElementsAre(large));
}

TEST(ControlServer, ManyClientsAtOnceAreAllAnswered) {
  const StateFolder folder;
  std::atomic<int> handled = 0;
  const Server server(folder.path(), [&](const std::vector<std::string>& words) -> Reply {
    ++handled;
    return {true, words};
  });
  std::vector<std::thread> threads;
  std::atomic<int> answered = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const std::string word = std::to_string(t) + "/" + std::to_string(i);
        const Reply reply = Client::call(folder.path(), {"ping", word});
        if (reply.ok && reply.lines == std::vector<std::string>{"ping", word}) ++answered;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, 400);
  EXPECT_EQ(handled, 400);
}

}  // namespace
}  // namespace walspout::control
