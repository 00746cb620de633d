// https, with certificates on both sides.
#include "support/http_tls.hpp"

#include <fstream>

#include "fixture.hpp"

namespace walspout::webhook_test {
namespace {

using test::Certificate;
using test::make_certificate;
using test::TlsServer;

class TlsTest : public WebhookTest {
 protected:
  Reply send(const HttpServer& server, Settings more) {
    more.emplace_back("url", server.url());
    Driver sink(plugin_, settings(std::move(more)), state());
    if (!sink.open().ok()) return sink.last();
    EXPECT_TRUE(put(sink, 0x100, 1).ok());
    return sink.flush();
  }
  HttpServer& receiver(const std::string& client_ca = "") {
    secure_ = std::make_unique<HttpServer>(std::make_unique<TlsServer>(own_, client_ca));
    return *secure_;
  }

  const std::string dir_ = folder_.string();
  const Certificate ca_ = make_certificate(dir_, "ca"), other_ca_ = make_certificate(dir_, "other");
  const Certificate own_ = make_certificate(dir_, "receiver", &ca_);
  std::unique_ptr<HttpServer> secure_;
};

TEST_F(TlsTest, AReceiverWhoseAuthorityIsNamedIsTrusted) {
  HttpServer& server = receiver();
  const Reply reply = send(server, {{"ca_file", ca_.cert_path}});
  EXPECT_TRUE(reply.ok()) << reply.message;
  EXPECT_EQ(server.count(), 1u);
}

TEST_F(TlsTest, OthersAreNot) {
  HttpServer& server = receiver();
  EXPECT_EQ(send(server, {}).status, WALSPOUT_RETRY);
  const Reply reply = send(server, {{"ca_file", other_ca_.cert_path}});
  EXPECT_EQ(reply.status, WALSPOUT_RETRY);
  EXPECT_THAT(reply.message, HasSubstr("certificate"));
  EXPECT_EQ(server.count(), 0u);
}

TEST_F(TlsTest, TheSinkShowsItsCertificate) {
  HttpServer& server = receiver(ca_.cert_path);
  const Certificate own = make_certificate(dir_, "walspout", &ca_);
  const Reply reply = send(
      server,
      {{"ca_file", ca_.cert_path}, {"client_cert", own.cert_path}, {"client_key", own.key_path}});
  ASSERT_TRUE(reply.ok()) << reply.message;
  EXPECT_EQ(server.requests().at(0).client_subject, "walspout");
}

TEST_F(TlsTest, AKeyWithAPasswordIsOpenedWithIt) {
  HttpServer& server = receiver(ca_.cert_path);
  const Certificate own = make_certificate(dir_, "locked", &ca_, "op3n");
  Settings with = {{"ca_file", ca_.cert_path},
                   {"client_cert", own.cert_path},
                   {"client_key", own.key_path},
                   {"client_key_password", "op3n"}};
  EXPECT_TRUE(send(server, with).ok());
  with.back().second = "wr0ng";
  const Reply reply = send(server, with);
  EXPECT_EQ(reply.status, WALSPOUT_CONFIG) << reply.message;
  EXPECT_THAT(reply.message, Not(HasSubstr("wr0ng")));
}

TEST_F(TlsTest, WithoutItTheReceiverRefusesTheSink) {
  HttpServer& server = receiver(ca_.cert_path);
  EXPECT_EQ(send(server, {{"ca_file", ca_.cert_path}}).status, WALSPOUT_RETRY);
  EXPECT_EQ(server.count(), 0u);
}

TEST_F(TlsTest, FilesThatAreNotThereOrNoneAreAMistakeOfTheConfiguration) {
  HttpServer& server = receiver();
  EXPECT_EQ(send(server, {{"ca_file", dir_ + "/nothing"}}).status, WALSPOUT_CONFIG);
  const std::string text = dir_ + "/text";
  std::ofstream(text) << "no PEM";
  EXPECT_EQ(send(server, {{"ca_file", text}}).status, WALSPOUT_CONFIG);
  EXPECT_EQ(send(server, {{"ca_file", ca_.cert_path}, {"client_cert", text}, {"client_key", text}})
                .status,
            WALSPOUT_CONFIG);
}

TEST_F(TlsTest, ARequestToAPlainReceiverByHttpsIsTriedAgain) {
  Driver sink(plugin_,
              settings({{"url", "https" + server_.url().substr(4)}, {"connect_timeout", "200ms"}}),
              state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 1).ok());
  EXPECT_EQ(sink.flush().status, WALSPOUT_RETRY);
}

}  // namespace
}  // namespace walspout::webhook_test
