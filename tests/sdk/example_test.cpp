// The example of the SDK does what its first line says.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>
#include <walspout/testing.hpp>

#include <fstream>
#include <sstream>
#include <string>

namespace walspout {
namespace {

using namespace testing;  // NOLINT: the fixture's language

TEST(Example, AppendsOneLineAChange) {
  char name[] = "/tmp/walspout_tail_XXXXXX";
  const int fd = ::mkstemp(name);
  ASSERT_GE(fd, 0);
  ::close(fd);
  const Relation users = relation("public", "users").column("id", oid::kInt4, primary);
  Txn txn(0x100);
  txn.insert(users, {"1"}).remove(users, {"1"}).truncate(users);
  Driver sink(load_plugin(EXAMPLE_PLUGIN), {{"path", name}});
  ASSERT_TRUE(sink.open().ok()) << sink.last().message;
  ASSERT_TRUE(sink.deliver(txn).ok());
  EXPECT_EQ(sink.flush().durable, txn.end_lsn());
  std::ostringstream content;
  content << std::ifstream(name).rdbuf();
  EXPECT_EQ(content.str(), "1 public.users\n3 public.users\n4 public.users\n");
  std::remove(name);
}

TEST(Example, AFolderThatIsNotThereIsAMistakeOfTheSettings) {
  Driver sink(load_plugin(EXAMPLE_PLUGIN), {{"path", "/nonexistent/x"}});
  EXPECT_EQ(sink.open().status, WALSPOUT_CONFIG);
  EXPECT_EQ(sink.last().message, "cannot open /nonexistent/x");
}

}  // namespace
}  // namespace walspout
