// Where the sink does not go.
#include "webhook/address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>

#include "fixture.hpp"

namespace walspout::webhook_test {
namespace {

bool allowed(const std::string& text) {
  sockaddr_storage storage = {};
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&storage);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&storage);
  if (::inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    storage.ss_family = AF_INET;
  } else {
    EXPECT_EQ(::inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr), 1) << text;
    storage.ss_family = AF_INET6;
  }
  return webhook::is_public(*reinterpret_cast<sockaddr*>(&storage));
}

TEST(Address, PublicOnesAreAllowed) {
  for (const char* text :
       {"1.1.1.1",          "8.8.8.8",         "9.255.255.255",        "11.0.0.0",
        "100.63.255.255",   "100.128.0.0",     "126.255.255.255",      "128.0.0.0",
        "169.253.255.255",  "169.255.0.0",     "172.15.255.255",       "172.32.0.0",
        "192.167.255.255",  "192.169.0.0",     "198.17.255.255",       "198.20.0.0",
        "223.255.255.255",  "2606:4700::1111", "2001:4860:4860::8888", "::ffff:8.8.8.8",
        "64:ff9b::808:808", "2002:808:808::1"})
    EXPECT_TRUE(allowed(text)) << text;
}

TEST(Address, OthersAreRefused) {
  for (const char* text :
       {"0.0.0.0",         "0.1.2.3",     "10.0.0.1",        "10.255.255.255",  "100.64.0.1",
        "100.127.255.255", "127.0.0.1",   "127.255.255.254", "169.254.169.254", "172.16.0.1",
        "172.31.255.255",  "192.0.0.1",   "192.0.2.1",       "192.168.0.1",     "198.18.0.1",
        "198.51.100.1",    "203.0.113.1", "224.0.0.1",       "240.0.0.1",       "255.255.255.255"})
    EXPECT_FALSE(allowed(text)) << text;
}

TEST(Address, OthersOfIpv6AreRefused) {
  for (const char* text :
       {"::", "::1", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1",
        "2001:db8::1", "2001::1", "2001:10::1", "3fff::1", "100::1", "64:ff9b:1::1"})
    EXPECT_FALSE(allowed(text)) << text;
}

TEST(Address, OthersInIpv6ClothesAreRefused) {
  for (const char* text : {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
                           "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1",
                           "64:ff9b::a9fe:a9fe", "2002:7f00:1::1", "2002:a00:1::"})
    EXPECT_FALSE(allowed(text)) << text;
}

using ReceiversAddress = WebhookTest;

TEST_F(ReceiversAddress, APrivateOneIsNotConnectedToUnlessAllowed) {
  const std::string port = std::to_string(server_.port());
  for (const std::string host : {"127.0.0.1", "localhost", "2130706433", "0x7f.1", "0"}) {
    Driver sink(
        plugin_,
        settings({{"url", "http://" + host + ":" + port + "/"}, {"allow_private", "false"}}),
        state());
    ASSERT_TRUE(sink.open().ok()) << sink.last().message;
    ASSERT_TRUE(put(sink, 0x100, 1).ok());
    EXPECT_EQ(sink.flush().status, WALSPOUT_CONFIG) << host;
    EXPECT_THAT(sink.last().message, HasSubstr("allow_private"));
  }
  EXPECT_EQ(server_.connections(), 0);
}

TEST_F(ReceiversAddress, ANameThatLeadsToAPrivateOneIsAllowedWhenSaid) {
  Driver sink(plugin_, settings({{"url", "http://localhost:" + std::to_string(server_.port())}}),
              state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 1).ok());
  EXPECT_TRUE(sink.flush().ok()) << sink.last().message;
}

}  // namespace
}  // namespace walspout::webhook_test
