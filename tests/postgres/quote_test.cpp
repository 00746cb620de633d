#include "postgres/quote.hpp"

#include <gtest/gtest.h>

namespace walspout::postgres {

TEST(Quote, IdentifierDoublesItsQuotesAndKeepsCase) {
  EXPECT_EQ(quote_identifier("We\"ird, Name"), "\"We\"\"ird, Name\"");
}

TEST(Quote, LiteralDoublesItsQuotesAndKeepsBackslashes) {
  EXPECT_EQ(quote_literal("it's \\n"), "'it''s \\n'");
}

TEST(Quote, PublicationNamesAreQuotedInsideAndOutside) {
  EXPECT_EQ(quote_publication_names({"a,b", "It's \"x\""}), R"('"a,b","It''s ""x"""')");
}

}  // namespace walspout::postgres
