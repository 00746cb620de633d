// What is confirmed to PostgreSQL, and that a crash loses nothing and doubles nothing.
#include "e2e/mirror_lock.hpp"
#include "e2e/pipeline_test.hpp"

namespace walspout::test {
namespace {

class Acknowledgement : public PipelineTest {
 protected:
  void make_table() {
    sql("create table k (id integer primary key, v text)");
    sql("create table elsewhere (id integer)");
    sql("create publication walspout for table k");
  }
  // The server sends keepalives every half of it.
  void sender_timeout(const std::string& time) {
    sql("alter database " + db() + " set wal_sender_timeout = '" + time + "'");
  }
  void write_elsewhere() {
    transactions({"insert into elsewhere select generate_series(1, 500)", "select pg_switch_wal()",
                  "checkpoint"});
  }
};

TEST_F(Acknowledgement, KeepalivesConfirmNothingThatAHangingSinkHasNot) {
  make_table();
  sender_timeout("3s");
  host().start_streaming();
  host().wait_caught_up();
  std::uint64_t committed = 0;
  {
    const MirrorLock lock(mirror_path());
    Session session = server().session(db());
    session.sql("insert into k select generate_series(1, 10), 'x'");
    committed = parse_lsn(session.value("select pg_current_wal_flush_lsn()"));
    const int sender = host().walsender_pid();
    EXPECT_TRUE(holds_for(Seconds(9), [&] {
      write_elsewhere();
      EXPECT_EQ(host().walsender_pid(), sender) << "the connection was lost";
      return host().confirmed() < committed;
    })) << "confirmed what the mirror does not have";
    host().kill9();
  }
  EXPECT_EQ(mirrored("k"), 0);
  host().start_streaming();
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 10);
}

TEST_F(Acknowledgement, OpenTransactionDoesNotHoldTheSlotAndIsNotLost) {
  make_table();
  sender_timeout("2s");
  host().start_streaming();
  Session open = server().session(db());
  open.sql("begin");
  open.sql("insert into k values (1, 'open')");
  write_elsewhere();
  host().wait_caught_up();  // past the row, by keepalives
  host().kill9();
  open.sql("commit");
  host().start_streaming();
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 1);
}

TEST_F(Acknowledgement, BigOpenTransactionIsNotLost) {
  make_table();
  sender_timeout("2s");
  host().start_streaming();
  Session open = server().session(db());
  open.sql("begin");
  open.sql("insert into k select g, 'open' from generate_series(1, 1000000) g");
  write_elsewhere();
  host().wait_caught_up();
  host().kill9();
  open.sql("commit");
  host().start_streaming();
  host().wait_caught_up(Seconds(90));
  EXPECT_EQ(mirrored("k"), 1000000);
  EXPECT_EQ(count_lines(events_path()), 1000000u);
}

TEST_F(Acknowledgement, TransactionReceivedByHalfIsNotLostWhenKilled) {
  make_table();
  sender_timeout("2s");
  TcpProxy proxy(server().socket_path());
  config().url = proxy.url(db());
  host().start_streaming();
  host().wait_caught_up();
  proxy.freeze_after(5'000'000);
  Session session = server().session(db());
  session.sql("insert into k select g, repeat('x', 50) from generate_series(1, 200000) g");
  const auto committed = parse_lsn(session.value("select pg_current_wal_flush_lsn()"));
  host().wait("half of it received", Seconds(30), [&] { return proxy.limit_reached(); });
  EXPECT_TRUE(holds_for(Seconds(1), [&] { return host().confirmed() < committed; }));
  host().kill9();
  proxy.cut();
  EXPECT_LT(host().confirmed(), committed);
  EXPECT_EQ(mirrored("k"), 0) << "half a transaction is visible";
  host().start_streaming();
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 200000);
}

TEST_F(Acknowledgement, ConnectionCutWithinATransactionDeliversAllOfIt) {
  make_table();
  TcpProxy proxy(server().socket_path());
  config().url = proxy.url(db());
  host().start_streaming();
  host().wait_caught_up();
  proxy.cut_after(10'000'000);
  sql("insert into k select g, repeat('x', 50) from generate_series(1, 300000) g");
  host().wait("the connection cut", Seconds(30), [&] { return proxy.limit_reached(); });
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 300000);
  EXPECT_EQ(count_events("insert", "k"), 300000u);
}

// COMMIT, BEGIN and the first change of the next transaction may share one position: whatever the
// host was killed after, the next transaction must not be taken for seen.
TEST_F(Acknowledgement, RestartOnEveryTransactionBorder) {
  make_table();
  int id = 0;
  std::size_t seen = 0;
  host().start_streaming();
  host().wait_logged("copied public.k");  // what comes from here on is no row of the copy
  for (int k = 1; k <= 20; ++k) {
    if (!host().running()) host().start_streaming();
    std::vector<std::string> texts;
    for (int i = 0; i < k; ++i)
      texts.push_back("insert into k values (" + std::to_string(++id) + ", 'one')");
    texts.push_back("insert into k select " + std::to_string(id) + " + g, 'three' from " +
                    "generate_series(1, 3) g");
    id += 3;
    transactions(texts);
    const std::size_t wanted = seen + static_cast<std::size_t>(k);
    host().wait("k events", Seconds(20), [&] { return count_lines(events_path()) >= wanted; });
    if (k % 2)
      host().kill9();
    else
      host().stop();
    host().start_streaming();
    expect_everything_delivered();
    ASSERT_EQ(mirrored("k"), id) << "in round " << k;
    ASSERT_EQ(count_events("insert", "k"), static_cast<std::size_t>(id)) << "in round " << k;
    seen = count_lines(events_path());
  }
}

TEST_F(Acknowledgement, TransactionThatBeganBeforeTheRestartAndCommittedAfterIsWhole) {
  make_table();
  host().start_streaming();
  Session late = server().session(db());
  late.sql("begin");
  late.sql("insert into k values (1, 'late')");
  sql("insert into k values (2, 'early')");
  late.sql("insert into k values (3, 'late')");
  transactions({"begin", "insert into k values (4, 'early')", "update k set v = 'e' where id = 2",
                "commit"});
  host().wait_caught_up();
  host().kill9();
  late.sql("update k set v = v || '+' where id in (1, 2)");
  late.sql("commit");
  sql("insert into k values (5, 'end')");
  host().start_streaming();
  expect_everything_delivered();
  std::string order;
  for (const auto& event : events())
    if (event.at("op") == "insert" || event.at("op") == "update")
      order += event.at("op").get<std::string>()[0] + event.at("new").at("id").dump() + " ";
  EXPECT_EQ(order, "i2 i4 u2 i1 i3 u1 u2 i5 ");
}

}  // namespace
}  // namespace walspout::test
