// `walspout pause` and `resume` without a server: with no host, and with one that answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "command.hpp"
#include "control/server.hpp"
#include "progress/state_store.hpp"

namespace walspout::cli {
namespace {

using ::testing::ElementsAre;

class Pause : public ::testing::Test {
 protected:
  Pause()
      : file_(folder_.write("shop.toml",
                            "[source]\nurl = \"postgresql://h/db\"\n"
                            "[[sink]]\nname = \"mirror\"\nplugin = \"sqlite\"\n"
                            "[[sink]]\nname = \"events\"\nplugin = \"file\"\n")) {}

  std::string state() const { return folder_.path() + "/shop.state"; }
  std::string next_run() const { return " with the next `walspout run " + file_ + "`\n"; }

  Folder folder_;
  std::string file_;
};

TEST_F(Pause, WithoutAHostItIsStoredForTheNextRun) {
  const Output paused = command({"pause", file_, "mirror"});
  EXPECT_EQ(paused.status, 0) << paused.err;
  EXPECT_EQ(paused.out, "sink mirror stays paused" + next_run());
  {
    const progress::StateStore store(state());
    ASSERT_TRUE(store.pause("mirror"));
    EXPECT_EQ(store.pause("mirror")->why, "walspout pause");
    EXPECT_FALSE(store.pause("events"));
  }
  const Output resumed = command({"resume", file_, "mirror"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(resumed.out, "sink mirror goes on" + next_run());
  EXPECT_FALSE(progress::StateStore(state()).pause("mirror"));
}

TEST_F(Pause, AHostThatRunsIsAskedAndItsLinesArePrinted) {
  const progress::StateStore store(state());
  std::vector<std::string> asked;
  const control::Server host(state(), [&](const std::vector<std::string>& words) {
    asked = words;
    return control::Reply{true, {"sink mirror is paused"}};
  });
  const Output output = command({"pause", file_, "mirror"});
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.out, "sink mirror is paused\n");
  EXPECT_EQ(output.err, "");
  EXPECT_THAT(asked, ElementsAre("pause", "mirror"));
  EXPECT_FALSE(store.pause("mirror"));
}

TEST_F(Pause, WhatTheHostRefusesIsAnError) {
  const progress::StateStore store(state());
  const control::Server host(state(), [](const auto&) {
    return control::Reply{false, {"the host runs no sink 'mirror'"}};
  });
  const Output output = command({"resume", file_, "mirror"});
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(output.out, "");
  EXPECT_EQ(output.err, "walspout: the host runs no sink 'mirror'\n");
}

TEST_F(Pause, AMisspeltSinkIsNamedWithTheNearest) {
  for (const char* verb : {"pause", "resume"}) {
    const Output output = command({verb, file_, "mirorr"});
    EXPECT_EQ(output.status, 2);
    EXPECT_EQ(output.out, "");
    EXPECT_EQ(output.err,
              "walspout: sink mirorr is not in " + file_ + "; did you mean 'mirror'?\n");
  }
  EXPECT_THAT(folder_.names(), ElementsAre("shop.toml"));
}

}  // namespace
}  // namespace walspout::cli
