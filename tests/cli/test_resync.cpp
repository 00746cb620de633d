// `walspout resync` without a server: with no host, with one that answers, with one that does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>

#include "command.hpp"
#include "control/server.hpp"
#include "progress/state_store.hpp"

namespace walspout::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Resync : public ::testing::Test {
 protected:
  Resync()
      : file_(folder_.write("shop.toml",
                            "[source]\nurl = \"postgresql://h/db\"\n"
                            "[[sink]]\nname = \"mirror\"\nplugin = \"sqlite\"\n"
                            "[[sink]]\nname = \"events\"\nplugin = \"file\"\n")) {}

  std::string state() const { return folder_.path() + "/shop.state"; }
  std::vector<std::vector<std::string>> stored() const {
    return progress::StateStore(state()).take_requests();
  }
  std::string next_run() const { return " at the next `walspout run " + file_ + "`\n"; }

  Folder folder_;
  std::string file_;
};

TEST_F(Resync, WithoutAHostItIsStoredForTheNextRun) {
  const Output output = command({"resync", file_, "public.orders", "shop.*"});
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.out, "public.orders, shop.* will be copied anew" + next_run());
  EXPECT_EQ(output.err, "");
  EXPECT_THAT(stored(), ElementsAre(ElementsAre("resync", "public.orders", "shop.*")));
}

TEST_F(Resync, WithoutTablesItMeansAll) {
  const Output output = command({"resync", file_});
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.out, "all tables will be copied anew" + next_run());
  EXPECT_THAT(stored(), ElementsAre(ElementsAre("resync")));
}

TEST_F(Resync, ANameWithoutASchemaMeansPublic) {
  const Output output = command({"resync", file_, "a*", "!audit", "s.t"});
  EXPECT_EQ(output.out, "public.a*, !public.audit, s.t will be copied anew" + next_run());
  EXPECT_THAT(stored(), ElementsAre(ElementsAre("resync", "public.a*", "!public.audit", "s.t")));
}

TEST_F(Resync, IntoOneSinkWhereverTheOptionStands) {
  for (const auto& arguments : {std::vector<std::string>{"resync", file_, "a", "--sink", "events"},
                                std::vector<std::string>{"resync", "--sink=events", file_, "a"}}) {
    const Output output = command(arguments);
    EXPECT_EQ(output.status, 0);
    EXPECT_EQ(output.out, "public.a will be copied anew into sink events" + next_run());
  }
  const auto one = ElementsAre("resync", "--sink", "events", "public.a");
  EXPECT_THAT(stored(), ElementsAre(one, one));
}

TEST_F(Resync, AMisspeltSinkIsNamedWithTheNearest) {
  const Output output = command({"resync", file_, "--sink", "mirorr"});
  EXPECT_EQ(output.status, 2);
  EXPECT_EQ(output.out, "");
  EXPECT_EQ(output.err,
            "walspout: --sink mirorr is not in " + file_ + "; did you mean 'mirror'?\n");
  EXPECT_THAT(folder_.names(), ElementsAre("shop.toml"));
}

TEST_F(Resync, AnUnknownSinkIsAnsweredWithThoseThatThereAre) {
  const Output output = command({"resync", file_, "--sink", "xyzzy"});
  EXPECT_EQ(output.status, 2);
  EXPECT_EQ(output.err,
            "walspout: --sink xyzzy is not in " + file_ + "; known are mirror, events\n");
}

TEST_F(Resync, WhatIsNoPatternIsRefused) {
  for (const char* table : {"", "!", ".", "public.", ".orders", "!.x"}) {
    const Output output = command({"resync", file_, table});
    EXPECT_EQ(output.status, 2) << table;
    EXPECT_EQ(output.err, std::string("walspout: `") + table +
                              "` is not a pattern; write schema.table, where * stands for any "
                              "characters\n");
  }
  EXPECT_THAT(folder_.names(), ElementsAre("shop.toml"));
}

TEST_F(Resync, AMistakeInTheFileIsReported) {
  const std::string bad = folder_.write("bad.toml", "[sourse]\n");
  const Output output = command({"resync", bad});
  EXPECT_EQ(output.status, 2);
  EXPECT_NE(output.err, "");
}

TEST_F(Resync, AStateDirectoryThatCannotBeMadeIsSaid) {
  const std::string file = folder_.write(
      "b.toml",
      "[source]\nurl = \"postgresql://h/db\"\n[state]\ndirectory = \"shop.toml/state\"\n"
      "[[sink]]\nname = \"mirror\"\nplugin = \"sqlite\"\n");
  const Output output = command({"resync", file});
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1);
}

TEST_F(Resync, AHostThatRunsIsAskedAndItsLinesArePrinted) {
  const progress::StateStore store(state());
  std::vector<std::string> asked;
  const control::Server host(state(), [&](const std::vector<std::string>& words) {
    asked = words;
    return control::Reply{true, {"public.orders: is copied anew into sink mirror"}};
  });
  const Output output = command({"resync", file_, "orders", "--sink", "mirror"});
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.out, "public.orders: is copied anew into sink mirror\n");
  EXPECT_EQ(output.err, "");
  EXPECT_THAT(asked, ElementsAre("resync", "--sink", "mirror", "public.orders"));
  EXPECT_THAT(store.requests(), IsEmpty());
}

TEST_F(Resync, WhatTheHostRefusesIsAnError) {
  const progress::StateStore store(state());
  const control::Server host(state(), [](const auto&) {
    return control::Reply{false, {"no table matches public.ordres; did you mean public.orders?"}};
  });
  const Output output = command({"resync", file_, "ordres"});
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(output.out, "");
  EXPECT_EQ(output.err, "walspout: no table matches public.ordres; did you mean public.orders?\n");
}

TEST_F(Resync, AHostThatIsStartingIsWaitedFor) {
  const progress::StateStore store(state());
  Output output;
  std::thread asking([&] { output = command({"resync", file_}); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // so that it asks too early
  const control::Server host(state(), [](const auto&) { return control::Reply{true, {"done"}}; });
  asking.join();
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.out, "done\n");
}

TEST_F(Resync, AHostThatTakesNoRequestsIsNotWaitedForForEver) {
  const progress::StateStore store(state());
  const Output output = command({"resync", file_});
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(output.err, "walspout: a walspout has the state directory " + state() +
                            " and takes no requests; look at its log, and try again\n");
}

}  // namespace
}  // namespace walspout::cli
