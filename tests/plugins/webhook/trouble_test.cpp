// Receivers and networks that misbehave.
#include <thread>

#include "fixture.hpp"

namespace walspout::webhook_test {
namespace {

using Then = HttpReply::Then;

class TroubleTest : public WebhookTest {
 protected:
  // An open sink with one event to send.
  std::unique_ptr<Driver> with_event(Settings more = {}, std::size_t note = 5) {
    auto sink = std::make_unique<Driver>(plugin_, settings(std::move(more)), state());
    EXPECT_TRUE(sink->open().ok()) << sink->last().message;
    EXPECT_TRUE(put(*sink, 0x100, 1, note).ok());
    return sink;
  }
  static HttpReply raw(std::string text) { return {200, {}, {}, Then::kClose, std::move(text)}; }
};

TEST_F(TroubleTest, AReceiverThatNeverAnswersIsGivenUpInTime) {
  server_.answer({200, {}, {}, Then::kHang});
  const auto sink = with_event({{"timeout", "300ms"}});
  const auto start = now();
  EXPECT_EQ(sink->flush().status, WALSPOUT_RETRY);
  EXPECT_GE(seconds_since(start), 0.29);  // libcurl counts in whole milliseconds
  EXPECT_LT(seconds_since(start), 3);
  EXPECT_TRUE(sink->flush().ok());
}

TEST_F(TroubleTest, ASlowAnswerWithinTheTimeoutIsWaitedFor) {
  server_.answer({200, {}, {}, Then::kGate});
  const auto sink = with_event();
  std::thread receiver([this] {
    EXPECT_TRUE(server_.wait_count(1));
    server_.release();
  });
  EXPECT_TRUE(sink->flush().ok()) << sink->last().message;
  receiver.join();
  EXPECT_EQ(server_.count(), 1u);
}

TEST_F(TroubleTest, AStopEndsTheWaitForAnAnswer) {
  server_.answer({200, {}, {}, Then::kHang});
  const auto sink = with_event();
  std::chrono::steady_clock::time_point stopped;
  std::thread host([&] {
    EXPECT_TRUE(server_.wait_count(1));
    stopped = now();
    const std::lock_guard lock(sink->host.mutex);
    sink->host.stopping = true;
  });
  EXPECT_EQ(sink->flush().status, WALSPOUT_RETRY);
  host.join();
  EXPECT_LT(seconds_since(stopped), 1);
  sink->close();
  EXPECT_LT(seconds_since(stopped), 1);
}

TEST_F(TroubleTest, AConnectionThatIsRefusedIsTriedAgain) {
  const auto sink = with_event();
  server_.go_away();
  EXPECT_EQ(sink->flush().status, WALSPOUT_RETRY);
  server_.come_back();
  EXPECT_TRUE(sink->flush().ok()) << sink->last().message;
}

TEST_F(TroubleTest, ANameThatIsUnknownIsTriedAgain) {
  const auto sink = with_event({{"url", "http://nowhere.invalid/"}});
  EXPECT_EQ(sink->flush().status, WALSPOUT_RETRY);
  EXPECT_THAT(sink->last().message, HasSubstr("nowhere.invalid"));
}

TEST_F(TroubleTest, AnAnswerThatIsCutShortIsTriedAgain) {
  for (const char* text :
       {"", "HTTP", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Len",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "SSH-2.0-OpenSSH\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", "200 OK\r\n\r\n"}) {
    server_.answer(*text == '\0' ? HttpReply{200, {}, {}, Then::kDrop} : raw(text));
    const auto sink = with_event();
    EXPECT_EQ(sink->flush().status, WALSPOUT_RETRY) << text;
    EXPECT_TRUE(sink->flush().ok()) << sink->last().message;
  }
}

TEST_F(TroubleTest, AnEndlessAnswerIsCutAndItsStatusCounts) {
  for (const Then then : {Then::kStream, Then::kTrickle}) {
    for (const auto& [status, result] :
         {std::pair(200, WALSPOUT_OK), {500, WALSPOUT_RETRY}, {400, WALSPOUT_POISON}}) {
      server_.answer({status, {}, {}, then});
      const auto sink = with_event({{"timeout", "500ms"}});
      const auto start = now();
      EXPECT_EQ(sink->flush().status, result) << status;
      EXPECT_LT(seconds_since(start), 3);
    }
  }
  // The kernel's buffers take some more than the sink reads.
  EXPECT_LT(server_.streamed(), 60'000'000u);
}

TEST_F(TroubleTest, EndlessHeadersAreCut) {
  std::string text = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 5000; ++i) text += "X-Filler: " + std::string(100, 'x') + "\r\n";
  server_.answer(raw(text + "\r\n"));
  const auto sink = with_event();
  EXPECT_EQ(sink->flush().status, WALSPOUT_RETRY);
}

TEST_F(TroubleTest, ALongAnswerDoesNotFillTheMessage) {
  server_.answer({500, {}, std::string(30'000, 'y')});
  const auto sink = with_event();
  EXPECT_EQ(sink->flush().status, WALSPOUT_RETRY);
  EXPECT_LT(sink->last().message.size(), 400u);
}

TEST_F(TroubleTest, AReceiverThatDoesNotReadIsGivenUpInTime) {
  server_.read_no_bodies(true);
  server_.always({200, {}, {}, Then::kGate});
  const auto sink = with_event({{"send_timeout", "300ms"}}, 30'000'000);
  const auto start = now();
  EXPECT_EQ(sink->flush().status, WALSPOUT_RETRY);
  EXPECT_THAT(sink->last().message, HasSubstr("send_timeout"));
  EXPECT_LT(seconds_since(start), 5);
}

TEST_F(TroubleTest, ConnectionsThatWereClosedBetweenRequestsCostNothing) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  for (Lsn lsn = 0x100; lsn <= 0x500; lsn += 0x100) {
    ASSERT_TRUE(put(sink, lsn, 1).ok());
    ASSERT_TRUE(sink.flush().ok()) << sink.last().message;
    server_.close_idle();
  }
  EXPECT_EQ(server_.count(), 5u);
  EXPECT_EQ(server_.connections(), 5);
}

TEST_F(TroubleTest, ConnectionsThatCloseBehindEachAnswerLoseNothing) {
  server_.always({200, {}, {}, Then::kClose});
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(put(sink, 0x100, 50).ok());
  EXPECT_TRUE(flush_until_done(sink).ok()) << sink.last().message;
  std::vector<std::string> distinct = bodies();
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  EXPECT_EQ(distinct.size(), 50u);  // in order: repeated ones are neighbours
}

TEST_F(TroubleTest, AnInterimAnswerIsNotTheAnswer) {
  server_.answer(
      raw("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
          "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"));
  const auto sink = with_event();
  EXPECT_EQ(sink->flush().status, WALSPOUT_RETRY);
  EXPECT_THAT(sink->last().message, HasSubstr("503"));
}

TEST_F(TroubleTest, ProxiesOfTheEnvironmentAreNotUsed) {
  HttpServer proxy;
  ::setenv("http_proxy", proxy.url("").c_str(), 1);
  const auto sink = with_event();
  const Reply reply = sink->flush();
  ::unsetenv("http_proxy");
  EXPECT_TRUE(reply.ok()) << reply.message;
  EXPECT_EQ(proxy.count(), 0u);
  EXPECT_EQ(server_.count(), 1u);
}

}  // namespace
}  // namespace walspout::webhook_test
