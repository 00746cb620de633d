// What the stdout sink prints, and what it does when nobody reads.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <walspout/testing.hpp>

#include <cstdio>
#include <string>

namespace walspout {
namespace {

using namespace testing;  // NOLINT: the fixture's language

// Standard output is another descriptor while it lives.
class Redirected {
 public:
  explicit Redirected(int to) {
    std::fflush(stdout);
    saved_ = ::dup(STDOUT_FILENO);
    ::dup2(to, STDOUT_FILENO);
    ::close(to);
  }
  ~Redirected() {
    ::dup2(saved_, STDOUT_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

class StdoutTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::pipe(pipe_), 0); }
  void TearDown() override {
    if (pipe_[0] >= 0) ::close(pipe_[0]);
  }

  // What the plugin prints of the transaction.
  std::string printed(const Txn& txn, const std::string& format) {
    Driver sink(plugin_, {{"format", format}});
    {
      const Redirected to(pipe_[1]);
      EXPECT_TRUE(sink.open().ok()) << sink.last().message;
      EXPECT_TRUE(sink.deliver(txn).ok()) << sink.last().message;
      EXPECT_EQ(sink.flush().durable, txn.end_lsn()) << sink.last().message;
    }
    return rest();
  }
  std::string rest() const {
    std::string all;
    char block[65536];
    for (ssize_t n; (n = ::read(pipe_[0], block, sizeof block)) > 0;)
      all.append(block, static_cast<std::size_t>(n));
    return all;
  }

  const walspout_plugin& plugin_ = load_plugin(STDOUT_PLUGIN);
  Relation orders_ = relation("public", "orders")
                         .column("id", oid::kInt8, primary)
                         .column("paid", oid::kBool)
                         .column("note", oid::kText);
  int pipe_[2] = {-1, -1};
};

TEST_F(StdoutTest, JsonIsOneEventALine) {
  Txn txn(0x1A2B3C4);
  txn.remove(orders_, {"1", absent, absent}).truncate(orders_);
  EXPECT_EQ(
      printed(txn, "json"),
      R"({"id":"0000000001A2B3C4-0","op":"delete","schema":"public","table":"orders","key":{"id":1},"old":{"id":1},"xid":742,"lsn":"0/1A2B3C4","ts":"2026-01-31T12:00:00.000000Z"})"
      "\n"
      R"({"id":"0000000001A2B3C4-1","op":"truncate","schema":"public","table":"orders","cascade":false,"restart_identity":false,"xid":742,"lsn":"0/1A2B3C4","ts":"2026-01-31T12:00:00.000000Z"})"
      "\n");
}

TEST_F(StdoutTest, TextIsForReading) {
  const Relation full = relation("public", "orders")
                            .identity('f')
                            .column("id", oid::kInt8, primary)
                            .column("paid", oid::kBool)
                            .column("note", oid::kText);
  Txn txn(0x100);
  txn.commit_time_us(1769860800123456)
      .insert(orders_, {"7", "f", "a note"})
      .update(full, {"7", "f", "a note"}, {"7", "t", "a note"})
      .update(orders_, {"7", "t", unchanged})
      .update(orders_, {"7", absent, absent}, {"8", "t", nullopt})
      .remove(orders_, {"8", absent, absent})
      .truncate(orders_, WALSPOUT_TRUNCATE_CASCADE)
      .message("app", "hello there")
      .schema(orders_);
  EXPECT_EQ(printed(txn, "text"),
            "12:00:00.123 public.orders INSERT id=7  paid=false note=\"a note\"\n"
            "12:00:00.123 public.orders UPDATE id=7  paid: false -> true\n"
            "12:00:00.123 public.orders UPDATE id=7  paid=true note (unchanged)\n"
            "12:00:00.123 public.orders UPDATE id: 7 -> 8  paid=true  note=null\n"
            "12:00:00.123 public.orders DELETE id=8\n"
            "12:00:00.123 public.orders TRUNCATE cascade\n"
            "12:00:00.123 MESSAGE app: \"hello there\"\n"
            "12:00:00.123 public.orders SCHEMA id bigint, paid boolean, note text\n");
}

TEST_F(StdoutTest, NothingInTheDataReachesATerminalAsAControlSequence) {
  Txn txn(0x100);
  txn.insert(relation("p", "t\x1b[2J").column("a", oid::kText), {"\x1b]0;x\x07 \x7f \xC2\x9B"
                                                                 "31m\n"});
  const std::string out = printed(txn, "text");
  EXPECT_NE(out.find(R"("t\u001b[2J")"), std::string::npos) << out;
  EXPECT_NE(out.find(R"(a="\u001b]0;x\u0007 \u007f \u009b31m\n")"), std::string::npos) << out;
}

TEST_F(StdoutTest, ALongValueIsShortenedBetweenCharacters) {
  std::string note(199, 'x');
  for (int i = 0; i < 50; ++i) note += "\xC3\xA9";
  Txn txn(0x100);
  txn.insert(orders_, {"1", "t", note});
  EXPECT_NE(printed(txn, "text").find("note=\"" + std::string(199, 'x') + "\"...(299 bytes)\n"),
            std::string::npos);
}

TEST_F(StdoutTest, AReaderThatWentAwayEndsThePipeline) {
  Driver sink(plugin_);
  Txn txn(0x100);
  txn.truncate(orders_);
  ::close(pipe_[0]);
  pipe_[0] = -1;
  const Redirected to(pipe_[1]);
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(sink.deliver(txn).ok());
  EXPECT_EQ(sink.flush().status, WALSPOUT_FATAL);
  EXPECT_EQ(sink.last().message, "standard output was closed by its reader");
}

TEST_F(StdoutTest, AFullDiskIsWaitedForAndNoLineComesTwice) {
  Driver sink(plugin_);
  Txn txn(0x100);
  txn.truncate(orders_);
  {
    const Redirected to(::open("/dev/full", O_WRONLY));
    ASSERT_TRUE(sink.open().ok());
    ASSERT_TRUE(sink.deliver(txn).ok());
    EXPECT_EQ(sink.flush().status, WALSPOUT_RETRY);
    EXPECT_EQ(sink.last().message, "cannot write to standard output: No space left on device");
  }
  {
    const Redirected to(pipe_[1]);
    EXPECT_EQ(sink.flush().durable, txn.end_lsn());
  }
  const std::string out = rest();
  EXPECT_EQ(out.find('\n'), out.size() - 1);
}

TEST_F(StdoutTest, AReaderThatDoesNotReadDoesNotHoldUpAStop) {
  Driver sink(plugin_);
  Txn txn(0x100);
  txn.message("p", std::string(200'000, 'x'));  // more than a pipe holds
  const Redirected to(pipe_[1]);
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(sink.deliver(txn).ok());
  sink.host.stopping = true;
  EXPECT_EQ(sink.flush().status, WALSPOUT_RETRY);
}

TEST_F(StdoutTest, AbortForgetsTheUnfinishedTransaction) {
  Driver sink(plugin_);
  Txn one(0x100), two(0x200);
  one.truncate(orders_);
  two.truncate(orders_).truncate(orders_);
  {
    const Redirected to(pipe_[1]);
    ASSERT_TRUE(sink.open().ok());
    ASSERT_TRUE(sink.deliver(one).ok());
    ASSERT_TRUE(sink.write(two, 0, 1, WALSPOUT_FIRST).ok());
    ASSERT_TRUE(sink.abort().ok());
    ASSERT_TRUE(sink.flush().ok());
  }
  const std::string out = rest();
  EXPECT_EQ(out.find('\n'), out.size() - 1);
}

TEST_F(StdoutTest, AnotherFormatIsRefused) {
  Driver sink(plugin_, {{"format", "xml"}});
  EXPECT_EQ(sink.check().status, WALSPOUT_CONFIG);
  EXPECT_EQ(sink.open().message, "format is \"xml\"; it can be \"json\" or \"text\"");
}

}  // namespace
}  // namespace walspout
