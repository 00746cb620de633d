// Two hosts where there should be one: the second does no damage.
#include "e2e/pipeline_test.hpp"

namespace walspout::test {
namespace {

class TwoHosts : public PipelineTest {
 protected:
  void start_first() {
    sql("create table k (id integer primary key, v text)");
    sql("insert into k select g, 'first' from generate_series(1, 100) g");
    sql("create publication walspout for table k");
    host().start_streaming();
    host().wait_caught_up();
  }
  void change() {
    const std::string id = std::to_string(++round_);
    sql("insert into k values (1000 + " + id + ", 'new')");
    sql("update k set v = 'round ' || " + id + " where id % 10 = 0");
    sql("delete from k where id = " + id);
  }
  void expect_first_goes_on() {
    EXPECT_TRUE(host().running());
    change();
    expect_everything_delivered();
    host().stop();
    change();
    host().start_streaming();
    expect_everything_delivered();
  }

 private:
  int round_ = 0;
};

TEST_F(TwoHosts, OnOneStateDirectoryTheSecondEndsAtOnce) {
  start_first();
  for (int i = 0; i < 3; ++i) {
    const auto second = host().verb("run");
    EXPECT_EQ(second.status, 1);
    EXPECT_NE(second.output.find("another walspout uses it"), std::string::npos) << second.output;
    change();
  }
  expect_first_goes_on();
}

TEST_F(TwoHosts, OnOneSlotTheSecondNeverStreams) {
  start_first();
  HostConfig config = this->config();
  config.sinks = {sqlite_sink(dir() / "second.db")};
  const auto second = another_host("second", config);
  second->start();
  second->wait_logged("is active for PID");
  EXPECT_FALSE(second->logged("streaming from slot"));
  change();
  host().wait_caught_up();
  // The first has moved the slot past where the second would begin.
  EXPECT_EQ(second->wait_exit(Seconds(30)), 3);
  EXPECT_TRUE(second->logged("by somebody else"));
  expect_first_goes_on();
}

// A slot has one position: whoever comes back to a slot that another host has read further from
// misses what that one got.
TEST_F(TwoHosts, InTurnsOnOneSlotIsRefused) {
  start_first();
  host().stop();
  HostConfig config = this->config();
  config.sinks = {sqlite_sink(dir() / "second.db")};
  const auto second = another_host("second", config);
  second->start_streaming();
  change();
  second->wait_caught_up();
  second->stop();
  EXPECT_EQ(mirror_difference(server(), db(), "walspout", dir() / "second.db"), "");
  host().start();
  EXPECT_EQ(host().wait_exit(), 3);
  EXPECT_TRUE(host().logged("has moved past it"));
}

}  // namespace
}  // namespace walspout::test
