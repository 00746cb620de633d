#include <gmock/gmock.h>

#include "sink/settings.hpp"

namespace walspout::sink {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

base::RawOption raw(std::string name, decltype(base::RawOption::value) value, int line = 7) {
  return {std::move(name), std::move(value), {"shop.toml", line, 3}};
}
base::RawOption text(std::string name, std::string value) { return raw(std::move(name), value); }

class Settings : public testing::Test {
 protected:
  Settings() {
    plugin_.name = "demo";
    plugin_.options = options_.data();
    plugin_.option_count = static_cast<std::uint32_t>(options_.size());
  }
  // "name=string/integer/number" of each setting; "file:line:column: text" of each problem.
  std::vector<std::string> resolve_with(std::vector<base::RawOption> given) {
    const bool complete = given.empty() || given.front().name != "path";
    if (complete) given.insert(given.begin(), text("path", "/x"));
    return run(given);
  }
  std::vector<std::string> run(const std::vector<base::RawOption>& given) {
    base::Problems problems;
    settings_ = resolve(plugin_, given, {"shop.toml", 2, 1}, "/etc/walspout", problems);
    problems_.clear();
    for (const auto& problem : problems)
      problems_.push_back(base::to_string(problem.at) + ": " + problem.text);
    std::vector<std::string> lines;
    for (const walspout_setting& s : settings_.settings()) {
      lines.push_back(std::string(s.name.data, s.name.size) + '=' +
                      std::string(s.string.data, s.string.size) + '/' + std::to_string(s.integer));
    }
    return lines;
  }

  std::vector<walspout_option> options_ = {
      {"path", WALSPOUT_PATH, WALSPOUT_REQUIRED, nullptr, "The file."},
      {"mode", WALSPOUT_STRING, 0, "auto", "How."},
      {"sync", WALSPOUT_BOOL, 0, nullptr, "Whether."},
      {"rows", WALSPOUT_INT, 0, nullptr, "How many."},
      {"ratio", WALSPOUT_FLOAT, 0, nullptr, "How much."},
      {"timeout", WALSPOUT_DURATION_MS, 0, nullptr, "How long."},
      {"cache", WALSPOUT_BYTES, 0, nullptr, "How big."},
      {"hosts", WALSPOUT_STRING, WALSPOUT_LIST, nullptr, "Where."},
      {"headers", WALSPOUT_STRING, WALSPOUT_TABLE, nullptr, "What else."},
      {"token", WALSPOUT_STRING, WALSPOUT_SECRET, nullptr, "Who."},
      {"pin", WALSPOUT_DURATION_MS, WALSPOUT_SECRET, nullptr, "An odd secret."}};
  walspout_plugin plugin_{};
  ResolvedSettings settings_;
  std::vector<std::string> problems_;
};

TEST_F(Settings, FillsDefaultsAndLeavesOutWhatHasNone) {
  EXPECT_THAT(resolve_with({}), ElementsAre("path=/x/0", "mode=auto/0"));
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(Settings, WhatIsWrittenWinsOverTheDefault) {
  EXPECT_THAT(resolve_with({text("mode", "real")}), Contains("mode=real/0"));
}

TEST_F(Settings, TakesEveryType) {
  EXPECT_THAT(resolve_with({raw("sync", true), raw("rows", std::int64_t{-5}), raw("ratio", 0.25),
                            text("timeout", "5m"), text("cache", "64KiB")}),
              ElementsAre("path=/x/0", "mode=auto/0", "sync=true/1", "rows=-5/-5", "ratio=0.25/0",
                          "timeout=5m/300000", "cache=64KiB/65536"));
  EXPECT_EQ(settings_.settings()[4].number, 0.25);
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(Settings, TakesAWholeNumberAsFloatAndAsBytes) {
  EXPECT_THAT(resolve_with({raw("ratio", std::int64_t{2}), raw("cache", std::int64_t{4096})}),
              AllOf(Contains("ratio=2/0"), Contains("cache=4096/4096")));
  EXPECT_EQ(settings_.settings()[2].number, 2.0);
}

TEST_F(Settings, MakesARelativePathAbsoluteAgainstTheFolderOfTheConfiguration) {
  EXPECT_THAT(run({text("path", "data/shop.db")}), Contains("path=/etc/walspout/data/shop.db/0"));
}

TEST_F(Settings, RefusesPathsThatNameNoFile) {
  run({text("path", "")});
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("'path' must be the path of a file or folder")));
  run({text("path", std::string("a\0b", 3))});
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("'path' must be the path of a file or folder")));
}

TEST_F(Settings, AListBecomesSeveralSettingsOfOneName) {
  EXPECT_THAT(resolve_with({raw("hosts", base::RawList{{text("", "a"), text("", "b")}})}),
              AllOf(Contains("hosts=a/0"), Contains("hosts=b/0")));
}

TEST_F(Settings, ATableBecomesSettingsWithDottedNames) {
  EXPECT_THAT(resolve_with({raw("headers", base::RawTable{{text("X-A", "1"), text("X-B", "2")}})}),
              AllOf(Contains("headers.X-A=1/0"), Contains("headers.X-B=2/0")));
}

TEST_F(Settings, StayValidWhenMoved) {
  run({text("path", "/a/long/path/that/no/small/string/optimisation/keeps")});
  const ResolvedSettings moved = std::move(settings_);
  const walspout_str& path = moved.settings()[0].string;
  EXPECT_EQ(std::string_view(path.data, path.size),
            "/a/long/path/that/no/small/string/optimisation/keeps");
}

TEST_F(Settings, NamesAMissingRequiredOptionAtTheSink) {
  run({});
  EXPECT_THAT(problems_,
              ElementsAre("shop.toml:2:1: option 'path' of plugin 'demo' is missing; add "
                          "it under [sink.options]: The file."));
}

TEST_F(Settings, NamesAnUnknownOptionWithTheNearestKnownOne) {
  resolve_with({text("tiemout", "5s")});
  EXPECT_THAT(problems_,
              ElementsAre("shop.toml:7:3: unknown option 'tiemout' of plugin 'demo'; did "
                          "you mean 'timeout'?"));
}

TEST_F(Settings, ListsTheKnownOptionsWhenNoneIsNear) {
  resolve_with({text("compression", "zstd")});
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("; known are path, mode, sync, ")));
}

TEST_F(Settings, RefusesAnyOptionOfAPluginWithoutOptions) {
  plugin_.option_count = 0;
  run({text("path", "x")});
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("plugin 'demo' has no options")));
}

TEST_F(Settings, ReportsEveryMistakeAtOnce) {
  run({text("sync", "yes"), text("rows", "5"), text("nonsense", ""), text("timeout", "soon")});
  EXPECT_EQ(problems_.size(), 5U);  // path is missing too
}

TEST_F(Settings, RefusesWrongTypesInWords) {
  resolve_with({text("sync", "yes"), raw("mode", std::int64_t{1}), raw("rows", 1.5)});
  EXPECT_THAT(
      problems_,
      ElementsAre("shop.toml:7:3: option 'mode' must be a string in quotes, not a whole number",
                  "shop.toml:7:3: option 'sync' must be true or false, not a string",
                  "shop.toml:7:3: option 'rows' must be a whole number, not a number with a "
                  "point"));
}

TEST_F(Settings, RefusesADurationWithoutAUnit) {
  resolve_with({raw("timeout", std::int64_t{30})});
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("must be a duration such as \"500ms\"")));
}

TEST_F(Settings, ShowsADurationItCannotRead) {
  resolve_with({text("timeout", "5 minutes")});
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("not '5 minutes'")));
}

TEST_F(Settings, RefusesANegativeSize) {
  resolve_with({raw("cache", std::int64_t{-1})});
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("must be a size")));
}

TEST_F(Settings, RefusesAScalarForAListAndForATable) {
  resolve_with({text("hosts", "a"), text("headers", "b")});
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("'hosts' must be a list in brackets, not a string"),
                                     HasSubstr("'headers' must be a table")));
}

TEST_F(Settings, RefusesAListForAScalar) {
  resolve_with({raw("mode", base::RawList{{text("", "a")}})});
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("must be a string in quotes, not a list")));
}

TEST_F(Settings, NamesTheItemOfAListThatIsWrong) {
  resolve_with({raw("hosts", base::RawList{{text("", "a"), raw("", std::int64_t{1}, 9)}})});
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("shop.toml:9:3: option 'hosts' must be")));
}

TEST_F(Settings, NamesTheEntryOfATableThatIsWrong) {
  resolve_with({raw("headers", base::RawTable{{raw("X-A", true)}})});
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("option 'headers.X-A' must be a string")));
}

TEST_F(Settings, RefusesAnEmptyListThatIsRequired) {
  options_[7].flags |= WALSPOUT_REQUIRED;
  resolve_with({raw("hosts", base::RawList{})});
  EXPECT_THAT(problems_, ElementsAre(HasSubstr("'hosts' is empty and needs one entry at least")));
}

TEST_F(Settings, TakesAListFromItsDefault) {
  options_[7].def = "[\"a\", \"b\"]";
  EXPECT_THAT(resolve_with({}), AllOf(Contains("hosts=a/0"), Contains("hosts=b/0")));
}

TEST_F(Settings, AnEmptyListIsNotReplacedByTheDefault) {
  options_[7].def = "[\"a\"]";
  EXPECT_THAT(resolve_with({raw("hosts", base::RawList{})}), Not(Contains("hosts=a/0")));
}

TEST_F(Settings, NeverShowASecretInAProblem) {
  resolve_with({text("pin", "hunter2")});
  EXPECT_THAT(problems_, ElementsAre(AllOf(HasSubstr("'pin'"), Not(HasSubstr("hunter2")))));
}

TEST_F(Settings, HideSecretsAndPasswordsInUrlsForTheLog) {
  resolve_with({text("token", "hunter2"), text("mode", "https://me:p@ss@host/a@b")});
  EXPECT_THAT(settings_.redacted(),
              ElementsAre(Pair("path", "/x"), Pair("mode", "https://me:***@host/a@b"),
                          Pair("token", "***")));
}

TEST_F(Settings, LeaveUrlsWithoutAPasswordAsTheyAre) {
  resolve_with({text("mode", "https://me@host:80/a:b@c")});
  EXPECT_THAT(settings_.redacted(), Contains(Pair("mode", "https://me@host:80/a:b@c")));
}

}  // namespace
}  // namespace walspout::sink
