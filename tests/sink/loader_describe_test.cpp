#include <gmock/gmock.h>

#include "sink/describe.hpp"

namespace walspout::sink {
namespace {

using testing::ElementsAre;

constexpr walspout_option kOptions[] = {
    {"path", WALSPOUT_PATH, WALSPOUT_REQUIRED, nullptr, "The file."},
    {"api-token", WALSPOUT_STRING, WALSPOUT_SECRET, nullptr, "Who."},
    {"mode", WALSPOUT_STRING, 0, "auto", "How."},
    {"timeout", WALSPOUT_DURATION_MS, 0, "\"30s\"", "How long."},
    {"rows", WALSPOUT_INT, 0, "5", "How many."},
    {"hosts", WALSPOUT_STRING, WALSPOUT_LIST, nullptr, "Where."},
    {"headers", WALSPOUT_STRING, WALSPOUT_TABLE, nullptr, "What else."}};

walspout_plugin demo() {
  walspout_plugin plugin{};
  plugin.name = "demo";
  plugin.options = kOptions;
  plugin.option_count = std::size(kOptions);
  return plugin;
}

TEST(Describe, RowsCarryTypesAndDefaultsAsInToml) {
  const auto rows = option_rows(demo());
  ASSERT_EQ(rows.size(), 7U);
  EXPECT_TRUE(rows[0].required);
  EXPECT_EQ(rows[0].type, "path");
  EXPECT_TRUE(rows[1].secret);
  EXPECT_EQ(rows[2].default_value, "\"auto\"");
  EXPECT_EQ(rows[3].default_value, "\"30s\"");
  EXPECT_EQ(rows[4].default_value, "5");
  EXPECT_EQ(rows[5].type, "list of strings");
  EXPECT_EQ(rows[6].type, "table of strings");
}

TEST(Describe, PrintsATable) {
  EXPECT_EQ(option_table(demo()),
            "option     type              default     meaning\n"
            "path       path              (required)  The file.\n"
            "api-token  string, secret                Who.\n"
            "mode       string            \"auto\"      How.\n"
            "timeout    duration          \"30s\"       How long.\n"
            "rows       integer           5           How many.\n"
            "hosts      list of strings               Where.\n"
            "headers    table of strings              What else.\n");
}

TEST(Describe, PrintsASinkToCopy) {
  EXPECT_EQ(sample_sink(demo()),
            "[[sink]]\n"
            "name = \"demo\"\n"
            "plugin = \"demo\"\n"
            "[sink.options]\n"
            "path = \"path\"                     # The file.\n"
            "# api-token = \"${env:API_TOKEN}\"  # Who.\n"
            "# mode = \"auto\"                   # How.\n"
            "# timeout = \"30s\"                 # How long.\n"
            "# rows = 5                        # How many.\n"
            "# hosts = [\"...\"]                 # Where.\n"
            "# headers = { name = \"...\" }      # What else.\n");
}

TEST(Describe, PrintsASinkWithoutOptions) {
  walspout_plugin plugin = demo();
  plugin.option_count = 0;
  EXPECT_EQ(sample_sink(plugin), "[[sink]]\nname = \"demo\"\nplugin = \"demo\"\n");
}

TEST(Describe, SaysWhatAPluginCan) {
  walspout_plugin plugin = demo();
  plugin.caps = WALSPOUT_CAP_SNAPSHOT;
  plugin.takes = WALSPOUT_TAKES_TRUNCATE | WALSPOUT_TAKES_SCHEMA;
  EXPECT_THAT(abilities(plugin),
              ElementsAre("takes the initial copy", "takes truncate", "takes schema changes"));
}

}  // namespace
}  // namespace walspout::sink
