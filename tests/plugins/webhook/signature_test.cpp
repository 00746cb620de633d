// Signatures of Standard Webhooks.
#include "webhook/signature.hpp"

#include "fixture.hpp"
#include "support/verify_webhooks.hpp"

namespace walspout::webhook_test {
namespace {

class SignatureTest : public WebhookTest {
 protected:
  static constexpr std::int64_t kNow = 1769860800;  // the fake host's
  // What the receiver with this secret says of all requests so far.
  std::string verified(const std::string& secret, std::int64_t now = kNow) {
    return test::verify_webhooks(server_.requests(), secret, now, folder_.string());
  }
  void send(Settings more, int rows = 20) {
    Driver sink(plugin_, settings(std::move(more)), state());
    ASSERT_TRUE(sink.open().ok()) << sink.last().message;
    Txn txn(0x100);
    fill(txn, rows);
    txn.insert(table(), {"99", "\xC3\xA4 \"quoted\"\n\x01"});
    ASSERT_TRUE(sink.deliver(txn).ok());
    ASSERT_TRUE(flush_until_done(sink).ok()) << sink.last().message;
  }
};

TEST_F(SignatureTest, AgreesWithTheSpecificationsExample) {
  // The example of the specification's reference libraries.
  EXPECT_EQ(webhook::sign({webhook::decode_secret(kSecret)}, "msg_p5jXN8AQM9LWM0D4loKWxJek",
                          "1614265330", R"({"test": 2432232314})"),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST_F(SignatureTest, AReceiverInAnotherLanguageAcceptsEveryRequest) {
  if (!test::have_python()) GTEST_SKIP() << "no python3";
  server_.answer({503}, 2);
  send({{"secrets", kSecret}});
  send({{"secrets", kSecret}, {"batch_rows", "4"}});
  send({{"secrets", kSecret}, {"batch_rows", "100"}, {"compression", "gzip"}});
  EXPECT_EQ(verified(kSecret), "30 good");
}

TEST_F(SignatureTest, ReceiversWithTheOldAndTheNewSecretAccept) {
  if (!test::have_python()) GTEST_SKIP() << "no python3";
  send({{"secrets", kSecret}, {"secrets", kOtherSecret}}, 1);
  EXPECT_EQ(verified(kSecret), "2 good");
  EXPECT_EQ(verified(kOtherSecret), "2 good");
}

TEST_F(SignatureTest, AReceiverRefusesWhatIsNotSigned) {
  if (!test::have_python()) GTEST_SKIP() << "no python3";
  send({{"secrets", kOtherSecret}}, 0);
  EXPECT_THAT(verified(kSecret), HasSubstr("no signature of it matches\n0 good"));
  EXPECT_THAT(verified(kOtherSecret, kNow + 600), HasSubstr("too old"));
}

TEST_F(SignatureTest, SecretsThatAreNoneAreRefusedAndNotShown) {
  const std::string short_one = "whsec_" + std::string(28, 'A') + "AA==";  // 22 bytes
  const std::string long_one = "whsec_" + std::string(88, 'A');            // 66 bytes
  for (const std::string& secret :
       {std::string("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), std::string("whsec_A"),
        std::string("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS"), short_one, long_one,
        std::string("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS!")}) {
    Driver sink(plugin_, settings({{"secrets", secret}}), state());
    EXPECT_EQ(sink.open().status, WALSPOUT_CONFIG) << secret;
    EXPECT_THAT(sink.last().message, Not(HasSubstr(secret)));
  }
}

TEST_F(SignatureTest, SecretsOfEachAllowedLengthAreTaken) {
  for (const std::size_t size : {24, 25, 26, 32, 63, 64}) {
    const std::size_t whole = size / 3 * 4, rest = size % 3;
    const std::string tail = rest == 0 ? "" : rest == 1 ? "AA==" : "AAA=";
    EXPECT_EQ(webhook::decode_secret("whsec_" + std::string(whole, 'A') + tail).size(), size);
  }
}

}  // namespace
}  // namespace walspout::webhook_test
