#include <gtest/gtest.h>
#include <walspout/array.hpp>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>

namespace walspout {
namespace {

std::string array(std::string_view literal, std::uint32_t element) {
  std::string out;
  EXPECT_TRUE(append_array(out, literal, element)) << literal;
  return out;
}

TEST(Array, EmptyIsNeitherNullNorAnEmptyString) {
  EXPECT_EQ(array("{}", oid::kText), "[]");
  EXPECT_EQ(array(R"({""})", oid::kText), R"([""])");
}

TEST(Array, OnlyTheBareWordNullIsNull) {
  EXPECT_EQ(array(R"({"",NULL,"NULL",null})", oid::kText), R"(["",null,"NULL","null"])");
}

TEST(Array, DimensionsNest) {
  EXPECT_EQ(array("{{1,2},{3,NULL}}", oid::kInt4), "[[1,2],[3,null]]");
  EXPECT_EQ(array("{{{1},{2}}}", oid::kInt4), "[[[1],[2]]]");
}

TEST(Array, QuotesAndBackslashesAreUndone) {
  EXPECT_EQ(
      array("{\"a,b\",\"{x}\",\"\\\"q\\\"\",\"back\\\\slash\",\"nl\nx\",\" sp \"}", oid::kText),
      R"(["a,b","{x}","\"q\"","back\\slash","nl\nx"," sp "])");
}

TEST(Array, OtherLowerBoundsAreDropped) {
  EXPECT_EQ(array("[2:3]={a,b}", oid::kText), R"(["a","b"])");
  EXPECT_EQ(array("[0:1]={7,8}", oid::kInt4), "[7,8]");
  EXPECT_EQ(array("[-1:0][2:2]={{1},{2}}", oid::kInt4), "[[1],[2]]");
}

TEST(Array, ElementsAreWrittenByTheirType) {
  EXPECT_EQ(array("{NaN,1.10}", oid::kNumeric), R"(["NaN","1.10"])");
  EXPECT_EQ(array("{t,NULL,f}", oid::kBool), "[true,null,false]");
  EXPECT_EQ(array("{1e+300,NaN,-0}", oid::kFloat8), R"([1e+300,"NaN",-0])");
  EXPECT_EQ(array(R"({"\\x6869"})", oid::kBytea), R"(["aGk="])");
  EXPECT_EQ(array(R"({"{\"a\": 1}",null})", oid::kJson), R"([{"a": 1},null])");
  EXPECT_EQ(array("{9223372036854775807}", oid::kInt8), "[9223372036854775807]");
}

TEST(Array, BoxesAreSeparatedBySemicolons) {
  EXPECT_EQ(array("{(1,1),(0,0);(2,2),(1,1)}", oid::kBox), R"x(["(1,1),(0,0)","(2,2),(1,1)"])x");
}

class ArrayMalformed : public testing::TestWithParam<const char*> {};

TEST_P(ArrayMalformed, BecomesAStringWhole) {
  std::string out = "before";
  EXPECT_FALSE(append_array(out, GetParam(), oid::kText));
  EXPECT_EQ(out.substr(0, 6), "before");
  EXPECT_EQ(nlohmann::json::parse(out.substr(6)).get<std::string>(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Literals, ArrayMalformed,
                         testing::Values("", "{", "}", "{a", "{a,", "{a,}", "{,a}", "{}x", "{a}}",
                                         "{{a}{b}}", "{{a},", "{\"a", "{\"a\\", "{\"a\"b}",
                                         "{a\"b\"}", "{a{b}}", "{a\\", "[", "[1:2]",
                                         "[1:2]=", "[x]={a}", "1 2 3", "NULL"));

TEST(Array, DepthIsLimitedByMemoryAlone) {
  const std::string open(100000, '{'), close(100000, '}');
  EXPECT_EQ(array(open + "1" + close, oid::kInt4),
            std::string(100000, '[') + "1" + std::string(100000, ']'));
}

// What array_out() of PostgreSQL does (src/backend/utils/adt/arrayfuncs.c).
std::string literal_of(const nlohmann::json& value) {
  if (value.is_null()) return "NULL";
  if (value.is_array()) {
    std::string out = "{";
    for (const auto& item : value) out += (out.size() > 1 ? "," : "") + literal_of(item);
    return out + "}";
  }
  const auto text = value.get<std::string>();
  std::string lower = text;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!text.empty() && lower != "null" &&
      text.find_first_of("{},\"\\ \t\n\r\v\f") == std::string::npos)
    return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

nlohmann::json random_array(std::mt19937& random, int depth) {
  nlohmann::json value = nlohmann::json::array();
  const std::size_t size = 1 + random() % 4;
  for (std::size_t i = 0; i < size; ++i) {
    if (depth > 1) {
      value.push_back(random_array(random, depth - 1));
    } else if (random() % 5 == 0) {
      value.push_back(nullptr);
    } else {
      static constexpr std::string_view kSigns = "{},\"\\ \nNULnul;[]=:a\x01/";
      std::string text;
      for (std::size_t n = random() % 8; n != 0; --n) text += kSigns[random() % kSigns.size()];
      value.push_back(text);
    }
  }
  return value;
}

TEST(Array, AnyArrayOfTextComesBackAsItWas) {
  std::mt19937 random(2);
  for (int round = 0; round < 20000; ++round) {
    const nlohmann::json value = random_array(random, 1 + static_cast<int>(random() % 3));
    const std::string literal = literal_of(value);
    ASSERT_EQ(nlohmann::json::parse(array(literal, oid::kText)), value) << literal;
  }
}

TEST(Array, AnyTextGivesValidJson) {
  std::mt19937 random(3);
  static constexpr std::string_view kSigns = "{{}},,\"\"\\[]:=1aN;\n";
  for (int round = 0; round < 50000; ++round) {
    std::string text = random() % 2 == 0 ? "{" : "";
    for (std::size_t n = random() % 12; n != 0; --n) text += kSigns[random() % kSigns.size()];
    std::string out;
    append_array(out, text, oid::kText);
    ASSERT_TRUE(nlohmann::json::accept(out)) << text << " -> " << out;
  }
}

}  // namespace
}  // namespace walspout
