#include "control/requests.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace walspout::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

template <typename Parse>
std::string refusal(Parse parse, const std::vector<std::string>& words) {
  try {
    parse(words);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Resync, WithoutPatternsMeansAllTables) {
  const Resync resync = parse_resync({"resync"});
  EXPECT_EQ(resync.sink, "");
  EXPECT_THAT(resync.patterns, IsEmpty());
  EXPECT_THAT(to_words(resync), ElementsAre("resync"));
}

TEST(Resync, NamesASinkAndPatterns) {
  const std::vector<std::string> words = {"resync", "--sink", "mirror", "public.*", "!public.a"};
  const Resync resync = parse_resync(words);
  EXPECT_EQ(resync.sink, "mirror");
  EXPECT_THAT(resync.patterns, ElementsAre("public.*", "!public.a"));
  EXPECT_EQ(to_words(resync), words);
}

TEST(Resync, ASinkWithoutANameIsRefused) {
  EXPECT_EQ(refusal(parse_resync, {"resync", "--sink"}),
            "resync --sink has no name; give the sink's name after it");
  EXPECT_NE(refusal(parse_resync, {"resync", "--sink", "", "public.a"}), "");
}

TEST(Resync, APatternWithoutASchemaIsRefused) {
  for (const char* pattern : {"orders", "", "!", ".", "a.", ".a", "!.a", "--sink"})
    EXPECT_NE(refusal(parse_resync, {"resync", "public.a", pattern}), "") << pattern;
}

TEST(Repair, HasASinkATableAndAKey) {
  const std::vector<std::string> words = {"repair", "mirror", "public", "t", "a", "1", "b", ""};
  const Repair repair = parse_repair(words);
  EXPECT_EQ(repair.sink, "mirror");
  EXPECT_EQ(repair.schema, "public");
  EXPECT_EQ(repair.table, "t");
  EXPECT_THAT(repair.key, ElementsAre(Pair("a", "1"), Pair("b", "")));
  EXPECT_EQ(to_words(repair), words);
}

TEST(Repair, WithoutAKeyIsRefused) {
  EXPECT_NE(refusal(parse_repair, {"repair", "mirror", "public", "t"}), "");
}

TEST(Repair, AColumnWithoutAValueIsRefused) {
  EXPECT_NE(refusal(parse_repair, {"repair", "mirror", "public", "t", "a"}), "");
  EXPECT_NE(refusal(parse_repair, {"repair", "mirror", "public", "t", "a", "1", "b"}), "");
}

}  // namespace
}  // namespace walspout::control
