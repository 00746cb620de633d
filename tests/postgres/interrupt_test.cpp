#include "postgres/interrupt.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>

#include "fixture.hpp"
#include "support/tcp_proxy.hpp"

namespace walspout::postgres {

TEST(InterruptSwitch, WithoutADescriptorIsNeverRequested) {
  EXPECT_FALSE(Interrupt().requested());
  EXPECT_EQ(Interrupt().wait(-1, 0, deadline_in(1ms)), 0);
}

TEST(InterruptSwitch, EndsAWaitAndStaysOn) {
  Switch stop;
  EXPECT_FALSE(stop.interrupt().requested());
  auto waiting = std::async(std::launch::async, [&] { stop.interrupt().wait(-1, 0); });
  stop.on();
  EXPECT_THROW(waiting.get(), Interrupted);
  EXPECT_THROW(stop.interrupt().check(), Interrupted);
}

using Interrupting = WithDatabase;

namespace {

// A server that takes connections and never says a word.
class SilentServer {
 public:
  SilentServer() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    if (::bind(fd_, raw, size) != 0 || ::listen(fd_, 1) != 0 ||
        ::getsockname(fd_, raw, &size) != 0) {
      throw std::runtime_error("cannot listen");
    }
    port_ = ntohs(address.sin_port);
  }
  ~SilentServer() { ::close(fd_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  int port() const { return port_; }
  bool has_a_client() const { return Interrupt().wait(fd_, POLLIN, deadline_in(10s)) != 0; }

 private:
  int fd_;
  int port_ = 0;
};

}  // namespace

TEST(InterruptedConnect, EndsThoughTheServerNeverAnswers) {
  const SilentServer server;
  Switch stop;
  ConnectOptions hanging;
  hanging.url = "host=127.0.0.1 user=u dbname=d port=" + std::to_string(server.port());
  auto connecting =
      std::async(std::launch::async, [&] { Connection conn(hanging, stop.interrupt()); });
  ASSERT_TRUE(server.has_a_client());
  const double start = test::now();
  stop.on();
  EXPECT_THROW(connecting.get(), Interrupted);
  EXPECT_LT(test::now() - start, 1 * test::patience());
}

TEST_F(Interrupting, ARunningQueryIsCancelledAndTheConnectionStaysUsable) {
  Switch stop;
  Connection conn = connect();
  auto running =
      std::async(std::launch::async, [&] { conn.exec("SELECT pg_sleep(600)", stop.interrupt()); });
  const std::string state =
      "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid = " +
      std::to_string(conn.backend_pid()) + " AND query LIKE '%pg_sleep(600)%'";
  ASSERT_TRUE(eventually(test::Seconds(5), [&] { return value(state) == "1"; }));
  const double start = test::now();
  stop.on();
  EXPECT_THROW(running.get(), Interrupted);
  EXPECT_LT(test::now() - start, 1 * test::patience());
  EXPECT_EQ(value(state), "0");
  EXPECT_EQ(conn.exec("SELECT 1").integer(0, 0), 1);
}

TEST_F(Interrupting, AServerThatVanishedDoesNotHoldTheStop) {
  test::TcpProxy proxy(shared_server().socket_path());
  ConnectOptions through;
  through.url = proxy.url(db_);
  Connection conn(through, Interrupt());
  Switch stop;
  proxy.freeze();
  stop.on();
  auto running = std::async(std::launch::async, [&] { conn.exec("SELECT 1", stop.interrupt()); });
  EXPECT_THROW(running.get(), Interrupted);
}

}  // namespace walspout::postgres
