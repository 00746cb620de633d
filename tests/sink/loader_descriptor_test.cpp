#include <gmock/gmock.h>

#include <cstring>
#include <vector>

#include "sink/descriptor.hpp"

namespace walspout::sink {
namespace {

using testing::HasSubstr;
using testing::Optional;

walspout_status open_sink(const walspout_open_args*, walspout_open_reply*, walspout_error*) {
  return WALSPOUT_FATAL;
}
walspout_status write_changes(walspout_instance*, const walspout_batch*, walspout_error*) {
  return WALSPOUT_FATAL;
}
walspout_status flush_changes(walspout_instance*, walspout_lsn*, walspout_error*) {
  return WALSPOUT_FATAL;
}
void close_sink(walspout_instance*) {}

class Descriptor : public testing::Test {
 protected:
  Descriptor() {
    plugin_.struct_size = sizeof plugin_;
    plugin_.abi_major = WALSPOUT_ABI_MAJOR;
    plugin_.name = "demo";
    plugin_.version = "1.0";
    plugin_.summary = "A demo.";
    plugin_.open = open_sink;
    plugin_.write = write_changes;
    plugin_.flush = flush_changes;
    plugin_.close = close_sink;
  }
  std::optional<std::string> check(std::string_view expected = {}) {
    return check_descriptor(&plugin_, expected);
  }
  std::optional<std::string> check_option(walspout_option option) {
    plugin_.options = &option;
    plugin_.option_count = 1;
    return check();
  }

  walspout_plugin plugin_{};
};

TEST_F(Descriptor, AcceptsOneWithoutOptions) { EXPECT_EQ(check("demo"), std::nullopt); }

TEST_F(Descriptor, RefusesNull) {
  EXPECT_THAT(check_descriptor(nullptr, ""), Optional(HasSubstr("returned NULL")));
}

TEST_F(Descriptor, RefusesAWildSize) {
  plugin_.struct_size = 0xdeadbeef;
  EXPECT_THAT(check(), Optional(HasSubstr("impossible size")));
}

TEST_F(Descriptor, ReadsNothingBehindAShortStruct) {
  // Exactly the bytes that are announced, on the heap: a sanitizer sees any read behind them.
  for (std::size_t size = 8; size < sizeof plugin_; ++size) {
    std::vector<char> bytes(size);
    plugin_.struct_size = static_cast<std::uint32_t>(size);
    std::memcpy(bytes.data(), &plugin_, size);
    EXPECT_NE(check_descriptor(reinterpret_cast<const walspout_plugin*>(bytes.data()), ""),
              std::nullopt);
  }
}

TEST_F(Descriptor, NamesEveryMissingCallback) {
  plugin_.open = nullptr;
  plugin_.flush = nullptr;
  EXPECT_THAT(check(), Optional(testing::EndsWith("callbacks open, flush")));
}

TEST_F(Descriptor, AcceptsMissingOptionalCallbacks) {
  plugin_.abort = nullptr;
  plugin_.check = nullptr;
  EXPECT_EQ(check(), std::nullopt);
}

TEST_F(Descriptor, RefusesMissingTexts) {
  plugin_.summary = nullptr;
  EXPECT_THAT(check(), Optional(HasSubstr("does not give its name")));
}

TEST_F(Descriptor, RefusesANameThatIsNone) {
  plugin_.name = "My Plugin";
  EXPECT_THAT(check(), Optional(HasSubstr("'My Plugin'")));
}

TEST_F(Descriptor, RefusesAnotherNameThanExpected) {
  EXPECT_THAT(check("sqlite"), Optional(HasSubstr("is plugin 'demo', not 'sqlite'")));
}

TEST_F(Descriptor, RefusesOptionsThatAreNotThere) {
  plugin_.option_count = 3;
  EXPECT_THAT(check(), Optional(HasSubstr("announces 3 options")));
}

TEST_F(Descriptor, RefusesTwoOptionsOfOneName) {
  const walspout_option options[] = {{"a", WALSPOUT_INT, 0, nullptr, ""},
                                     {"a", WALSPOUT_BOOL, 0, nullptr, ""}};
  plugin_.options = options;
  plugin_.option_count = 2;
  EXPECT_THAT(check(), Optional(HasSubstr("the option 'a' twice")));
}

TEST_F(Descriptor, RefusesOptionNamesThatAreNone) {
  EXPECT_THAT(check_option({nullptr, WALSPOUT_INT, 0, nullptr, ""}), Optional(HasSubstr("NULL")));
  EXPECT_THAT(check_option({"a.b", WALSPOUT_INT, 0, nullptr, ""}), Optional(HasSubstr("'a.b'")));
}

TEST_F(Descriptor, RefusesAnOptionWithoutADescription) {
  EXPECT_THAT(check_option({"a", WALSPOUT_INT, 0, nullptr, nullptr}),
              Optional(HasSubstr("has no description")));
}

TEST_F(Descriptor, RefusesAListThatIsATable) {
  EXPECT_THAT(check_option({"a", WALSPOUT_INT, WALSPOUT_LIST | WALSPOUT_TABLE, nullptr, ""}),
              Optional(HasSubstr("is a list and a table")));
}

TEST_F(Descriptor, AcceptsDefaultsThatFit) {
  const walspout_option options[] = {{"a", WALSPOUT_STRING, 0, "auto", ""},
                                     {"b", WALSPOUT_STRING, 0, "\"with \\\"quotes\\\"\"", ""},
                                     {"c", WALSPOUT_BOOL, 0, "true", ""},
                                     {"d", WALSPOUT_INT, 0, "-12", ""},
                                     {"e", WALSPOUT_FLOAT, 0, "0.5", ""},
                                     {"f", WALSPOUT_FLOAT, 0, "1", ""},
                                     {"g", WALSPOUT_DURATION_MS, 0, "\"30s\"", ""},
                                     {"h", WALSPOUT_DURATION_MS, 0, "30s", ""},
                                     {"i", WALSPOUT_BYTES, 0, "64KiB", ""},
                                     {"j", WALSPOUT_PATH, 0, "out.jsonl", ""},
                                     {"k", WALSPOUT_STRING, WALSPOUT_LIST, "[\"a\", 'b',]", ""},
                                     {"l", WALSPOUT_INT, WALSPOUT_LIST, "[]", ""},
                                     {"m", WALSPOUT_STRING, WALSPOUT_TABLE, "{}", ""}};
  plugin_.options = options;
  plugin_.option_count = std::size(options);
  EXPECT_EQ(check(), std::nullopt);
}

TEST_F(Descriptor, RefusesDefaultsThatDoNotFit) {
  const walspout_option options[] = {{"a", WALSPOUT_STRING, 0, "\"open", ""},
                                     {"b", WALSPOUT_STRING, 0, "\"a\\q\"", ""},
                                     {"c", WALSPOUT_BOOL, 0, "yes", ""},
                                     {"d", WALSPOUT_INT, 0, "1.5", ""},
                                     {"e", WALSPOUT_INT, 0, "", ""},
                                     {"f", WALSPOUT_FLOAT, 0, "x", ""},
                                     {"g", WALSPOUT_DURATION_MS, 0, "30", ""},
                                     {"h", WALSPOUT_BYTES, 0, "64KB", ""},
                                     {"i", WALSPOUT_PATH, 0, "", ""},
                                     {"j", WALSPOUT_STRING, WALSPOUT_LIST, "\"a\"", ""},
                                     {"k", WALSPOUT_INT, WALSPOUT_LIST, "[1, \"a\"]", ""},
                                     {"l", WALSPOUT_INT, WALSPOUT_LIST, "[1", ""},
                                     {"m", WALSPOUT_STRING, WALSPOUT_TABLE, "{ a = 1 }", ""}};
  for (const walspout_option& option : options)
    EXPECT_THAT(check_option(option), Optional(HasSubstr("has the default"))) << option.name;
}

TEST_F(Descriptor, RefusesClaimsThatContradict) {
  plugin_.caps = WALSPOUT_CAP_READ_BACK;
  EXPECT_THAT(check(), Optional(HasSubstr("has no reader")));
  plugin_.caps = WALSPOUT_CAP_SHADOW;
  EXPECT_THAT(check(), Optional(HasSubstr("without WALSPOUT_CAP_SNAPSHOT")));
  plugin_.caps = WALSPOUT_NEEDS_KEY;
  plugin_.takes = WALSPOUT_TAKES_NO_KEY;
  EXPECT_THAT(check(), Optional(HasSubstr("exclude each other")));
  plugin_.caps = WALSPOUT_NEEDS_FULL_ROW;
  plugin_.takes = WALSPOUT_TAKES_PARTIAL_ROW;
  EXPECT_THAT(check(), Optional(HasSubstr("exclude each other")));
}

}  // namespace
}  // namespace walspout::sink
