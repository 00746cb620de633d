#include "postgres/slot.hpp"

#include <future>
#include <mutex>

#include "fixture.hpp"

namespace walspout::postgres {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class Slot : public WithDatabase {
 protected:
  SlotOptions named(const std::string& name) const {
    SlotOptions options;
    options.name = name + "_" + db_;
    return options;
  }
};

TEST_F(Slot, IsCreatedFoundAndDropped) {
  auto replication = replicate();
  auto conn = connect();
  const auto options = named("made");
  const auto made = create_slot(replication, options, Interrupt());
  EXPECT_NE(made.consistent_point, 0u);
  EXPECT_EQ(made.snapshot_name, "");
  const auto slot = find_slot(conn, options.name);
  ASSERT_TRUE(slot);
  EXPECT_EQ(slot->plugin, "pgoutput");
  EXPECT_EQ(slot->database, db_);
  EXPECT_EQ(slot->confirmed_flush_lsn, made.consistent_point);
  EXPECT_EQ(slot->wal_status, "reserved");
  EXPECT_FALSE(slot->temporary || slot->active || slot->two_phase || slot->lost());
  EXPECT_TRUE(drop_slot(conn, options.name));
  EXPECT_FALSE(drop_slot(conn, options.name));
  EXPECT_FALSE(find_slot(conn, options.name));
}

TEST_F(Slot, TheExportedSnapshotServesAnotherConnection) {
  sql("CREATE TABLE t AS SELECT 1 AS x");
  auto replication = replicate();
  auto options = named("exports");
  options.temporary = true;
  options.snapshot = ExportSnapshot::kExport;
  const auto made = create_slot(replication, options, Interrupt());
  sql("INSERT INTO t VALUES (2)");
  auto conn = connect();
  conn.exec("BEGIN ISOLATION LEVEL REPEATABLE READ");
  conn.exec("SET TRANSACTION SNAPSHOT '" + made.snapshot_name + "'");
  EXPECT_EQ(conn.exec("SELECT count(*) FROM public.t").integer(0, 0), 1);
}

TEST_F(Slot, ATemporaryOneGoesWithItsConnection) {
  auto options = named("temporary");
  options.temporary = true;
  {
    auto replication = replicate();
    create_slot(replication, options, Interrupt());
    EXPECT_EQ(slots(options.name), 1);
  }
  EXPECT_TRUE(eventually(test::Seconds(5), [&] { return slots(options.name) == 0; }));
}

TEST_F(Slot, AnExistingNameIsAnError) {
  auto replication = replicate();
  const auto options = named("twice");
  create_slot(replication, options, Interrupt());
  try {
    create_slot(replication, options, Interrupt());
    FAIL();
  } catch (const SqlError& error) {
    EXPECT_EQ(error.sqlstate, "42710");
  }
  auto conn = connect();
  drop_slot(conn, options.name);
}

// C077: an open transaction elsewhere holds the creation up.
class BlockedSlot : public Slot {
 protected:
  BlockedSlot() : blocker_(shared_server().session(db_)), replication_(replicate()) {
    sql("CREATE TABLE t (x int)");
    blocker_.sql("SET application_name = 'forgotten'");
    blocker_.sql("BEGIN; INSERT INTO public.t VALUES (1)");
    creating_ = std::async(std::launch::async, [this] {
      return create_slot(replication_, options_, stop_.interrupt(), [this](std::string_view text) {
        const std::lock_guard guard(mutex_);
        told_.emplace_back(text);
      });
    });
  }

  bool waits() {
    return eventually(test::Seconds(10), [&] {
      return value(
                 "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = "
                 "'transactionid' AND pid = " +
                 std::to_string(replication_.backend_pid())) == "1";
    });
  }
  bool told() {
    return eventually(test::Seconds(10), [&] {
      const std::lock_guard guard(mutex_);
      return !told_.empty();
    });
  }

  test::Session blocker_;
  Connection replication_;
  Switch stop_;
  SlotOptions options_ = named("blocked");
  std::mutex mutex_;
  std::vector<std::string> told_;
  std::future<CreatedSlot> creating_;
};

TEST_F(BlockedSlot, SaysWhomItWaitsForAndGoesOnWhenThatEnds) {
  ASSERT_TRUE(told());
  EXPECT_THAT(told_, Contains(HasSubstr("of process " + std::to_string(blocker_.pid()))));
  EXPECT_THAT(told_, Contains(HasSubstr("application 'forgotten'")));
  blocker_.sql("COMMIT");
  EXPECT_NE(creating_.get().consistent_point, 0u);
  auto conn = connect();
  EXPECT_TRUE(drop_slot(conn, options_.name));
}

TEST_F(BlockedSlot, LeavesNothingWhenInterrupted) {
  ASSERT_TRUE(waits());
  const double start = test::now();
  stop_.on();
  EXPECT_THROW(creating_.get(), Interrupted);
  EXPECT_LT(test::now() - start, 1 * test::patience());
  EXPECT_EQ(slots(options_.name), 0);
  const std::string pid = std::to_string(replication_.backend_pid());
  EXPECT_EQ(value("SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = " + pid), "0");
  replication_.close();
  EXPECT_TRUE(eventually(test::Seconds(5), [&] {
    return value("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid) == "0";
  }));
  blocker_.sql("COMMIT");
  EXPECT_EQ(slots(options_.name), 0);
}

TEST(TemporaryName, IsAValidAndRandomSlotName) {
  EXPECT_THAT(temporary_name("walspout_tail"), MatchesRegex("walspout_tail_[0-9a-f]{16}"));
  EXPECT_NE(temporary_name("a"), temporary_name("a"));
}

}  // namespace walspout::postgres
