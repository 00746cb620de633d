#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "postgres/connection.hpp"

namespace walspout::postgres {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Url, UrisAndPairsOfKeyAndValueAreRead) {
  EXPECT_EQ(url_problem("postgresql://repl:x@a:5432,b:5433/shop?sslmode=disable"), std::nullopt);
  EXPECT_EQ(url_problem("host=a port=5432 dbname=shop"), std::nullopt);
}

TEST(Url, WhatLibpqCannotReadIsRefusedWithoutQuotingIt) {
  const auto problem = url_problem("host=a password='S3cr3t dbname=x");
  ASSERT_TRUE(problem);
  EXPECT_THAT(*problem, Not(HasSubstr("S3cr3t")));
}

TEST(Url, APasswordWithABareSeparatorDoesNotEndUpInTheMessage) {
  for (const char* url : {"postgresql://u:S3c@r3t@h/d", "postgresql://u:p@S3c:r3t@h/d"}) {
    const auto problem = url_problem(url);
    ASSERT_TRUE(problem) << url;
    EXPECT_THAT(*problem, HasSubstr("percent-encoded"));
    EXPECT_THAT(*problem, Not(HasSubstr("r3t")));
    EXPECT_EQ(describe_url(url), "(unreadable url)");
  }
}

TEST(Url, PortsThatDoNotMatchTheHostsAreRefused) {
  EXPECT_TRUE(url_problem("host=a,b,c port=1,2"));
  EXPECT_FALSE(url_problem("host=a,b,c port=1"));
}

TEST(Url, DescriptionNamesHostPortDatabaseAndUserAndNoPassword) {
  EXPECT_EQ(describe_url("postgresql://repl:S3cr3t@db.example:6543/shop"),
            "host db.example port 6543, database shop, user repl");
}

TEST(Url, DescriptionFillsTheServersDefaults) {
  EXPECT_EQ(describe_url("host=db.example user=repl"),
            "host db.example port 5432, database repl, user repl");
}

}  // namespace walspout::postgres
