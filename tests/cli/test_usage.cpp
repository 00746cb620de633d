#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "command.hpp"

namespace walspout::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Usage, WithoutArgumentsTheHelpComesWithStatus2) {
  const Output output = command({});
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.err, HasSubstr("Commands:"));
  EXPECT_EQ(output.out, "");
}

TEST(Usage, HelpListsTheCommandsThatWorkAndNoOthers) {
  const Output output = command({"--help"});
  EXPECT_EQ(output.status, 0);
  for (const char* verb : {"run", "check", "setup", "teardown", "status", "plugins", "tail",
                           "resync", "pause", "resume", "verify", "version"}) {
    EXPECT_THAT(output.out, HasSubstr(std::string("\n  ") + verb + ' '));
  }
  for (const char* verb : {"dead-letters", "new-sink"}) {
    EXPECT_THAT(output.out, Not(HasSubstr(std::string("\n  ") + verb + ' ')));
  }
}

TEST(Usage, EveryCommandHasHelp) {
  for (const char* verb : {"run", "check", "setup", "teardown", "status", "plugins", "tail",
                           "resync", "pause", "resume", "verify", "version"}) {
    const Output output = command({verb, "--help"});
    EXPECT_EQ(output.status, 0) << verb;
    EXPECT_THAT(output.out, HasSubstr(std::string("Usage: walspout ") + verb));
  }
}

struct Case {
  std::vector<std::string> arguments;
  std::string err;
};

class Misuse : public ::testing::TestWithParam<Case> {};

TEST_P(Misuse, GivesOneLineAndStatus2) {
  const Output output = command(GetParam().arguments);
  EXPECT_EQ(output.status, 2);
  EXPECT_EQ(output.out, "");
  EXPECT_EQ(output.err, "walspout: " + GetParam().err + '\n');
}

INSTANTIATE_TEST_SUITE_P(
    Commands, Misuse,
    ::testing::Values(
        Case{{"rnu", "shop.toml"}, "unknown command `rnu`; did you mean `run`?"},
        Case{{"xyzzy"}, "unknown command `xyzzy`; `walspout --help` lists them"},
        Case{{"new-sink", "mine"},
             "`new-sink` is not available in this version; `walspout --help` lists what is"},
        Case{{"pause", "shop.toml"}, "SINK is required; see `walspout --help`"},
        Case{{"resume", "shop.toml", "a", "b"},
             "The following argument was not expected: b; see `walspout --help`"},
        Case{{"resync"}, "FILE is required; see `walspout --help`"},
        Case{{"resync", "a.toml", "--sink"},
             "--sink: 1 required NAME missing; see `walspout --help`"},
        Case{{"dead-letters", "list"},
             "`dead-letters` is not available in this version; `walspout --help` lists what is"},
        Case{{"run"}, "FILE is required; see `walspout --help`"},
        Case{{"run", "a", "b"},
             "The following argument was not expected: b; see `walspout --help`"},
        Case{{"check", "--nope", "a"},
             "The following argument was not expected: --nope; see `walspout --help`"},
        Case{{"tail"}, "`tail` needs a FILE or --url URL; see `walspout tail --help`"},
        Case{{"tail", "a.toml", "--url", "postgresql://u:S3cr3tPw@h/db"},
             "FILE excludes --url; see `walspout --help`"},
        Case{{"tail", "--url", "postgresql://h/db", "--table", "orders"},
             "--table orders has no schema; did you mean public.orders?"},
        Case{{"postgresql://u:S3cr3tPw@h/db"},
             "the first word must be a command; `walspout --help` lists them"},
        Case{{"run", "postgresql://u:S3cr3tPw@h/db"},
             "FILE looks like a connection string; give a TOML file with it as url under "
             "[source]"},
        Case{{"run", "a", "host=h password=S3cr3tPw"},
             "The following argument was not expected: ***; see `walspout --help`"}));

TEST(Version, NamesTheProgramTheAbiAndLibraries) {
  const Output output = command({"version"});
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(output.out, StartsWith("walspout "));
  EXPECT_THAT(output.out, HasSubstr("plugin ABI "));
  EXPECT_THAT(output.out, HasSubstr("libpq "));
  EXPECT_EQ(command({"--version"}).out, output.out);
}

TEST(Plugins, ListsWhatIsFoundAndWhere) {
  const Output output = command({"plugins"});
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(output.out, HasSubstr("sqlite"));
  EXPECT_THAT(output.out, HasSubstr("/plugins/sqlite.so"));
}

TEST(Plugins, ShowsOptionsAndASampleOfOne) {
  const Output output = command({"plugins", "sqlite"});
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(output.out, HasSubstr("(required)"));
  EXPECT_THAT(output.out, HasSubstr("[[sink]]\nname = \"sqlite\"\nplugin = \"sqlite\"\n"));
}

TEST(Plugins, TheJsonHoldsTheSame) {
  const auto all = nlohmann::json::parse(command({"plugins", "--json"}).out);
  ASSERT_TRUE(all.is_array());
  bool found = false;
  for (const auto& plugin : all) found |= plugin.at("name") == "sqlite";
  EXPECT_TRUE(found);
  const auto one = nlohmann::json::parse(command({"plugins", "sqlite", "--json"}).out);
  EXPECT_EQ(one.at("name"), "sqlite");
  EXPECT_EQ(one.at("options").at(0).at("name"), "path");
  EXPECT_EQ(one.at("options").at(0).at("required"), true);
}

TEST(Plugins, AMisspeltNameIsRefusedWithTheNearest) {
  const Output output = command({"plugins", "sqllite"});
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.err, HasSubstr("did you mean `sqlite`?"));
}

TEST(Plugins, ABrokenFileIsAnErrorLineBesideTheOthers) {
  const Folder folder;
  folder.write("broken.so", "no library");
  const Output output = command({"plugins"}, {{"WALSPOUT_PLUGIN_PATH", folder.path()}});
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(output.err, HasSubstr("broken.so"));
  EXPECT_THAT(output.out, HasSubstr("sqlite"));
}

TEST(Plugins, ThePluginPathHoldsNoRelativeFolder) {
  const Output output = command({"plugins"}, {{"WALSPOUT_PLUGIN_PATH", "plugins"}});
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.err, StartsWith("walspout: "));
}

}  // namespace
}  // namespace walspout::cli
