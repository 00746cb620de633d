#include "progress/state_store.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>
#include <vector>

namespace walspout::progress {
namespace {

using testing::HasSubstr;

class StateStoreTest : public testing::Test {
 protected:
  StateStoreTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "state_store_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~StateStoreTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path state() const { return folder_ / "state"; }
  static unsigned mode(const std::filesystem::path& path) {
    struct stat found {};
    EXPECT_EQ(stat(path.c_str(), &found), 0) << path;
    return found.st_mode & 0777U;
  }
  // What a store in this folder says when it cannot be opened.
  static std::string refused(const std::filesystem::path& path) {
    try {
      StateStore store(path);
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_;
};

TEST_F(StateStoreTest, KeepsPositionsOverAStart) {
  {
    StateStore store(state());
    EXPECT_FALSE(store.load("a"));
    store.save("a", {0x16b374d848, "v1 x"});
    store.save("b", {~base::Lsn{0}, ""});
    store.save("a", {0x16b374d849, "v1 y"});
  }
  const StateStore store(state());
  ASSERT_TRUE(store.load("a"));
  EXPECT_EQ(store.load("a")->lsn, 0x16b374d849u);
  EXPECT_EQ(store.load("a")->host_state, "v1 y");
  EXPECT_EQ(store.load("b")->lsn, ~base::Lsn{0});
  EXPECT_FALSE(store.load("c"));
}

TEST_F(StateStoreTest, WhatWasSavedSurvivesAProcessThatIsKilled) {
  const pid_t child = fork();
  if (child == 0) {
    StateStore store(state());
    store.save("a", {77, "kept"});
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  const StateStore store(state());
  ASSERT_TRUE(store.load("a"));
  EXPECT_EQ(store.load("a")->lsn, 77u);
}

TEST_F(StateStoreTest, NamesOfSinksAreAnyText) {
  StateStore store(state());
  const std::string name = "o'hara\"; DROP TABLE sink_position; --";
  store.save(name, {5, "x"});
  EXPECT_EQ(store.load(name)->lsn, 5u);
}

TEST_F(StateStoreTest, SecondHostIsRefusedUntilTheFirstEnds) {
  {
    const StateStore store(state());
    EXPECT_THAT(refused(state()), HasSubstr("another walspout uses it; stop that one first"));
  }
  EXPECT_EQ(refused(state()), "");
}

TEST_F(StateStoreTest, SecondProcessIsRefused) {
  const StateStore store(state());
  const pid_t child = fork();
  if (child == 0) {
    int status = 0;
    try {
      StateStore second(state());
    } catch (const std::runtime_error&) {
      status = 42;
    }
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST_F(StateStoreTest, FolderIsForItsOwnerAlone) {
  StateStore store(state());
  EXPECT_EQ(mode(state()), 0700u);
  EXPECT_EQ(mode(state() / "lock"), 0600u);
  EXPECT_EQ(mode(state() / "state.db"), 0600u);
  EXPECT_EQ(mode(store.sink_directory("a")), 0700u);
}

TEST_F(StateStoreTest, FolderThatWasThereKeepsItsMode) {
  std::filesystem::create_directory(state());
  ASSERT_EQ(chmod(state().c_str(), 0750), 0);
  StateStore store(state());
  EXPECT_EQ(mode(state()), 0750u);
}

TEST_F(StateStoreTest, FolderOfASinkIsOneWhateverItsName) {
  StateStore store(state());
  std::vector<std::string> names = {"plain-1_A", "..", ".", "a/b", "/etc", "a b", "é", "a%2fb"};
  std::vector<std::filesystem::path> made;
  for (const std::string& name : names) {
    const auto path = store.sink_directory(name);
    EXPECT_TRUE(std::filesystem::is_directory(path)) << name;
    EXPECT_EQ(std::filesystem::weakly_canonical(path).parent_path(),
              std::filesystem::weakly_canonical(state() / "sinks"))
        << name;
    for (const auto& other : made) EXPECT_NE(path, other) << name;
    made.push_back(path);
  }
  EXPECT_EQ(made[0].filename(), "plain-1_A");
  EXPECT_EQ(made[3].filename(), "a%2fb");
}

TEST_F(StateStoreTest, FolderThatCannotBeMadeIsNamed) {
  EXPECT_THAT(refused("/proc/nowhere/state"),
              testing::AllOf(HasSubstr("/proc/nowhere/state"), HasSubstr("[state] directory")));
}

TEST_F(StateStoreTest, FileThatIsNoDatabaseIsNamed) {
  std::filesystem::create_directory(state());
  FILE* file = fopen((state() / "state.db").c_str(), "w");
  ASSERT_NE(file, nullptr);
  for (int i = 0; i < 100; ++i) fputs("this is no database, this is no database", file);
  fclose(file);
  EXPECT_THAT(refused(state()),
              testing::AllOf(HasSubstr("state.db"), HasSubstr("move the file away")));
}

TEST_F(StateStoreTest, SecondHostIsToldThatTheDirectoryIsInUse) {
  const StateStore store(state());
  EXPECT_THROW(StateStore second(state()), StateInUse);
}

TEST_F(StateStoreTest, MaySaveFromSeveralThreads) {
  StateStore store(state());
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&store, t] {
      const std::string name = "sink" + std::to_string(t);
      for (base::Lsn at = 1; at <= 30; ++at) store.save(name, {at, "s"});
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < 3; ++t) EXPECT_EQ(store.load("sink" + std::to_string(t))->lsn, 30u);
}

}  // namespace
}  // namespace walspout::progress
