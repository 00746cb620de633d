// What each answer leads to.
#include <ctime>

#include "fixture.hpp"

namespace walspout::webhook_test {
namespace {

class StatusTest : public WebhookTest {
 protected:
  // Sends one event, which is answered so; then what the sink says to the host.
  Reply answered(HttpReply reply) {
    server_.answer(std::move(reply));
    Driver sink(plugin_, settings({{"bearer", "t0ken"}}), state());
    EXPECT_TRUE(sink.open().ok()) << sink.last().message;
    EXPECT_TRUE(put(sink, 0x100, 1).ok());
    return sink.flush();
  }
};

TEST_F(StatusTest, TwoHundredsAccept) {
  for (const int status : {200, 201, 202, 204, 226, 299}) EXPECT_TRUE(answered({status}).ok());
}

TEST_F(StatusTest, OverloadAndFaultsOfTheReceiverAreTriedAgain) {
  for (const int status : {408, 425, 429, 500, 501, 502, 503, 504, 505, 511, 599}) {
    const Reply reply = answered({status, {}, "go away"});
    EXPECT_EQ(reply.status, WALSPOUT_RETRY) << status;
    EXPECT_EQ(reply.retry_after_ms, 0u);
    EXPECT_THAT(reply.message, HasSubstr("answered " + std::to_string(status) + ": go away"));
  }
}

TEST_F(StatusTest, OtherFourHundredsArePoison) {
  for (const int status : {400, 401, 403, 404, 405, 406, 409, 411, 412, 415, 418, 422, 451}) {
    const Reply reply = answered({status, {}, "not this"});
    EXPECT_EQ(reply.status, WALSPOUT_POISON) << status;
    EXPECT_EQ(reply.commit_lsn, 0x100u);
    EXPECT_EQ(reply.ordinal, 0u);
    EXPECT_THAT(reply.message, HasSubstr(std::to_string(status) + ": not this"));
    EXPECT_THAT(reply.message, HasSubstr(R"("table":"t","key":{"id":0})"));
    EXPECT_THAT(reply.message, Not(HasSubstr("xxxxx")));
  }
}

TEST_F(StatusTest, RedirectsAreNotFollowed) {
  for (const int status : {300, 301, 302, 303, 307, 308}) {
    server_.forget();
    const Reply reply = answered({status, {{"Location", server_.url("/moved") + "?token=s3cret"}}});
    EXPECT_EQ(reply.status, WALSPOUT_CONFIG) << status;
    EXPECT_THAT(reply.message, HasSubstr(std::to_string(status)));
    EXPECT_THAT(reply.message, HasSubstr("/moved"));
    EXPECT_THAT(reply.message, Not(HasSubstr("s3cret")));
    EXPECT_EQ(server_.count(), 1u);
  }
}

TEST_F(StatusTest, GoneStopsTheSink) {
  const Reply reply = answered({410});
  EXPECT_EQ(reply.status, WALSPOUT_CONFIG);
  EXPECT_THAT(reply.message, HasSubstr("410"));
}

TEST_F(StatusTest, RetryAfterInSecondsIsHonoured) {
  EXPECT_EQ(answered({429, {{"Retry-After", "7"}}}).retry_after_ms, 7000u);
  EXPECT_EQ(answered({503, {{"Retry-After", "120"}}}).retry_after_ms, 120'000u);
}

TEST_F(StatusTest, RetryAfterAsADateIsHonoured) {
  const std::time_t then = std::time(nullptr) + 90;
  std::tm utc = {};
  ::gmtime_r(&then, &utc);
  char date[64];
  std::strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &utc);
  const Reply reply = answered({503, {{"Retry-After", date}}});
  EXPECT_LE(reply.retry_after_ms, 90'000u);
  EXPECT_GE(reply.retry_after_ms, 80'000u);
}

TEST_F(StatusTest, RetryAfterThatIsAbsurdOrPastIsBounded) {
  EXPECT_EQ(answered({503, {{"Retry-After", "99999999999"}}}).retry_after_ms, 3'600'000u);
  for (const char* word : {"0", "-5", "soon", "Thu, 01 Jan 1970 00:00:01 GMT", ""})
    EXPECT_EQ(answered({503, {{"Retry-After", word}}}).retry_after_ms, 0u) << word;
}

TEST_F(StatusTest, WhatTheReceiverRepeatsOfASecretIsNotShown) {
  for (const int status : {500, 401}) {
    const Reply reply = answered({status, {}, "bad token t0ken\r\nin line 2"});
    EXPECT_THAT(reply.message, HasSubstr("bad token ***  in line 2"));
    EXPECT_THAT(reply.message, Not(HasSubstr("t0ken")));
  }
}

TEST_F(StatusTest, NothingIsSentBehindAnEventThatIsTriedAgain) {
  server_.answer({503}, 2);
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 2).ok());
  ASSERT_TRUE(put(sink, 0x200, 1).ok());
  EXPECT_TRUE(flush_until_done(sink).ok());
  EXPECT_EQ(sink.last().durable, 0x230u);
  EXPECT_THAT(bodies(), ElementsAre("100-0", "100-0", "100-0", "100-1", "200-0"));
}

TEST_F(StatusTest, TooLargeIsHalvedUntilItFits) {
  server_.decide(
      [](const HttpRequest& request) { return HttpReply{request.body.size() > 400 ? 413 : 200}; });
  Driver sink(plugin_, settings({{"batch_rows", "8"}}), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 8).ok());
  EXPECT_EQ(sink.flush().durable, 0x130u) << sink.last().message;
  EXPECT_THAT(bodies(), ElementsAre("100-0 100-1 100-2 100-3 100-4 100-5 100-6 100-7",
                                    "100-0 100-1 100-2 100-3", "100-0 100-1", "100-2 100-3",
                                    "100-4 100-5 100-6 100-7", "100-4 100-5", "100-6 100-7"));
}

TEST_F(StatusTest, OneEventThatIsTooLargeIsPoisonAfterOneAttempt) {
  server_.decide(
      [](const HttpRequest& request) { return HttpReply{request.body.size() > 2000 ? 413 : 200}; });
  Driver sink(plugin_, settings({{"batch_rows", "100"}, {"batch_bytes", "1500"}}), state());
  ASSERT_TRUE(sink.open().ok());
  Txn txn(0x100);
  fill(txn, 2);
  fill(txn, 1, 3000);
  fill(txn, 2);
  ASSERT_TRUE(sink.deliver(txn).ok());
  EXPECT_EQ(sink.flush().status, WALSPOUT_POISON);
  EXPECT_EQ(sink.last().ordinal, 2u);
  EXPECT_THAT(bodies(), ElementsAre("100-0 100-1", "100-2"));
}

}  // namespace
}  // namespace walspout::webhook_test
