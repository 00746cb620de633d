// Lost slots: refused with the way out, or mended when the configuration says so; never followed
// with a gap.
#include "e2e/lost_slot_test.hpp"

namespace walspout::test {
namespace {

TEST_F(LostSlot, InvalidatedWhileDownIsRefused) {
  mirror_and_stop();
  change();
  lose_slot();
  expect_refused("max_slot_wal_keep_size");
  EXPECT_EQ(slot("wal_status"), "lost") << "it was dropped though nobody said so";
  expect_mended_by_resync();
}

TEST_F(LostSlot, InvalidatedWhileDownIsMendedByItselfWhenToldSo) {
  mirror_and_stop();
  change();
  lose_slot();
  expect_mended_by_itself();
}

TEST_F(LostSlot, DroppedIsRefused) {
  mirror_and_stop();
  change();
  drop_slot();
  expect_refused("does not exist");
  EXPECT_EQ(slot("slot_name"), "") << "a new one was made over the old mirror";
  expect_mended_by_resync();
}

TEST_F(LostSlot, DroppedIsMendedByItselfWhenToldSo) {
  mirror_and_stop();
  change();
  drop_slot();
  expect_mended_by_itself();
}

TEST_F(LostSlot, DroppedAndMadeAnewIsRefused) {
  mirror_and_stop();
  drop_slot();
  change();
  create_slot();
  change();
  expect_refused(config().slot);
  expect_mended_by_resync();
}

TEST_F(LostSlot, DroppedAndMadeAnewIsMendedByItselfWhenToldSo) {
  mirror_and_stop();
  drop_slot();
  change();
  create_slot();
  change();
  expect_mended_by_itself();
}

TEST_F(LostSlot, MovedAheadIsRefusedWithWhatIsMissing) {
  mirror_and_stop();
  change();
  sql("select pg_replication_slot_advance('" + config().slot + "', pg_current_wal_flush_lsn())");
  expect_refused("bytes");
  expect_mended_by_resync();
}

TEST_F(LostSlot, MovedAheadIsMendedByItselfWhenToldSo) {
  mirror_and_stop();
  change();
  sql("select pg_replication_slot_advance('" + config().slot + "', pg_current_wal_flush_lsn())");
  expect_mended_by_itself();
}

// A request for single tables would leave all others without what was lost.
TEST_F(LostSlot, NamedTablesDoNotMendIt) {
  mirror_and_stop();
  lose_slot();
  const auto asked = host().verb("resync", {"k"});
  EXPECT_EQ(asked.status, 3);
  EXPECT_NE(asked.output.find("without table names"), std::string::npos) << asked.output;
  drop_slot();
  const auto warned = host().verb("resync", {"k"});
  EXPECT_EQ(warned.status, 0);
  EXPECT_NE(warned.output.find("without table names"), std::string::npos) << warned.output;
  expect_refused("does not exist");
  expect_mended_by_resync();
}

// What somebody else does to the slot while the host has no connection for a moment.
struct Meddling {
  const char* name;
  const char* why;  // what the host says
  bool drops, makes, moves;
};

class WhileStreaming : public LostSlot, public testing::WithParamInterface<Meddling> {
 protected:
  void meddle() {
    host().start_streaming();
    change();
    host().wait_caught_up();
    while_disconnected([&] {
      if (GetParam().drops) drop_slot();
      change();
      if (GetParam().makes) create_slot();
      if (GetParam().moves)
        sql("select pg_replication_slot_advance('" + config().slot +
            "', pg_current_wal_flush_lsn())");
      change();
    });
  }
};

TEST_P(WhileStreaming, EndsTheHost) {
  host().start_streaming();
  host().wait_caught_up();
  host().stop();
  const std::size_t before = host().log().size();
  meddle();
  expect_ends(GetParam().why, before);
  expect_refused(config().slot);
  expect_mended_by_resync();
}

TEST_P(WhileStreaming, IsMendedByItselfWhenToldSo) {
  config().source = {"on_slot_lost = \"resync\""};
  meddle();
  host().wait_logged("everything is copied anew");
  expect_right_soon();
}

INSTANTIATE_TEST_SUITE_P(Slot, WhileStreaming,
                         testing::Values(Meddling{"Dropped", "does not exist", true, false, false},
                                         Meddling{"MadeAnew", "was moved", true, true, false},
                                         Meddling{"MovedAhead", "was moved", false, false, true}),
                         [](const auto& info) { return info.param.name; });

// The sink cannot write, so that nothing is confirmed while the source goes on.
class BlockedSink : public LostSlot {
 protected:
  void start_with_little_memory() {
    config().host = {"memory = \"4MiB\""};
    host().start_streaming();
    host().wait_caught_up();
  }

  // Transactions whose rows take so many megabytes.
  void fill(int megabytes) {
    Session session = server().session(db());
    for (int i = 0; i < 10 * megabytes; ++i)
      session.sql("insert into k select g, repeat('x', 1000) from generate_series(20000 + " +
                  std::to_string(i * 100) + ", 20099 + " + std::to_string(i * 100) + ") g");
    // Until the host reads no further, if it ever does.
    eventually(Seconds(3), [&] {
      return value("select wait_event from pg_stat_activity where pid = " +
                   std::to_string(host().walsender_pid())) == "ClientWrite";
    });
  }

  void lose_slot_under_a_blocked_sink(int megabytes) {
    start_with_little_memory();
    const MirrorLock lock(mirror_path());
    fill(megabytes);
    change();
    lose_slot();
  }

  void expect_ended_and_mendable() {
    ASSERT_EQ(host().wait_exit(Seconds(60)).value_or(-1), 3) << host().log();
    EXPECT_TRUE(host().logged("walspout resync"));
    EXPECT_TRUE(host().logged("max_slot_wal_keep_size"));
    expect_refused("max_slot_wal_keep_size");
    expect_mended_by_resync();
  }
};

TEST_F(BlockedSink, InvalidatedWhileRunningEndsTheHost) {
  lose_slot_under_a_blocked_sink(0);
  expect_ended_and_mendable();
}

// The walsender cannot say good-bye to a host that does not read, and the server's checkpoint waits
// for it: so a host that has no room must not keep its connection for long.
TEST_F(BlockedSink, InvalidatedWhileTheHostHasNoRoomHoldsUpNoCheckpoint) {
  lose_slot_under_a_blocked_sink(10);
  expect_ended_and_mendable();
}

TEST_F(BlockedSink, DoesNotHoldUpAFastShutdownOfTheServer) {
  start_with_little_memory();
  {
    const MirrorLock lock(mirror_path());
    fill(10);
    EXPECT_LT(server().stop(), 30 * patience());
  }
  server().start();
  host().wait_streaming();
  expect_everything_delivered();
}

// A transaction that the memory does not hold: the connection is closed in the middle, and what
// was cut off comes again.
TEST_F(BlockedSink, GoesOnWhereItStoodWhenThereIsRoomAgain) {
  start_with_little_memory();
  {
    const MirrorLock lock(mirror_path());
    Session session = server().session(db());
    session.sql("insert into k select g, repeat('x', 1000) from generate_series(20000, 27999) g");
    host().wait_logged("no room for", Seconds(30));
    wait_until("a closed connection", Seconds(20), [&] { return slot("active") == "f"; });
    change();
  }
  host().wait_logged("there is room again", Seconds(30));
  expect_everything_delivered();
}

TEST_F(BlockedSink, InvalidatedWhileRunningIsMendedByItselfWhenToldSo) {
  config().source = {"on_slot_lost = \"resync\""};
  lose_slot_under_a_blocked_sink(0);
  host().wait("a new slot", Seconds(60), [&] { return slot("wal_status") == "reserved"; });
  expect_right_soon();
}

}  // namespace
}  // namespace walspout::test
