#include <gtest/gtest.h>

#include "config/redact.hpp"

namespace walspout::config {
namespace {

struct Case {
  const char* url;
  const char* shown;
};

class Redact : public ::testing::TestWithParam<Case> {};

TEST_P(Redact, HidesSecretsAndKeepsTheRest) {
  EXPECT_EQ(redact_url(GetParam().url), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(
    Urls, Redact,
    ::testing::Values(
        Case{"postgresql://u@h:5432/db?sslmode=require",
             "postgresql://u@h:5432/db?sslmode=require"},
        Case{"postgres://u:S3cr3tPw%21@h/db", "postgres://u:***@h/db"},
        Case{"postgresql://u:a:b@h1:1,h2:2/db", "postgresql://u:***@h1:1,h2:2/db"},
        Case{"postgresql://u:p@ss/w?rd@h/db", "postgresql://u:***@h/db"},
        Case{"postgresql://h/db?user=u&password=S3cr3tPw&sslpassword=x",
             "postgresql://h/db?user=u&password=***&sslpassword=***"},
        Case{"postgresql://h/db?pass%77ord=S3cr3tPw", "postgresql://h/db?pass%77ord=***"},
        Case{"postgresql://h/db?password=a@b", "postgresql://h/db?password=***"},
        Case{"postgresql:///db", "postgresql:///db"},
        Case{"host=h password=S3cr3tPw! user=u", "host=h password=*** user=u"},
        Case{"host = h PASSWORD = 'a \\' b' user=u", "host=h PASSWORD=*** user=u"},
        Case{"host=h password=a\\ b user=u", "host=h password=*** user=u"},
        Case{"host=h password='never closed user=u", "***"}, Case{"S3cr3tPw", "***"},
        Case{"host=h S3cr3tPw", "***"}, Case{"", ""},
        Case{"https://user:WhPw@h/p?token=TkN&x", "https://user:***@h/p?token=***&***"},
        Case{"https://h/p?token=T@kN", "https://h/p?token=***"}));

}  // namespace
}  // namespace walspout::config
