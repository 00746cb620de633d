#include <gtest/gtest.h>
#include <walspout/event_fields.hpp>
#include <walspout/json_text.hpp>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>

namespace walspout {
namespace {

using Json = nlohmann::json;

std::string as_string(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

std::string as_base64(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

std::string as_json(std::string_view text) {
  std::string out;
  append_json(out, text);
  return out;
}

std::string as_number(std::string_view text) {
  std::string out;
  append_number(out, text);
  return out;
}

TEST(JsonText, PlainTextIsQuotedAndNothingElse) {
  EXPECT_EQ(as_string(""), R"("")");
  EXPECT_EQ(as_string("a slash / stays, as does DEL \x7f"),
            "\"a slash / stays, as does DEL \x7f\"");
}

TEST(JsonText, ControlCharactersQuotesAndBackslashesAreEscaped) {
  EXPECT_EQ(as_string("\"\\\b\f\n\r\t\x01\x1f"), R"("\"\\\b\f\n\r\t\u0001\u001f")");
  EXPECT_EQ(as_string(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(JsonText, EveryPlaceInABlockIsLookedAt) {
  for (std::size_t size = 1; size < 70; ++size)
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'x');
      text[at] = '"';
      EXPECT_EQ(Json::parse(as_string(text)).get<std::string>(), text) << size << " " << at;
    }
}

TEST(JsonText, UnicodeStaysUtf8) {
  EXPECT_EQ(as_string("\xC3\xA9\xF0\x9F\x98\x80\xEF\xBF\xBE\xEF\xBB\xBF"),
            "\"\xC3\xA9\xF0\x9F\x98\x80\xEF\xBF\xBE\xEF\xBB\xBF\"");
}

TEST(JsonText, LineEndsOfUnicodeAreEscaped) {
  EXPECT_EQ(as_string("a\xE2\x80\xA8"
                      "b\xE2\x80\xA9"
                      "c\xC2\x85"),
            R"("a\u2028b\u2029c\u0085")");
}

struct BadUtf8 {
  const char* name;
  std::string_view bytes;
  int replacements;
};

class JsonTextBadUtf8 : public testing::TestWithParam<BadUtf8> {};

TEST_P(JsonTextBadUtf8, BecomesReplacementCharacters) {
  std::string expected = "\"a";
  for (int i = 0; i < GetParam().replacements; ++i) expected += "\xEF\xBF\xBD";
  expected += "b\"";
  EXPECT_EQ(as_string("a" + std::string(GetParam().bytes) + "b"), expected);
  EXPECT_EQ(as_json("\"a" + std::string(GetParam().bytes) + "b\""), expected);
}

INSTANTIATE_TEST_SUITE_P(Bytes, JsonTextBadUtf8,
                         testing::Values(BadUtf8{"LoneContinuation", "\x80", 1},
                                         BadUtf8{"Latin1", "\xE9", 1},
                                         BadUtf8{"OverlongTwo", "\xC0\xAF", 2},
                                         BadUtf8{"OverlongThree", "\xE0\x80\xAF", 3},
                                         BadUtf8{"OverlongFour", "\xF0\x80\x80\xAF", 4},
                                         BadUtf8{"Surrogate", "\xED\xA0\x80", 3},
                                         BadUtf8{"AboveUnicode", "\xF4\x90\x80\x80", 4},
                                         BadUtf8{"Never", "\xFF", 1},
                                         BadUtf8{"CutShort", "\xE2\x82", 2}),
                         [](const auto& info) { return info.param.name; });

TEST(JsonText, ACharacterCutOffByTheEndIsReplaced) {
  EXPECT_EQ(as_string("a\xF0\x9F\x98"), "\"a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(JsonText, AnyBytesGiveValidJsonOnOneLine) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (char& c : bytes)
      c = static_cast<char>(random() % 3 == 0 ? random() % 256 : 0x20 + random() % 0x5F);
    const std::string out = as_string(bytes);
    ASSERT_TRUE(Json::accept(out)) << out;
    ASSERT_EQ(out.find('\n'), std::string::npos);
  }
}

TEST(JsonText, NumbersKeepAllTheirDigits) {
  for (const char* text : {"0", "-0", "9223372036854775807", "-9223372036854775808", "1e+300",
                           "1E400", "0.1000000000000000000001", "-1.5e-07", "18446744073709551616"})
    EXPECT_EQ(as_number(text), text);
}

TEST(JsonText, WhatIsNoJsonNumberIsQuoted) {
  for (const char* text : {"NaN", "Infinity", "-Infinity", "", "-", "01", "1.", ".5", "1e", "1e+",
                           "+1", "0x10", "1 ", "1,5", "--1"})
    EXPECT_EQ(as_number(text), '"' + std::string(text) + '"');
}

TEST(JsonText, EmbeddedJsonIsVerbatim) {
  for (const char* text :
       {R"({"n":18446744073709551616.000000000000000001})", R"({"n": 1E400})", "-0",
        R"({"a":1,  "a":2})", R"("\ud800")", R"({"a":"\u0000"})", "\"\xE2\x80\xA8\"", "null"})
    EXPECT_EQ(as_json(text), text);
}

TEST(JsonText, LineEndsBetweenTokensOfEmbeddedJsonBecomeBlanks) {
  EXPECT_EQ(as_json("{\n  \"a\":\r\n\t1\n}"), "{   \"a\":  \t1 }");
}

TEST(JsonText, Base64IsThatOfTheStandard) {  // RFC 4648 section 10
  EXPECT_EQ(as_base64(""), R"("")");
  EXPECT_EQ(as_base64("f"), R"("Zg==")");
  EXPECT_EQ(as_base64("fo"), R"("Zm8=")");
  EXPECT_EQ(as_base64("foo"), R"("Zm9v")");
  EXPECT_EQ(as_base64("foobar"), R"("Zm9vYmFy")");
  EXPECT_EQ(as_base64("\xFB\xFF\xBF"), R"("+/+/")");
}

TEST(JsonText, HexOfByteaBecomesBase64) {
  std::string out;
  EXPECT_TRUE(append_base64_of_hex(out, "\\x666f6F62"));
  EXPECT_EQ(out, R"("Zm9vYg==")");
  for (const char* text : {"", "\\", "\\x0", "\\xzz", "abc", "\\\\x00"})
    EXPECT_FALSE(append_base64_of_hex(out, text)) << text;
  EXPECT_EQ(out, R"("Zm9vYg==")");
}

TEST(EventFields, TimestampsAreUtcWithMicroseconds) {
  const auto at = [](std::int64_t us) {
    std::string out;
    append_timestamp(out, us);
    return out;
  };
  EXPECT_EQ(at(0), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(at(1769860800123456), "2026-01-31T12:00:00.123456Z");
  EXPECT_EQ(at(951782400000000), "2000-02-29T00:00:00.000000Z");
  EXPECT_EQ(at(-1), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(at(4102444799999999), "2099-12-31T23:59:59.999999Z");
}

TEST(EventFields, PositionsArePrintedAsPostgresDoes) {
  const auto lsn = [](walspout_lsn value) {
    std::string out;
    append_lsn(out, value);
    return out;
  };
  EXPECT_EQ(lsn(0), "0/0");
  EXPECT_EQ(lsn(0x16B374D848), "16/B374D848");
  EXPECT_EQ(lsn(~walspout_lsn{0}), "FFFFFFFF/FFFFFFFF");
}

}  // namespace
}  // namespace walspout
