#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "config/load.hpp"
#include "config_file.hpp"

namespace walspout::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kSmall =
    "[source]\nurl = \"postgresql://h/db\"\n[[sink]]\nname = \"a\"\nplugin = \"sqlite\"\n";

constexpr const char* kFull = R"([host]
name        = "shop"
memory      = "128MiB"
plugin_path = ["plugins", "/opt/plugins"]
[source]
url         = "host=db user=repl dbname=shop"
slot        = "s1"
publication = "P 1"
tables      = ["public.*", "!public.audit_*"]
snapshot    = "never"
temporary   = false
streaming   = false
on_slot_lost     = "resync"
on_schema_change = "stop"
[state]
directory = "state"
[log]
level  = "debug"
format = "json"
[[sink]]
name       = "mirror"
plugin     = "./mine.so"
tables     = ["public.orders"]
operations = ["insert", "delete"]
exclude_columns = ["public.users.password_hash"]
on_poison  = "skip"
snapshot   = "initial"
[sink.options]
path = "shop.db"
count = 3
ratio = 0.5
on = true
list = ["x", "y"]
[sink.options.headers]
Zeta = "1"
Alpha = "2"
[[sink]]
name = "second"
plugin = "file"
)";

// The configuration of a file that must be right.
Config loaded(const ConfigFile& file) {
  LoadResult result = load(file.path());
  EXPECT_EQ(file.lines(result), "");
  if (!result.config) throw std::runtime_error("the file has problems");
  return std::move(*result.config);
}

TEST(Load, LeavesDefaultsForWhatTheFileDoesNotName) {
  const ConfigFile file(kSmall);
  const Config config = loaded(file);
  EXPECT_EQ(config.file, file.path());
  EXPECT_EQ(config.directory, file.folder());
  EXPECT_EQ(config.host.name, "shop");
  EXPECT_EQ(config.host.memory, 64U << 20);
  EXPECT_EQ(config.state.directory, file.folder() / "shop.state");
  EXPECT_EQ(config.source.slot, "walspout");
  EXPECT_EQ(config.source.publication, "walspout");
  EXPECT_TRUE(config.source.tables.all());
  EXPECT_EQ(config.source.snapshot, Snapshot::kInitial);
  EXPECT_TRUE(config.source.streaming);
  EXPECT_EQ(config.source.on_slot_lost, OnSlotLost::kStop);
  EXPECT_EQ(config.source.on_schema_change, OnSchemaChange::kApply);
  EXPECT_EQ(config.log.level, log::Level::kInfo);
  ASSERT_EQ(config.sinks.size(), 1U);
  EXPECT_FALSE(config.sinks[0].operations.has_value());
  EXPECT_TRUE(config.sinks[0].tables.all());
  EXPECT_EQ(config.sinks[0].on_poison, OnPoison::kStop);
  EXPECT_TRUE(config.sinks[0].options.empty());
}

TEST(Load, ReadsEveryKey) {
  const ConfigFile file(kFull);
  const Config config = loaded(file);
  EXPECT_EQ(config.host.memory, 128U << 20);
  EXPECT_THAT(config.host.plugin_path, ElementsAre(file.folder() / "plugins", "/opt/plugins"));
  EXPECT_EQ(config.source.url, "host=db user=repl dbname=shop");
  EXPECT_EQ(config.source.slot, "s1");
  EXPECT_EQ(config.source.publication, "P 1");
  EXPECT_TRUE(config.source.tables.matches("public", "orders"));
  EXPECT_FALSE(config.source.tables.matches("public", "audit_1"));
  EXPECT_EQ(config.source.snapshot, Snapshot::kNever);
  EXPECT_FALSE(config.source.streaming);
  EXPECT_EQ(config.source.on_slot_lost, OnSlotLost::kResync);
  EXPECT_EQ(config.source.on_schema_change, OnSchemaChange::kStop);
  EXPECT_EQ(config.state.directory, file.folder() / "state");
  EXPECT_EQ(config.log.level, log::Level::kDebug);
  EXPECT_EQ(config.log.format, log::Format::kJson);
  ASSERT_EQ(config.sinks.size(), 2U);
  const Sink& sink = config.sinks[0];
  EXPECT_EQ(sink.name, "mirror");
  EXPECT_EQ(sink.plugin, (file.folder() / "mine.so").string());
  EXPECT_EQ(sink.at.line, 20);
  EXPECT_EQ(sink.plugin_at.line, 22);
  ASSERT_TRUE(sink.operations.has_value());
  EXPECT_TRUE(sink.operations->insert);
  EXPECT_FALSE(sink.operations->update);
  EXPECT_TRUE(sink.operations->delete_);
  EXPECT_FALSE(sink.operations->truncate);
  EXPECT_THAT(sink.exclude_columns, ElementsAre("public.users.password_hash"));
  EXPECT_EQ(sink.on_poison, OnPoison::kSkip);
  EXPECT_EQ(sink.snapshot, SinkSnapshot::kInitial);
  EXPECT_EQ(config.sinks[1].name, "second");
}

TEST(Load, KeepsOptionsAsTheyAreWrittenInTheFilesOrder) {
  const ConfigFile file(kFull);
  const Config config = loaded(file);
  const std::vector<base::RawOption>& options = config.sinks[0].options;
  ASSERT_EQ(options.size(), 6U);
  EXPECT_EQ(options[0].name, "path");
  EXPECT_EQ(std::get<std::string>(options[0].value), "shop.db");
  EXPECT_EQ(options[0].at.line, 29);
  EXPECT_EQ(options[0].at.column, 8);
  EXPECT_EQ(std::get<std::int64_t>(options[1].value), 3);
  EXPECT_EQ(std::get<double>(options[2].value), 0.5);
  EXPECT_EQ(std::get<bool>(options[3].value), true);
  const auto& list = std::get<base::RawList>(options[4].value).items;
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(std::get<std::string>(list[1].value), "y");
  const auto& headers = std::get<base::RawTable>(options[5].value).entries;
  ASSERT_EQ(headers.size(), 2U);
  EXPECT_EQ(headers[0].name, "Zeta");
  EXPECT_EQ(headers[1].name, "Alpha");
}

TEST(Load, AcceptsAByteOrderMark) {
  const ConfigFile file(std::string("\xEF\xBB\xBF") + kSmall);
  EXPECT_EQ(loaded(file).source.url, "postgresql://h/db");
}

TEST(Load, AcceptsCrlfAndTabs) {
  std::string text;
  for (const char c : std::string(kSmall)) text += c == '\n' ? "\t\r\n" : std::string(1, c);
  const ConfigFile file(text);
  EXPECT_EQ(loaded(file).sinks[0].plugin, "sqlite");
}

TEST(Load, ReplacesVariablesAndFilesInsideAnyString) {
  ASSERT_EQ(setenv("WALSPOUT_TEST_PW", "a\"b#c$ ${env:HOME}", 1), 0);
  const ConfigFile file(R"([source]
url = "host=h password='${env:WALSPOUT_TEST_PW}' user=${file:user.txt}"
tables = ["public.${file:user.txt}"]
[[sink]]
name = "a"
plugin = "file"
[sink.options]
literal = "$${env:HOME} $ $$ ${file:empty.txt}|"
list = ["${file:crlf.txt}"]
headers = { a = "Bearer ${file:user.txt}" }
)");
  file.write("user.txt", "repl\n");
  file.write("crlf.txt", "x\r\n");
  file.write("empty.txt", "");
  const Config config = loaded(file);
  EXPECT_EQ(config.source.url, "host=h password='a\"b#c$ ${env:HOME}' user=repl");
  EXPECT_THAT(config.source.tables.patterns(), ElementsAre("public.repl"));
  const auto& options = config.sinks[0].options;
  EXPECT_EQ(std::get<std::string>(options[0].value), "${env:HOME} $ $$ |");
  EXPECT_EQ(std::get<std::string>(std::get<base::RawList>(options[1].value).items[0].value), "x");
  EXPECT_EQ(std::get<std::string>(std::get<base::RawTable>(options[2].value).entries[0].value),
            "Bearer repl");
}

TEST(Load, RemovesOneTrailingNewlineOfAFileOnly) {
  const ConfigFile file(std::string(kSmall) + "[sink.options]\na = \"${file:two.txt}\"\n");
  file.write("two.txt", "x\n\n");
  EXPECT_EQ(std::get<std::string>(loaded(file).sinks[0].options[0].value), "x\n");
}

TEST(Load, SaysThatAFileDoesNotExist) {
  const LoadResult result = load("/nonexistent/shop.toml");
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(to_string(result.problems[0]),
            "/nonexistent/shop.toml: the configuration does not exist; check the path");
}

TEST(Load, SaysThatAFileIsADirectory) {
  const ConfigFile file(kSmall);
  const LoadResult result = load(file.folder().string());
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(to_string(result.problems[0]),
            file.folder().string() + ": the configuration is a directory; give a file");
}

TEST(Load, SaysThatAFileIsEmpty) {
  const ConfigFile file("");
  EXPECT_EQ(file.lines(load(file.path())),
            "FILE: the file is empty; it needs a [source] with url and at least one [[sink]]\n");
}

TEST(Load, SaysThatAFileIsTooLarge) {
  const ConfigFile file(std::string(5 * 1024 * 1024, '#'));
  EXPECT_THAT(file.lines(load(file.path())), HasSubstr("is larger than 4194304 bytes"));
}

TEST(Load, SaysWhereTextIsNotUtf8) {
  const ConfigFile file("[source]\nurl = \"a\xFF\"\n");
  EXPECT_THAT(file.lines(load(file.path())), HasSubstr("FILE:2:"));
  EXPECT_THAT(file.lines(load(file.path())), HasSubstr("save the file as UTF-8"));
}

TEST(Load, RefusesUtf16) {
  const std::string text("\xFF\xFE[\0s\0", 6);
  const ConfigFile file(text);
  EXPECT_THAT(file.lines(load(file.path())), HasSubstr("save the file as UTF-8"));
}

TEST(Load, RefusesANulByteOutOfAFile) {
  const ConfigFile file(std::string(kSmall) + "[sink.options]\na = \"${file:nul.txt}\"\n");
  file.write("nul.txt", std::string("S3cr3t\0Pw", 9));
  EXPECT_EQ(file.lines(load(file.path())),
            "FILE:7:5: sink.a.options.a needs the file nul.txt, which is not text; give a file of "
            "one line\n");
}

TEST(Load, NamesThePipelineAfterAnyFile) {
  const ConfigFile file(kSmall, "shop.prod.toml");
  EXPECT_EQ(loaded(file).host.name, "shop.prod");
  const ConfigFile other(kSmall, "walspout.conf");
  EXPECT_EQ(loaded(other).host.name, "walspout.conf");
}

TEST(Load, RefusesAFileWhoseNameCannotNameThePipeline) {
  const ConfigFile file(kSmall, ".toml");
  EXPECT_THAT(file.lines(load(file.path())), HasSubstr("set name in [host]"));
}

}  // namespace
}  // namespace walspout::config
