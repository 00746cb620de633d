// A quiet sink holds back no WAL; one that has something pending holds back exactly its own.
#include "e2e/mirror_lock.hpp"
#include "e2e/pipeline_test.hpp"

namespace walspout::test {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

class Idle : public PipelineTest {
 protected:
  void SetUp() override {
    use_own_server({{"autovacuum = off", "max_wal_size = 1GB"}, {}});  // nothing else writes
    server().create_database("neighbour");
    server().sql("neighbour", "create table n (id integer, t text)");
    sql("create table k (id integer primary key)");
    sql("create table elsewhere (id integer, t text)");
    sql("create publication walspout for table k");
  }

  // About 100 MB of WAL in this database, and as much in another.
  void write_elsewhere() {
    const std::string insert =
        " select g, repeat(md5(g::text), 31) from generate_series(1, 95000) g";
    sql("insert into elsewhere" + insert);
    server().sql("neighbour", "insert into n" + insert);
  }

  std::uint64_t behind(std::uint64_t position) {
    const auto end = server().wal_position();
    return end > position ? end - position : 0;
  }
  std::uint64_t restart_position() {
    return parse_lsn(server().value(
        "postgres",
        "select restart_lsn from pg_replication_slots where slot_name = '" + db() + "'"));
  }
  // Grows with every transaction that writes.
  std::string next_xid() { return value("select pg_snapshot_xmax(pg_current_snapshot())"); }
};

TEST_F(Idle, BusyNeighboursHoldBackNoWal) {
  host().start_streaming();
  sql("insert into k values (1)");
  const auto before = server().wal_position();
  write_elsewhere();
  ASSERT_GT(behind(before), 180 * kMiB);
  const std::string xid = next_xid();
  host().wait("confirmed within 1 MiB", Seconds(15),
              [&] { return behind(host().confirmed()) < kMiB; });
  host().wait("retained WAL within 1 MiB", Seconds(60),
              [&] { return behind(restart_position()) < kMiB; });
  EXPECT_EQ(next_xid(), xid) << "somebody wrote to the source";

  host().kill9();
  host().start_streaming();
  sql("insert into k values (2)");
  expect_everything_delivered();
  host().stop();
  host().start_streaming();
  sql("insert into k values (3)");
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 3);
}

TEST_F(Idle, PendingRowHoldsTheSlotUntilItIsDurable) {
  host().start_streaming();
  host().wait_caught_up();
  {
    const MirrorLock lock(mirror_path());
    sql("insert into k values (1)");
    const auto committed = server().wal_position();
    write_elsewhere();
    EXPECT_TRUE(holds_for(Seconds(4), [&] { return host().confirmed() < committed; }));
  }
  host().wait("confirmed within 1 MiB", Seconds(15),
              [&] { return behind(host().confirmed()) < kMiB; });
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 1);
}

}  // namespace
}  // namespace walspout::test
