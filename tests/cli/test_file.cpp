// Verbs with a configuration that is wrong, or whose server cannot be reached: what they print, and
// that they agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "command.hpp"

namespace walspout::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A socket in a folder without a server: refused at once, without any network.
std::string source(const Folder& folder, const std::string& user = "u:S3cr3tPw%21@") {
  return "[source]\nurl = \"postgresql://" + user + "/db?host=" + folder.path() + "\"\n";
}
constexpr const char* kSink =
    "[[sink]]\nname = \"mirror\"\nplugin = \"sqlite\"\n[sink.options]\npath = \"shop.db\"\n";

constexpr const char* kVerbs[] = {"run", "check", "setup", "teardown", "tail"};

TEST(File, EveryVerbRefusesAMistakeInTheSameLines) {
  const Folder folder;
  const std::string file =
      folder.write("shop.toml", source(folder) + "slot_naem = \"x\"\n" + kSink + "[sourse]\n");
  for (const char* verb : kVerbs) {
    const Output output = command({verb, file});
    EXPECT_EQ(output.status, 2) << verb;
    EXPECT_EQ(output.out, "") << verb;
    EXPECT_EQ(output.err, file + ":3:1: unknown key source.slot_naem; did you mean slot?\n" + file +
                              ":9:2: unknown table [sourse]; did you mean [source]?\n")
        << verb;
  }
  EXPECT_THAT(folder.names(), ElementsAre("shop.toml"));
}

TEST(File, EveryVerbRefusesAFileThatIsNotThere) {
  for (const char* verb : kVerbs) {
    const Output output = command({verb, "/nonexistent/shop.toml"});
    EXPECT_EQ(output.status, 2) << verb;
    EXPECT_EQ(output.err,
              "/nonexistent/shop.toml: the configuration does not exist; check the path\n");
  }
}

TEST(File, EveryVerbRefusesADirectory) {
  const Folder folder;
  for (const char* verb : kVerbs) {
    const Output output = command({verb, folder.path()});
    EXPECT_EQ(output.status, 2) << verb;
    EXPECT_EQ(output.err, folder.path() + ": the configuration is a directory; give a file\n");
  }
}

TEST(File, RunAndCheckRefuseAMisspeltPluginAtItsPlace) {
  const Folder folder;
  const std::string file = folder.write(
      "shop.toml", source(folder) + "[[sink]]\nname = \"mirror\"\nplugin = \"sqllite\"\n");
  for (const char* verb : {"run", "check"}) {
    const Output output = command({verb, file});
    EXPECT_EQ(output.status, 2) << verb;
    EXPECT_THAT(output.err, HasSubstr(file + ":5:10: ")) << verb;
    EXPECT_THAT(output.err, HasSubstr("sqllite")) << verb;
  }
}

TEST(File, RunAndCheckRefuseAMisspeltOptionAtItsPlace) {
  const Folder folder;
  const std::string file =
      folder.write("shop.toml", source(folder) + kSink + "bussy_timeout = \"5 parsecs\"\n");
  for (const char* verb : {"run", "check"}) {
    const Output output = command({verb, file});
    EXPECT_EQ(output.status, 2) << verb;
    EXPECT_THAT(output.err, HasSubstr(file + ":8:")) << verb;
    EXPECT_THAT(output.err, HasSubstr("busy_timeout")) << verb;
  }
}

TEST(File, CheckListsTheConfigurationsMistakesAndTheSourcesTogether) {
  const Folder folder;
  const std::string file = folder.write(
      "shop.toml", source(folder) + "[[sink]]\nname = \"mirror\"\nplugin = \"sqllite\"\n");
  const Output output = command({"check", file});
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.err, HasSubstr("sqllite"));
  EXPECT_THAT(output.out, HasSubstr("error: connection: cannot connect"));
}

TEST(File, CheckSaysWhenTheServerCannotBeReachedAndCreatesNothing) {
  const Folder folder;
  const std::string file = folder.write("shop.toml", source(folder) + kSink);
  const Output output = command({"check", file});
  EXPECT_EQ(output.status, 3);
  EXPECT_THAT(output.out, HasSubstr("error: connection: cannot connect to host " + folder.path()));
  EXPECT_THAT(output.out, HasSubstr("mirror  sqlite"));
  EXPECT_THAT(output.err, HasSubstr("is not ready"));
  EXPECT_THAT(folder.names(), ElementsAre("shop.toml"));
}

TEST(File, CheckSaysWhenTheStateDirectoryCannotBeMade) {
  const Folder folder;
  const std::string file = folder.write(
      "shop.toml", source(folder) + kSink + "[state]\ndirectory = \"shop.toml/state\"\n");
  const Output output = command({"check", file});
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.err, HasSubstr("the state directory cannot be made, as " + file));
}

TEST(File, SetupFailsAsCheckWhenTheServerCannotBeReached) {
  const Folder folder;
  const std::string file = folder.write("shop.toml", source(folder) + kSink);
  const Output output = command({"setup", file});
  EXPECT_EQ(output.status, 3);
  EXPECT_THAT(output.out, HasSubstr("error: connection: cannot connect to host " + folder.path()));
  EXPECT_THAT(output.err, HasSubstr("walspout: nothing was created"));
}

TEST(File, TeardownAndTailFailWhenTheServerCannotBeReached) {
  const Folder folder;
  const std::string file = folder.write("shop.toml", source(folder) + kSink);
  for (const char* verb : {"teardown", "tail"}) {
    const Output output = command({verb, file});
    EXPECT_EQ(output.status, 1) << verb;
    EXPECT_THAT(output.err, HasSubstr("walspout: cannot connect to host " + folder.path())) << verb;
  }
}

TEST(File, WarningsDoNotHinder) {
  const Folder folder;
  const std::string file =
      folder.write("shop.toml", source(folder) +
                                    "[[sink]]\nname = \"mirror\"\nplugin = \"sqlite\"\n"
                                    "key_order = \"hold\"\n[sink.options]\npath = \"x.db\"\n");
  const Output output = command({"check", file});
  EXPECT_EQ(output.status, 3);  // of the server that is not there
  EXPECT_THAT(output.err, HasSubstr("warning: " + file + ":6:1: sink.mirror.key_order has no "));
}

class Secrets : public ::testing::TestWithParam<std::string> {};

// The password in the forms a user may write it, in files that are broken around it.
TEST_P(Secrets, AreNeverPrinted) {
  const Folder folder;
  const std::string file = folder.write("shop.toml", GetParam());
  for (const char* verb : kVerbs) {
    const Output output = command({verb, file}, {{"WALSPOUT_TEST_PW", "S3cr3tPw!"}});
    EXPECT_NE(output.status, 0) << verb;
    EXPECT_NE(output.err, "") << verb;
    EXPECT_THAT(output.all(), Not(HasSubstr("S3cr3tPw"))) << verb;
  }
}

const std::string kRest = "\n[[sink]]\nname = \"a\"\nplugin = \"sqlite\"\n";
INSTANTIATE_TEST_SUITE_P(
    Files, Secrets,
    ::testing::Values(
        "[source]\nurl = \"postgresql://u:S3cr3tPw!@h/db\nslot = 1" + kRest,
        "[source]\nurl = postgresql://u:S3cr3tPw!@h/db" + kRest,
        "[source]\nurl = 'postgresql://u:S3cr3tPw!@h/db' S3cr3tPw" + kRest,
        "[source]\nurl = [\"postgresql://u:S3cr3tPw!@h/db\"]" + kRest,
        "[source]\nurl = \"mysql://u:S3cr3tPw!@h/db\"" + kRest,
        "[source]\nurl = \"postgresql://u:S3cr3tPw%@/db?host=/nonexistent\"" + kRest,
        "[source]\nurl = \"postgresql://u:a@S3cr3tPw:S3cr3tPw@/db?host=/nonexistent\"" + kRest,
        "[source]\nurl = \"host=/nonexistent password=S3cr3tPw! sslmode=bad\"" + kRest,
        "[source]\nurl = \"host=/nonexistent password='S3cr3tPw\"" + kRest,
        "[source]\nurl = \"host=/nonexistent S3cr3tPw\"" + kRest,
        "[source]\nurl = \"host=/nonexistent password=S3cr3tPw\"" + kRest,
        "[source]\nurl = \"host=/nonexistent password=${env:WALSPOUT_TEST_PW}\"" + kRest,
        "[source]\nurl = \"host=/nonexistent\"\nslot = \"${env:WALSPOUT_TEST_PW}\"" + kRest,
        "[source]\nurl = \"host=/nonexistent\"\ntables = [\"${env:WALSPOUT_TEST_PW}\"]" + kRest));

}  // namespace
}  // namespace walspout::cli
