#include <gtest/gtest.h>

#include "postgres/copy_reader.hpp"

namespace walspout::postgres {

namespace {

// "NULL" for a null, else the value in brackets.
std::string shown(const std::string& line, std::size_t columns) {
  base::Arena arena;
  std::string text;
  for (const auto& value : parse_copy_row(line, columns, arena)) {
    text += value.state == WALSPOUT_NULL
                ? "NULL"
                : "[" + std::string(static_cast<const char*>(value.data), value.size) + "]";
  }
  return text;
}

}  // namespace

TEST(CopyRow, TabsSeparateValues) { EXPECT_EQ(shown("1\ttwo\t3\n", 3), "[1][two][3]"); }

TEST(CopyRow, NullIsNotTheEmptyString) { EXPECT_EQ(shown("\\N\t\t\\N\n", 3), "NULL[]NULL"); }

TEST(CopyRow, AValueThatReadsLikeNullIsEscapedAndStaysText) {
  EXPECT_EQ(shown("\\\\N\tN\n", 2), "[\\N][N]");
}

TEST(CopyRow, EveryEscapeBecomesItsCharacter) {
  EXPECT_EQ(shown("\\b\\f\\n\\r\\t\\v\\\\\\q\n", 1), "[\b\f\n\r\t\v\\q]");
}

TEST(CopyRow, OctalAndHexadecimalEscapesAreRead) {
  EXPECT_EQ(shown("\\101\\x42\\x4zz\\7.\n", 1), "[AB\4zz\7.]");
}

TEST(CopyRow, ABackslashAtTheEndStays) { EXPECT_EQ(shown("a\\\n", 1), "[a\\]"); }

TEST(CopyRow, NoColumnsIsAnEmptyLine) { EXPECT_EQ(shown("\n", 0), ""); }

TEST(CopyRow, OneEmptyValueIsAnEmptyLineToo) { EXPECT_EQ(shown("\n", 1), "[]"); }

TEST(CopyRow, TooFewValuesAreRefused) { EXPECT_THROW(shown("1\t2\n", 3), std::runtime_error); }

TEST(CopyRow, TooManyValuesAreRefused) { EXPECT_THROW(shown("1\t2\n", 1), std::runtime_error); }

TEST(CopyRow, AValueWithoutAnyColumnIsRefused) {
  EXPECT_THROW(shown("1\n", 0), std::runtime_error);
}

}  // namespace walspout::postgres
