// A slot that a sink holds back: seen in time, with its name, until it is over.
#include "e2e/pipeline_test.hpp"

namespace walspout::test {
namespace {

class Slot : public PipelineTest {
 protected:
  void SetUp() override {
    // No checkpoint comes between, so that the server never acts on what it allows.
    use_own_server({{"max_slot_wal_keep_size = 64MB", "min_wal_size = 32MB", "max_wal_size = 4GB",
                     "checkpoint_timeout = 1h"}});
    sql("create table t (id integer primary key, v text)");
    sql("create publication walspout for table t");
  }

  // About so many MB of WAL, in rows of the published table.
  void write(int megabytes) {
    sql("insert into t select coalesce((select max(id) from t), 0) + g, repeat('x', 900) "
        "from generate_series(1, " +
        std::to_string(megabytes * 1000) + ") g");
  }
  nlohmann::json slot() {
    const Finished done = host().verb("status", {"--json"});
    return nlohmann::json::parse(done.output.substr(0, done.output.find('\n'))).at("slot");
  }
};

TEST_F(Slot, ThatASinkHoldsBackIsWarnedOfInTime) {
  host().start_streaming();
  host().wait_caught_up();
  ASSERT_EQ(host().verb("pause", {"mirror"}).status, 0);
  write(42);
  host().wait_logged("warning slot " + host().config().slot + " uses 5", Seconds(30));
  write(20);
  host().wait_logged("warning slot " + host().config().slot + " uses 8", Seconds(30));
  EXPECT_TRUE(host().logged("sink mirror holds it back")) << host().log();
  const nlohmann::json now = slot();
  EXPECT_EQ(now.at("held_by"), "mirror");
  EXPECT_GT(now.at("growth_bytes_per_second").get<std::int64_t>(), 100'000);
  EXPECT_GE(now.at("lost_in_seconds").get<std::int64_t>(), 0);
  EXPECT_LT(now.at("lost_in_seconds").get<std::int64_t>(), 600);
  const Finished text = host().verb("status");
  EXPECT_NE(text.output.find("held back by sink mirror"), std::string::npos) << text.output;
  write(22);
  host().wait_logged("error slot " + host().config().slot + " is about to be lost", Seconds(30));

  ASSERT_EQ(host().verb("resume", {"mirror"}).status, 0);
  host().wait_caught_up(Seconds(60));
  // The server lets go when it notes its running transactions: every 15 s, if anything happens.
  host().wait("a slot that is fine", Seconds(60), [&] {
    sql("update t set v = v where id = 1");
    return host().logged("info slot " + host().config().slot + ": reserved");
  });
  EXPECT_TRUE(slot().at("held_by").is_null());
  expect_everything_delivered();
}

}  // namespace
}  // namespace walspout::test
