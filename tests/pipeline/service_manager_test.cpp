#include "pipeline/service_manager.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace walspout {
namespace {

// Stands in for systemd: a datagram socket.
class ServiceManagerTest : public testing::Test {
 protected:
  ServiceManagerTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "walspout_notify_XXXXXX";
    directory_ = mkdtemp(pattern.data());
  }
  ~ServiceManagerTest() override {
    close(fd_);
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) unsetenv(name);
    std::filesystem::remove_all(directory_);
  }

  // name: as in NOTIFY_SOCKET, an abstract one begins with @.
  void listen(const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    ASSERT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address),
                   static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())),
              0);
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }
  // "" when nothing was sent.
  std::string heard() const {
    char buffer[256];
    const ssize_t got = recv(fd_, buffer, sizeof buffer, MSG_DONTWAIT);
    return got < 0 ? std::string() : std::string(buffer, static_cast<std::size_t>(got));
  }

  std::filesystem::path directory_;
  int fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
};

TEST_F(ServiceManagerTest, WithoutOneNobodyIsTold) {
  const ServiceManager manager;
  manager.tell("READY=1");
  EXPECT_FALSE(manager.watchdog());
}

TEST_F(ServiceManagerTest, HearsWhatItIsTold) {
  listen(directory_ / "socket");
  const ServiceManager manager;
  manager.tell("READY=1");
  manager.tell("STATUS=streaming");
  EXPECT_EQ(heard(), "READY=1");
  EXPECT_EQ(heard(), "STATUS=streaming");
  EXPECT_EQ(heard(), "");
}

TEST_F(ServiceManagerTest, MayListenAtAnAbstractAddress) {
  listen("@walspout-test-" + std::to_string(getpid()));
  ServiceManager().tell("READY=1");
  EXPECT_EQ(heard(), "READY=1");
}

TEST_F(ServiceManagerTest, OneThatIsGoneIsNoTrouble) {
  setenv("NOTIFY_SOCKET", (directory_ / "gone").c_str(), 1);
  ServiceManager().tell("READY=1");
  setenv("NOTIFY_SOCKET", std::string(500, '/').c_str(), 1);
  ServiceManager().tell("READY=1");
}

TEST_F(ServiceManagerTest, WantsToHearOfTheWatchdogAsItSays) {
  listen(directory_ / "socket");
  EXPECT_FALSE(ServiceManager().watchdog());
  setenv("WATCHDOG_USEC", "5000000", 1);
  EXPECT_EQ(ServiceManager().watchdog(), std::chrono::seconds(5));
  setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
  EXPECT_EQ(ServiceManager().watchdog(), std::chrono::seconds(5));
  setenv("WATCHDOG_PID", "1", 1);
  EXPECT_FALSE(ServiceManager().watchdog()) << "it is another process that is meant";
  unsetenv("WATCHDOG_PID");
  for (const char* nonsense : {"", "0", "-1", "soon", "5s"}) {
    setenv("WATCHDOG_USEC", nonsense, 1);
    EXPECT_FALSE(ServiceManager().watchdog()) << nonsense;
  }
}

}  // namespace
}  // namespace walspout
