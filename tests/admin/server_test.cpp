#include "admin/server.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include "raw_http.hpp"

namespace walspout::admin {
namespace {

using testing::HasSubstr;

class FakeHost : public Told {
 public:
  Figures figures() const override {
    Figures figures;
    figures.status.version = "9.9";
    return figures;
  }
  Health health() const override { return {alive, ready ? "" : "not streaming"}; }
  std::string status_json() const override { return "{\"pipeline\":\"shop\"}\n"; }

  std::atomic<bool> alive{true}, ready{true};
};

class ServerTest : public testing::Test {
 protected:
  FakeHost host_;
  Server server_{"127.0.0.1", 0, host_};
};

TEST_F(ServerTest, AnswersWhatItIsAsked) {
  const Answer metrics = get(server_.port(), "/metrics");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_THAT(metrics.headers, HasSubstr("text/plain; version=0.0.4"));
  EXPECT_THAT(metrics.body, HasSubstr("walspout_build_info{version=\"9.9\""));
  const Answer status = get(server_.port(), "/status");
  EXPECT_EQ(status.status, 200);
  EXPECT_THAT(status.headers, HasSubstr("application/json"));
  EXPECT_EQ(status.body, "{\"pipeline\":\"shop\"}\n");
  EXPECT_EQ(get(server_.port(), "/livez").status, 200);
  EXPECT_EQ(get(server_.port(), "/readyz").status, 200);
  EXPECT_EQ(get(server_.port(), "/metrics", "HEAD").status, 200);
}

TEST_F(ServerTest, TellsOfALossOfLifeAndOfReadiness) {
  host_.ready = false;
  EXPECT_EQ(get(server_.port(), "/livez").status, 200);
  EXPECT_EQ(get(server_.port(), "/readyz").status, 503);
  EXPECT_EQ(get(server_.port(), "/readyz").body, "not streaming\n");
  host_.alive = false;
  EXPECT_EQ(get(server_.port(), "/livez").status, 503);
}

TEST_F(ServerTest, IsReadOnly) {
  for (const char* method : {"POST", "PUT", "DELETE"})
    EXPECT_EQ(get(server_.port(), "/status", method).status, 404) << method;
  EXPECT_EQ(get(server_.port(), "/else").status, 404);
  EXPECT_THAT(get(server_.port(), "/else").body, HasSubstr("/metrics"));
  EXPECT_EQ(get(server_.port(), "/" + std::string(100'000, 'x')).status, 414);
}

TEST_F(ServerTest, NobodyElseListensAtItsPort) {
  try {
    const Server second("127.0.0.1", server_.port(), host_);
    FAIL() << "it listens, too";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("[admin] listen: cannot listen at 127.0.0.1 port"));
    EXPECT_THAT(error.what(), HasSubstr("in use"));
  }
}

TEST_F(ServerTest, AnAddressOfAnotherMachineIsRefusedInOneLine) {
  EXPECT_THROW(Server("192.0.2.1", 0, host_), std::runtime_error);
  EXPECT_THROW(Server("no such host", 0, host_), std::runtime_error);
}

// As many as it has threads, and more, say nothing or half a sentence.
TEST_F(ServerTest, SilentClientsHoldNobodyUpForLong) {
  std::vector<std::unique_ptr<RawHttp>> silent;
  for (int i = 0; i < 6; ++i) {
    silent.push_back(std::make_unique<RawHttp>(server_.port()));
    if (i % 2 == 0) silent.back()->send("GET /livez HT");
  }
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(get(server_.port(), "/livez").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(20));
}

TEST_F(ServerTest, NonsenseIsAnsweredOrCutOff) {
  for (const std::string& nonsense :
       {std::string("\r\n\r\n"), std::string(10'000, '\xff') + "\r\n\r\n",
        std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string("GET /status HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n")}) {
    const RawHttp client(server_.port());
    client.send(nonsense);
    client.rest();
  }
  EXPECT_EQ(get(server_.port(), "/livez").status, 200);
}

}  // namespace
}  // namespace walspout::admin
