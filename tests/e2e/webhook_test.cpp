// The webhook sink behind a real server and host: outages, kills, closed connections.
#include <algorithm>
#include <ctime>
#include <map>
#include <set>

#include "e2e/pipeline_test.hpp"
#include "support/http_server.hpp"
#include "support/verify_webhooks.hpp"

namespace walspout::test {
namespace {

constexpr char kSecret[] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

class Webhook : public PipelineTest {
 protected:
  void use(std::vector<std::string> more = {}) {
    SinkConfig sink{"hook", "webhook", std::move(more), {}};
    sink.options.push_back("url = " + toml(receiver_.url()));
    sink.options.emplace_back("allow_private = true");
    sink.options.push_back("secrets = [" + toml(kSecret) + "]");
    config().sinks = {sink};
    config().source = {"snapshot = \"never\""};
    sql("create table k (id integer primary key, v text)");
    sql("create publication walspout for table k");
  }
  // One transaction of this many rows.
  void insert(int rows) {
    sql("insert into k select g, 'x' from generate_series(" + std::to_string(next_) + ", " +
        std::to_string(next_ + rows - 1) + ") g");
    next_ += rows;
  }
  // Everything that was inserted came, in order; what came twice did so under the same message id;
  // and a receiver in another language accepts each request.
  void expect_all_received() {
    host().wait_caught_up();
    const std::vector<HttpRequest> requests = receiver_.requests();
    std::vector<int> first;  // keys in the order of their first coming
    std::map<int, std::set<std::string>> messages;
    for (const HttpRequest& request : requests) {
      auto body = nlohmann::json::parse(request.body);
      if (!body.is_array()) body = nlohmann::json::array({body});
      for (const auto& event : body) {
        if (event.at("op") != "insert") continue;
        const int key = event.at("key").at("id");
        if (messages[key].empty()) first.push_back(key);
        messages[key].insert(request.header("webhook-id"));
      }
    }
    EXPECT_EQ(static_cast<int>(first.size()), next_ - 1);
    EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
    for (const auto& [key, ids] : messages) EXPECT_EQ(ids.size(), 1u) << "row " << key;
    if (!have_python()) return;
    EXPECT_EQ(verify_webhooks(requests, kSecret, std::time(nullptr), dir().path()),
              std::to_string(requests.size()) + " good");
  }

  HttpServer receiver_;
  int next_ = 1;
};

TEST_F(Webhook, AfterAnOutageAllComesInOrder) {
  use();
  host().start_streaming();
  insert(20);
  host().wait_caught_up();
  receiver_.go_away();
  for (int i = 0; i < 20; ++i) insert(10);
  host().wait_logged("is tried again in");
  receiver_.always({503, {{"Retry-After", "1"}}});
  receiver_.come_back();
  host().wait("refused a while", Seconds(20), [&] { return receiver_.count() > 21; });
  EXPECT_LT(host().confirmed(), server().wal_position());
  receiver_.always({200});
  expect_all_received();
  host().stop();
}

TEST_F(Webhook, KilledInTheMiddleRepeatsUnderTheSameIds) {
  use();
  for (int round = 0; round < 4; ++round) {
    host().start_streaming();
    const std::size_t before = receiver_.count();
    for (int i = 0; i < 10; ++i) insert(5);
    host().wait("some received", Seconds(20), [&] { return receiver_.count() > before + 12; });
    host().kill9();
  }
  host().start_streaming();
  expect_all_received();
}

TEST_F(Webhook, KilledInTheMiddleOfMergedBatchesRepeatsThemAsTheyWere) {
  use({"batch_rows = 7", "batch_time = \"50ms\""});
  for (int round = 0; round < 4; ++round) {
    host().start_streaming();
    const std::size_t before = receiver_.count();
    for (int i = 0; i < 25; ++i) insert(1 + i % 3);
    host().wait("some received", Seconds(20), [&] { return receiver_.count() > before + 2; });
    host().kill9();
  }
  host().start_streaming();
  expect_all_received();
}

TEST_F(Webhook, ConnectionsThatTheReceiverClosesCostNothing) {
  use();
  host().start_streaming();
  for (int i = 0; i < 10; ++i) {
    insert(3);
    host().wait_caught_up();
    receiver_.close_idle();
  }
  expect_all_received();
  EXPECT_EQ(receiver_.count(), 30u);
  EXPECT_FALSE(host().logged("is tried again in"));
}

TEST_F(Webhook, AStopDoesNotWaitForAReceiverThatHangs) {
  use();
  host().start_streaming();
  receiver_.always({200, {}, {}, HttpReply::Then::kHang});
  insert(5);
  EXPECT_TRUE(receiver_.wait_count(1));
  host().signal(SIGTERM);
  // A second one while the first is pending would be one and the same.
  host().wait("stopping", Seconds(20), [&] { return host().logged("stopping: "); });
  host().signal(SIGTERM);  // at once
  const double start = now();
  EXPECT_TRUE(host().wait_exit(Seconds(20)).has_value());
  EXPECT_LT(now() - start, 1.0 * patience());
  receiver_.always({200});
  host().start_streaming();
  expect_all_received();
}

TEST_F(Webhook, AnEventThatIsRefusedIsLeftOutWhenSaid) {
  use({"batch_rows = 10"});
  config().sinks[0].more.emplace_back("on_poison = \"skip\"");
  receiver_.decide([](const HttpRequest& request) {
    return HttpReply{request.body.find("poison") != std::string::npos ? 422 : 200};
  });
  host().start_streaming();
  sql("insert into k select g, case g when 6 then 'poison' else 'x' end from generate_series(1, "
      "20) g");
  host().wait_caught_up();
  std::set<int> accepted;
  for (const HttpRequest& request : receiver_.requests()) {
    if (request.body.find("poison") != std::string::npos) continue;
    for (const auto& event : nlohmann::json::parse(request.body))
      accepted.insert(event.at("key").at("id").get<int>());
  }
  EXPECT_EQ(accepted.size(), 19u);
  EXPECT_FALSE(accepted.contains(6));
  EXPECT_TRUE(host().logged("422"));
}

}  // namespace
}  // namespace walspout::test
