// Mistakes in the settings.
#include "fixture.hpp"

namespace walspout::webhook_test {
namespace {

class OptionsTest : public WebhookTest {
 protected:
  // The message; "" when the settings are taken.
  std::string mistake(Settings wrong) {
    Driver sink(plugin_, settings(std::move(wrong)), state());
    const Reply opened = sink.open();
    const Reply checked = sink.check();
    EXPECT_EQ(opened.status, checked.status);
    EXPECT_EQ(opened.message, checked.message);
    EXPECT_TRUE(opened.ok() || opened.status == WALSPOUT_CONFIG) << opened.status;
    return opened.message;
  }
};

TEST_F(OptionsTest, AUrlIsHttpAndHoldsNoCredentials) {
  for (const char* url : {"", "example.com:x", "ftp://example.com/", "file:///etc/passwd",
                          "https://", "http:// bad/", "/hook"})
    EXPECT_THAT(mistake({{"url", url}}), HasSubstr("url")) << url;
  const std::string message = mistake({{"url", "https://me:s3cret@example.com/"}});
  EXPECT_THAT(message, HasSubstr("basic_user"));
  EXPECT_THAT(message, Not(HasSubstr("s3cret")));
  EXPECT_EQ(mistake({{"url", "https://example.com:8443/a?b=c"}}), "");
}

TEST_F(OptionsTest, HeadersThatAreNoneOrOursAreRefused) {
  for (const char* name : {"headers.A B", "headers.A:", "headers.\xC3\xA4", "headers.A\r\nB"})
    EXPECT_THAT(mistake({{name, "x"}}), HasSubstr("no name")) << name;
  EXPECT_THAT(mistake({{"headers.X", "a\r\nInjected: b"}}), HasSubstr("line end"));
  for (const char* name : {"headers.Webhook-Id", "headers.content-length", "headers.Connection"})
    EXPECT_THAT(mistake({{name, "x"}}), HasSubstr("remove")) << name;
}

TEST_F(OptionsTest, CredentialsAreOfOneKind) {
  EXPECT_THAT(mistake({{"bearer", "t"}, {"basic_user", "u"}, {"basic_password", "p"}}),
              HasSubstr("exclude"));
  EXPECT_THAT(mistake({{"basic_user", "u"}}), HasSubstr("together"));
  EXPECT_THAT(mistake({{"basic_password", "p"}}), HasSubstr("together"));
  EXPECT_THAT(mistake({{"basic_user", "u:v"}, {"basic_password", "p"}}), HasSubstr("colon"));
  EXPECT_THAT(mistake({{"bearer", "a\nb"}}), HasSubstr("line end"));
  EXPECT_THAT(mistake({{"bearer", "t"}, {"headers.authorization", "x"}}), HasSubstr("one of them"));
}

TEST_F(OptionsTest, NumbersHaveBounds) {
  EXPECT_THAT(mistake({{"batch_rows", "0"}}), HasSubstr("batch_rows"));
  EXPECT_THAT(mistake({{"batch_rows", "-1"}}), HasSubstr("batch_rows"));
  EXPECT_THAT(mistake({{"batch_bytes", "0B"}}), HasSubstr("batch_bytes"));
  EXPECT_THAT(mistake({{"concurrency", "0"}}), HasSubstr("concurrency"));
  EXPECT_THAT(mistake({{"concurrency", "65"}}), HasSubstr("concurrency"));
  EXPECT_THAT(mistake({{"timeout", "0ms"}}), HasSubstr("timeout"));
}

TEST_F(OptionsTest, WhatMakesNoSenseTogetherIsRefused) {
  EXPECT_THAT(mistake({{"batch_time", "1s"}}), HasSubstr("batch_rows"));
  EXPECT_THAT(mistake({{"compression", "zip"}}), HasSubstr("gzip"));
  EXPECT_THAT(mistake({{"client_cert", "/etc/hostname"}}), HasSubstr("together"));
}

}  // namespace
}  // namespace walspout::webhook_test
