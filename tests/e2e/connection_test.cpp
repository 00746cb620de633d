// Lost, silent and refused connections.
#include <signal.h>

#include "e2e/pipeline_test.hpp"

namespace walspout::test {
namespace {

class Connection : public PipelineTest {
 protected:
  void make_table() {
    sql("create table k (id integer primary key, v text)");
    sql("create publication walspout for table k");
  }
  void sender_timeout(const std::string& time) {
    sql("alter database " + db() + " set wal_sender_timeout = '" + time + "'");
  }
};

TEST_F(Connection, SlotStillActiveForALostConnectionIsWaitedFor) {
  make_table();
  sender_timeout("4s");
  TcpProxy proxy(server().socket_path());
  config().url = proxy.url(db());
  host().start_streaming();
  host().wait_caught_up();
  const int old_sender = host().walsender_pid();
  proxy.cut_clients();  // the server does not learn of it
  sql("insert into k values (1, 'x')");
  host().wait_logged(std::to_string(old_sender));
  EXPECT_EQ(host().walsender_pid(), old_sender) << "somebody ended the old backend";
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 1);
  EXPECT_NE(host().walsender_pid(), old_sender);
}

TEST_F(Connection, KilledAndStartedAtOnceAgainAndAgain) {
  make_table();
  host().start();
  for (int i = 1; i <= 10; ++i) {
    host().wait_streaming();
    sql("insert into k values (" + std::to_string(i) + ", 'x')");
    host().kill9();
    host().start();
  }
  host().wait_streaming();
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 10);
}

// Whatever is asked of the server before the stream begins may meet its shutdown: all connections
// are ended once, a little later in each start.
TEST_F(Connection, ThoseThatAreEndedDuringTheStartAreMadeAnew) {
  make_table();
  host().start_streaming();
  host().wait_caught_up();
  Session other(server().url(db()));
  int ended = 0;
  for (int moment = 0; moment < 30; ++moment) {
    host().kill9();
    host().start();
    other.sql("do $$ begin perform pg_sleep(" + std::to_string(0.002 * moment) + "); end $$");
    ended += std::atoi(other
                           .value("select count(pg_terminate_backend(pid)) from pg_stat_activity"
                                  " where application_name like 'walspout%'")
                           .c_str());
    ASSERT_NO_THROW(host().wait_streaming()) << 2 * moment << " ms after the start";
  }
  EXPECT_GE(ended, 15) << "this tests nothing";
  expect_everything_delivered();
}

TEST_F(Connection, SecondHostOnTheSameSlotDoesNotDisturbTheFirst) {
  make_table();
  host().start_streaming();
  const int sender = host().walsender_pid();
  HostConfig same = config();
  same.sinks = {sqlite_sink(dir() / "other.db")};
  auto second = another_host("second", same);
  second->start();
  ASSERT_TRUE(eventually(Seconds(15), [&] { return second->logged(std::to_string(sender)); }))
      << "it does not say who has the slot: " << second->log();
  int id = 0;
  EXPECT_TRUE(holds_for(Seconds(3), [&] {
    sql("insert into k values (" + std::to_string(++id) + ", 'x')");
    return host().walsender_pid() == sender && host().running();
  }));
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), id);
  EXPECT_NE(second->wait_exit(Seconds(0)).value_or(1), 0) << "it says that all is well";
}

TEST_F(Connection, SilentConnectionIsGivenUpAndMadeAnew) {
  make_table();
  sender_timeout("3s");
  TcpProxy proxy(server().socket_path());
  config().url = proxy.url(db());
  host().start_streaming();
  host().wait_caught_up();
  proxy.freeze_present();  // no FIN, no data; new connections pass
  sql("insert into k select g, 'x' from generate_series(1, 100) g");
  expect_everything_delivered(Seconds(40));
  EXPECT_EQ(mirrored("k"), 100);
}

TEST_F(Connection, ServerThatIsSilentForAWhileIsFoundAgain) {
  make_table();
  sender_timeout("3s");
  TcpProxy proxy(server().socket_path());
  config().url = proxy.url(db());
  host().start_streaming();
  host().wait_caught_up();
  proxy.freeze();  // not even new connections
  sql("insert into k select g, 'x' from generate_series(1, 100) g");
  EXPECT_TRUE(holds_for(Seconds(10), [&] { return host().running(); }));
  proxy.cut();
  proxy.thaw();
  expect_everything_delivered(Seconds(40));
  EXPECT_EQ(mirrored("k"), 100);
}

TEST_F(Connection, SlotCreationSaysWhomItWaitsForAndCanBeInterrupted) {
  make_table();
  Session forgotten = server().session(db());
  forgotten.sql("begin");
  forgotten.sql("insert into k values (1, 'forgotten')");
  host().start();
  host().wait_logged(std::to_string(forgotten.pid()), Seconds(20));
  host().signal(SIGINT);
  ASSERT_TRUE(host().wait_exit(Seconds(5))) << "it still waits";
  EXPECT_TRUE(eventually(Seconds(5), [&] {
    return value("select count(*) from pg_replication_slots where slot_name = '" + db() + "'") ==
           "0";
  })) << "a slot is left behind";
  EXPECT_TRUE(eventually(Seconds(5), [&] {
    return value(
               "select count(*) from pg_stat_activity where datname = current_database() and "
               "pid not in (pg_backend_pid(), " +
               std::to_string(forgotten.pid()) + ")") == "0";
  })) << "a backend is left behind";

  host().start();
  host().wait("waiting again", Seconds(20), [&] {
    return value("select count(*) from pg_replication_slots where slot_name = '" + db() + "'") ==
           "1";
  });
  forgotten.sql("commit");
  host().wait_streaming();
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 1);
}

class OwnServer : public Connection {
 protected:
  void SetUp() override { use_own_server({}); }
};

TEST_F(OwnServer, FastShutdownIsNotHeldUpAndTheHostComesBack) {
  make_table();
  host().start_streaming();
  for (int round = 1; round <= 3; ++round) {
    sql("insert into k select g, 'x' from generate_series(1, 1000) g on conflict do nothing");
    sql("update k set v = '" + std::to_string(round) + "'");
    if (round > 1) host().wait_caught_up();
    EXPECT_LT(server().stop(PostgresServer::How::kFast), 10 * patience()) << "in round " << round;
    EXPECT_TRUE(host().running());
    server().start();
    host().wait_streaming();
  }
  sql("insert into k values (5000, 'after')");
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 1001);
}

TEST_F(OwnServer, FastShutdownIsNotHeldUpByAnOpenTransaction) {
  make_table();
  host().start_streaming();
  Session open = server().session(db());
  open.sql("begin");
  open.sql("insert into k select g, 'x' from generate_series(1, 100000) g");
  sql("insert into k values (0, 'x')");
  EXPECT_LT(server().stop(PostgresServer::How::kFast), 10 * patience());
  server().start();
  host().wait_streaming();
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 1);
}

TEST_F(OwnServer, CrashedServerIsFoundAgain) {
  make_table();
  host().start_streaming();
  for (int round = 1; round <= 3; ++round) {
    sql("insert into k values (" + std::to_string(round) + ", 'x')");
    server().restart(PostgresServer::How::kImmediate);
    host().wait_streaming();
  }
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 3);
}

}  // namespace
}  // namespace walspout::test
