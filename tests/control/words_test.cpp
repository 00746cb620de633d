#include "control/words.hpp"

#include <gmock/gmock.h>

#include <random>

namespace walspout::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

TEST(Words, PlainOnesStayReadable) {
  EXPECT_EQ(encode_words({"resync", "--sink", "mirror", "!public.a_*"}),
            "resync --sink mirror !public.a_*");
}

TEST(Words, WhatWouldBreakTheLineIsEncoded) {
  EXPECT_EQ(encode_words({"a b", "c\nd", "50%", "é"}), "a%20b c%0Ad 50%25 %C3%A9");
}

TEST(Words, AnEmptyOneIsKeptWhereverItStands) {
  EXPECT_EQ(encode_words({"a", "", "b", ""}), "a  b ");
  EXPECT_THAT(decode_words("a  b "), Optional(ElementsAre("a", "", "b", "")));
}

TEST(Words, AnEmptyLineIsNone) { EXPECT_THAT(decode_words(""), Optional(IsEmpty())); }

TEST(Words, SmallHexDigitsAreTaken) {
  EXPECT_THAT(decode_words("%c3%A9"), Optional(ElementsAre("é")));
}

TEST(Words, PrintableCharactersMayStandForThemselves) {
  EXPECT_THAT(decode_words("public.\"x\""), Optional(ElementsAre("public.\"x\"")));
}

TEST(Words, APercentSignWithoutTwoDigitsIsRefused) {
  for (const char* line : {"%", "a%", "%4", "a b%4", "%4g", "%g4", "%%41", "%-1"})
    EXPECT_FALSE(decode_words(line)) << line;
}

TEST(Words, AByteThatShouldHaveBeenEncodedIsRefused) {
  for (const std::string line : {"a\tb", "a\rb", "\x7f", "\xc3\xa9", "a\nb"})
    EXPECT_FALSE(decode_words(line)) << line;
  EXPECT_FALSE(decode_words(std::string_view("a\0b", 3)));
}

TEST(Words, AnyBytesComeBackAsTheyWere) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> words(1 + random() % 5);
    for (std::string& word : words) {
      word.resize(random() % 20);
      for (char& c : word) c = static_cast<char>(random() % 256);
    }
    if (words.size() == 1 && words[0].empty()) continue;  // the empty line
    EXPECT_THAT(decode_words(encode_words(words)), Optional(words));
  }
}

}  // namespace
}  // namespace walspout::control
