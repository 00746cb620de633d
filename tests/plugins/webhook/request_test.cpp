// What goes over the wire.
#include <nlohmann/json.hpp>
#include <set>

#include "fixture.hpp"
#include "inflate.hpp"

namespace walspout::webhook_test {
namespace {

using RequestTest = WebhookTest;

TEST_F(RequestTest, EachEventIsARequestInOrder) {
  Driver sink(plugin_, settings());
  ASSERT_TRUE(sink.open().ok()) << sink.last().message;
  ASSERT_TRUE(put(sink, 0x100, 2).ok());
  ASSERT_TRUE(put(sink, 0x200, 1).ok());
  EXPECT_EQ(server_.count(), 0u);
  EXPECT_EQ(sink.flush().durable, 0x230u) << sink.last().message;
  EXPECT_THAT(bodies(), ElementsAre("100-0", "100-1", "200-0"));
}

TEST_F(RequestTest, ABodyIsTheEventAndTheHeadersSaySo) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 1).ok());
  ASSERT_TRUE(sink.flush().ok()) << sink.last().message;
  const HttpRequest request = server_.requests().at(0);
  EXPECT_EQ(request.method + " " + request.target + " " + request.version, "POST /hook HTTP/1.1");
  EXPECT_EQ(request.header("content-type"), "application/json");
  EXPECT_EQ(request.header("expect"), "");
  EXPECT_EQ(request.header("webhook-timestamp"), "1769860800");
  EXPECT_EQ(request.header("webhook-signature"), "");
  const auto event = nlohmann::json::parse(request.body);
  EXPECT_EQ(event.at("op"), "insert");
  EXPECT_EQ(event.at("new").at("note"), "xxxxx");
}

TEST_F(RequestTest, ABatchIsAnArrayAlsoOfOne) {
  Driver sink(plugin_, settings({{"batch_rows", "10"}}), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 3).ok());
  ASSERT_TRUE(put(sink, 0x200, 1).ok());
  ASSERT_TRUE(sink.flush().ok()) << sink.last().message;
  EXPECT_EQ(nlohmann::json::parse(server_.requests().at(0).body).size(), 3u);
  EXPECT_EQ(nlohmann::json::parse(server_.requests().at(1).body).size(), 1u);
}

TEST_F(RequestTest, OneConnectionIsKept) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  for (Lsn lsn = 0x100; lsn < 0x600; lsn += 0x100) {
    ASSERT_TRUE(put(sink, lsn, 3).ok());
    ASSERT_TRUE(sink.flush().ok()) << sink.last().message;
  }
  EXPECT_EQ(server_.count(), 15u);
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(RequestTest, HeadersOfTheConfigurationAreSent) {
  Driver sink(plugin_,
              settings({{"headers.X-Shop", "one"}, {"headers.X-Empty", ""}, {"bearer", "t0ken"}}));
  ASSERT_TRUE(sink.open().ok()) << sink.last().message;
  ASSERT_TRUE(put(sink, 0x100, 1).ok());
  ASSERT_TRUE(sink.flush().ok());
  const HttpRequest request = server_.requests().at(0);
  EXPECT_EQ(request.header("x-shop"), "one");
  EXPECT_EQ(request.header("authorization"), "Bearer t0ken");
  EXPECT_TRUE(std::any_of(request.headers.begin(), request.headers.end(),
                          [](const auto& header) { return header.first == "x-empty"; }));
}

TEST_F(RequestTest, BasicCredentialsAreSent) {
  Driver sink(plugin_, settings({{"basic_user", "Aladdin"}, {"basic_password", "open sesame"}}));
  ASSERT_TRUE(sink.open().ok()) << sink.last().message;
  ASSERT_TRUE(put(sink, 0x100, 1).ok());
  ASSERT_TRUE(sink.flush().ok());
  // RFC 7617, section 2
  EXPECT_EQ(server_.requests().at(0).header("authorization"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST_F(RequestTest, GzipUnpacksToTheSameEvents) {
  Driver sink(plugin_, settings({{"compression", "gzip"}, {"batch_rows", "100"}}));
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 50, 1000).ok());
  ASSERT_TRUE(sink.flush().ok()) << sink.last().message;
  const HttpRequest request = server_.requests().at(0);
  EXPECT_EQ(request.header("content-encoding"), "gzip");
  EXPECT_LT(request.body.size(), 10'000u);
  EXPECT_EQ(nlohmann::json::parse(gunzip(request.body)).size(), 50u);
}

TEST_F(RequestTest, ARetryHasTheSameIdAndTheTimeOfTheAttempt) {
  server_.answer({503});
  Driver sink(plugin_, settings());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 1).ok());
  EXPECT_EQ(sink.flush().status, WALSPOUT_RETRY);
  sink.host.now_us += 7'000'000;
  ASSERT_TRUE(sink.flush().ok());
  const auto requests = server_.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].header("webhook-id"), requests[1].header("webhook-id"));
  EXPECT_EQ(requests[0].body, requests[1].body);
  EXPECT_EQ(requests[1].header("webhook-timestamp"), "1769860807");
}

TEST_F(RequestTest, IdsDifferBetweenSinksAndPipelines) {
  std::set<std::string> all;
  for (const auto& [pipeline, name] :
       {std::pair("a", "b"), {"a", "c"}, {"d", "b"}, {"ab", ""}, {"", "ab"}}) {
    Driver sink(plugin_, settings());
    sink.pipeline = pipeline;
    sink.sink = name;
    ASSERT_TRUE(sink.open().ok());
    ASSERT_TRUE(put(sink, 0x100, 1).ok());
    ASSERT_TRUE(sink.flush().ok());
    all.insert(message_ids().back());
  }
  EXPECT_EQ(all.size(), 5u);
}

TEST_F(RequestTest, EveryKindOfChangeIsSent) {
  Driver sink(plugin_, settings());
  ASSERT_TRUE(sink.open().ok());
  const Relation other = relation("public", "u").column("id", oid::kInt8, primary);
  Txn txn(0x100);
  txn.schema(table()).schema(other);
  txn.insert(table(), {"1", "a"}).update(table(), {"1", unchanged}).remove(table(), {"1", absent});
  txn.truncate(table()).message("p", "c");
  ASSERT_TRUE(sink.deliver(txn).ok());
  ASSERT_TRUE(sink.flush().ok()) << sink.last().message;
  EXPECT_THAT(bodies(),
              ElementsAre("100-0-s", "100-0-s", "100-0", "100-1", "100-2", "100-3", "100-4"));
  const auto sent = message_ids();
  EXPECT_EQ(std::set<std::string>(sent.begin(), sent.end()).size(), 7u);
}

TEST_F(RequestTest, ABodyOfManyMegabytesArrivesWhole) {
  Driver sink(plugin_, settings());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 1, 20'000'000).ok());
  ASSERT_TRUE(sink.flush().ok()) << sink.last().message;
  EXPECT_GT(server_.requests().at(0).body.size(), 20'000'000u);
}

}  // namespace
}  // namespace walspout::webhook_test
