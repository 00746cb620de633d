// From the C contract to a class and back: walspout/sink.hpp, driven by walspout/testing.hpp.
#include <gtest/gtest.h>
#include <walspout/sink.hpp>
#include <walspout/testing.hpp>

#include <string>

namespace walspout {
namespace {

using namespace testing;  // NOLINT: the fixture's language

// Does what its option "mode" says.
class Fickle : public Sink {
 public:
  explicit Fickle(const Context& context)
      : mode_(*context.string("mode")), host_(context.host()), log_(context.log()) {
    if (mode_ == "config") throw BadConfig("no such\nplace");
    log_(WALSPOUT_INFO,
         std::string(context.pipeline()) + "/" + std::string(context.sink()) + " " +
             std::to_string(context.integer("size").value_or(-1)) + " " +
             std::to_string(context.integer("delay").value_or(-1)) + " " +
             std::to_string(context.list("tag").size()) + " " +
             (context.table("header").empty() ? "-" : context.table("header")[0].second));
  }
  static void check(const Context& context) {
    if (context.string("mode") == "config") throw BadConfig("checked");
  }
  void write(const Batch& batch) override {
    if (mode_ == "retry") throw Retry("busy", 250);
    if (mode_ == "bug") throw 42;
    for (const Change change : batch) {
      if (mode_ == "poison") throw Poison(batch.txn(), change.raw(), "never");
      if (change.has_new())
        change.each_new([&](const walspout_column& column, Value value) {
          seen_ += std::string(view(column.name)) + "=" +
                   (value.null() ? "NULL" : std::string(value.text())) + ";";
        });
    }
  }
  void flush() override {
    host_.count(host_.ctx, "flushes", 1);
    if (mode_ == "fatal") throw Fatal("stop");
    if (mode_ == "exception") throw std::runtime_error("odd");
    log_(WALSPOUT_INFO, seen_);
  }
  void abort() override { seen_.clear(); }
  Lsn position() override { return 77; }
  std::string_view host_state() override { return "state"; }

 private:
  std::string mode_;
  const walspout_host& host_;
  Log log_;
  std::string seen_;
};

WALSPOUT_PLUGIN(Fickle, "fickle", "1.0", "Fails as told.", WALSPOUT_CAP_POSITION, 0,
                {"mode", WALSPOUT_STRING, WALSPOUT_REQUIRED, nullptr, "How to fail."},
                {"size", WALSPOUT_BYTES, 0, "\"64KiB\"", "A size."},
                {"delay", WALSPOUT_DURATION_MS, 0, nullptr, "A duration."},
                {"tag", WALSPOUT_STRING, WALSPOUT_LIST, nullptr, "Tags."},
                {"header", WALSPOUT_STRING, WALSPOUT_TABLE, nullptr, "Headers."})

class Wrapper : public ::testing::Test {
 protected:
  Relation table_ = relation("s", "t").column("id", oid::kInt4, primary).column("v", oid::kText);
  Txn txn_{0x100};
  void SetUp() override { txn_.insert(table_, {"1", nullopt}).insert(table_, {"2", "x"}); }
};

TEST_F(Wrapper, GivesSettingsWithTheirDefaults) {
  Driver sink(*walspout_plugin_v1(),
              {{"mode", "ok"}, {"delay", "5s"}, {"tag", "a"}, {"tag", "b"}, {"header.x", "y"}});
  const Reply opened = sink.open();
  ASSERT_TRUE(opened.ok()) << opened.message;
  EXPECT_EQ(opened.position, 77u);
  EXPECT_EQ(opened.host_state, "state");
  EXPECT_TRUE(sink.host.logged("test/sink 65536 5000 2 y"));
}

TEST_F(Wrapper, ReportsTheLastWholeTransactionAsDurable) {
  Driver sink(*walspout_plugin_v1(), {{"mode", "ok"}});
  ASSERT_TRUE(sink.open().ok());
  EXPECT_EQ(sink.flush().durable, 77u);
  ASSERT_TRUE(sink.write(txn_, 0, 1, WALSPOUT_FIRST).ok());
  EXPECT_EQ(sink.flush().durable, 77u);
  ASSERT_TRUE(sink.write(txn_, 1, 2, WALSPOUT_LAST).ok());
  EXPECT_EQ(sink.flush().durable, txn_.end_lsn());
  EXPECT_TRUE(sink.host.logged("id=1;v=NULL;id=2;v=x;"));
  ASSERT_TRUE(sink.move_position(0x900).ok());
  EXPECT_EQ(sink.flush().durable, 0x900u);
  EXPECT_EQ(sink.host.counters["flushes"], 4);
}

TEST_F(Wrapper, ATransactionThatDoesNotMoveThePositionLeavesItWhereItIs) {
  Driver sink(*walspout_plugin_v1(), {{"mode", "ok"}});
  ASSERT_TRUE(sink.open().ok());
  ASSERT_TRUE(sink.deliver(txn_.position(0)).ok());
  EXPECT_EQ(sink.flush().durable, 77u);
}

TEST_F(Wrapper, MapsExceptionsToStatuses) {
  const auto write = [&](const char* mode) {
    Driver sink(*walspout_plugin_v1(), {{"mode", mode}});
    sink.open();
    return sink.deliver(txn_);
  };
  const Reply retry = write("retry");
  EXPECT_EQ(retry.status, WALSPOUT_RETRY);
  EXPECT_EQ(retry.retry_after_ms, 250u);
  EXPECT_EQ(retry.message, "busy");
  const Reply poison = write("poison");
  EXPECT_EQ(poison.status, WALSPOUT_POISON);
  EXPECT_EQ(poison.commit_lsn, 0x100u);
  EXPECT_EQ(poison.ordinal, 0u);
  EXPECT_EQ(write("bug").status, WALSPOUT_REOPEN);

  for (const auto& [mode, status] :
       {std::pair("fatal", WALSPOUT_FATAL), std::pair("exception", WALSPOUT_REOPEN)}) {
    Driver sink(*walspout_plugin_v1(), {{"mode", mode}});
    ASSERT_TRUE(sink.open().ok());
    EXPECT_EQ(sink.flush().status, status);
  }
}

TEST_F(Wrapper, MessagesAreOneLine) {
  Driver sink(*walspout_plugin_v1(), {{"mode", "config"}});
  EXPECT_EQ(sink.open().status, WALSPOUT_CONFIG);
  EXPECT_EQ(sink.last().message, "no such place");
  EXPECT_FALSE(sink.is_open());
}

TEST_F(Wrapper, CheckIsTheClasssOwn) {
  Driver good(*walspout_plugin_v1(), {{"mode", "ok"}}),
      bad(*walspout_plugin_v1(), {{"mode", "config"}});
  EXPECT_TRUE(good.check().ok());
  EXPECT_EQ(bad.check().message, "checked");
}

TEST_F(Wrapper, MistakesOfATestAreToldToIt) {
  EXPECT_THROW(Driver(*walspout_plugin_v1(), {}), std::invalid_argument);
  EXPECT_THROW(Driver(*walspout_plugin_v1(), {{"mode", "ok"}, {"mod", "ok"}}),
               std::invalid_argument);
  EXPECT_THROW(txn_.insert(table_, {"1"}), std::invalid_argument);
}

TEST_F(Wrapper, ADescriptorNamesItsVersionAndOptions) {
  const walspout_plugin& plugin = *walspout_plugin_v1();
  EXPECT_EQ(plugin.struct_size, sizeof(walspout_plugin));
  EXPECT_EQ(plugin.abi_major, WALSPOUT_ABI_MAJOR);
  EXPECT_EQ(plugin.option_count, 5u);
  EXPECT_EQ(&plugin, walspout_plugin_v1());
}

}  // namespace
}  // namespace walspout
