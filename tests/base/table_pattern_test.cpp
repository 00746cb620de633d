#include "base/table_pattern.hpp"

#include <gtest/gtest.h>

#include <string>

namespace walspout::base {
namespace {

TEST(Glob, StarStandsForAnyCharactersAndQuestionMarkForOne) {
  EXPECT_TRUE(glob_match("a*c", "ac"));
  EXPECT_TRUE(glob_match("a*c", "abcbc"));
  EXPECT_FALSE(glob_match("a*c", "abcd"));
  EXPECT_TRUE(glob_match("a?c", "abc"));
  EXPECT_FALSE(glob_match("a?c", "ac"));
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("**", "x"));
  EXPECT_FALSE(glob_match("?", ""));
  EXPECT_FALSE(glob_match("", "x"));
  EXPECT_TRUE(glob_match("", ""));
}

TEST(Glob, TriesEveryPlaceForAStar) {
  EXPECT_TRUE(glob_match("*ab*abc", "ababxababc"));
  EXPECT_FALSE(glob_match("*ab*abd", "ababxababc"));
}

TEST(Glob, ManyStarsDoNotTakeForEver) {
  const std::string text(5000, 'a');
  std::string pattern;
  for (int i = 0; i < 30; ++i) pattern += "a*";
  EXPECT_FALSE(glob_match(pattern + "b", text));
}

TEST(TablePatterns, NoneMeansAllTables) {
  EXPECT_TRUE(TablePatterns().matches("any", "table"));
  EXPECT_TRUE(TablePatterns().all());
}

TEST(TablePatterns, MatchSchemaAndTable) {
  const TablePatterns patterns({"public.*"});
  EXPECT_TRUE(patterns.matches("public", "orders"));
  EXPECT_FALSE(patterns.matches("private", "orders"));
  EXPECT_FALSE(patterns.matches("republic", "orders"));
  EXPECT_FALSE(patterns.all());
}

TEST(TablePatterns, ExclamationMarkTakesAway) {
  const TablePatterns patterns({"public.*", "!public.audit_*"});
  EXPECT_TRUE(patterns.matches("public", "orders"));
  EXPECT_FALSE(patterns.matches("public", "audit_log"));
}

TEST(TablePatterns, TheLastPatternThatMatchesDecides) {
  const TablePatterns patterns({"public.*", "!public.audit_*", "public.audit_kept"});
  EXPECT_TRUE(patterns.matches("public", "audit_kept"));
  EXPECT_FALSE(patterns.matches("public", "audit_log"));
}

TEST(TablePatterns, ListThatStartsWithAnExclamationMarkStartsFromAllTables) {
  const TablePatterns patterns({"!public.audit_*"});
  EXPECT_TRUE(patterns.matches("other", "orders"));
  EXPECT_FALSE(patterns.matches("public", "audit_log"));
}

TEST(TablePatterns, CaseCounts) {
  EXPECT_FALSE(TablePatterns({"public.Orders"}).matches("public", "orders"));
}

}  // namespace
}  // namespace walspout::base
