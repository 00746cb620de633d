// Sources that are not what they were: an earlier copy, another timeline, another cluster.
#include "e2e/lost_slot_test.hpp"

namespace walspout::test {
namespace {

// The data directory is put back to an earlier moment.
class EarlierCopy : public LostSlot {
 protected:
  void back_up() {
    mirror_and_stop();
    server().stop();
    server().copy_data(dir() / "backup");
    server().start();
  }
  void go_on() {
    host().start_streaming();
    change();
    host().wait_caught_up();
    expect_mirror_equals_source();
    host().stop();
    mirrored_to_ = server().wal_position();
  }
  void put_back(bool promoted) {
    server().stop();
    server().restore_data(dir() / "backup");
    if (promoted) server().promote_at_start();
    server().start();
    wait_until("the end of recovery", Seconds(30),
               [&] { return value("select pg_is_in_recovery()") == "f"; });
  }
  // Another history than the one that the mirror has, up to beyond where it stands.
  void write_past_the_mirror() {
    wait_until("written so much", Seconds(30), [&] {
      sql("insert into k select max(id) + 1, 'other history' from k");
      write_wal(1);
      return server().wal_position() > mirrored_to_;
    });
  }

  std::uint64_t mirrored_to_ = 0;
};

TEST_F(EarlierCopy, RestoredBackupIsRefused) {
  back_up();
  go_on();
  put_back(false);
  expect_refused("backup");
  expect_mended_by_resync();
}

TEST_F(EarlierCopy, RestoredBackupIsMendedByItselfWhenToldSo) {
  back_up();
  go_on();
  put_back(false);
  expect_mended_by_itself();
}

TEST_F(EarlierCopy, RestoredBackupThatHasGrownPastTheMirrorIsRefused) {
  back_up();
  go_on();
  put_back(false);
  write_past_the_mirror();
  expect_refused("backup");
  expect_mended_by_resync();
}

TEST_F(EarlierCopy, PromotedCopyThatLacksWhatTheMirrorHasIsRefused) {
  back_up();
  go_on();
  put_back(true);
  expect_refused("copy");
  expect_mended_by_resync();
}

TEST_F(EarlierCopy, PromotedCopyThatHasGrownPastTheMirrorIsRefused) {
  back_up();
  go_on();
  put_back(true);
  write_past_the_mirror();
  expect_refused("copy");
  expect_mended_by_resync();
}

TEST_F(EarlierCopy, PromotedCopyIsMendedByItselfWhenToldSo) {
  back_up();
  go_on();
  put_back(true);
  write_past_the_mirror();
  expect_mended_by_itself();
}

TEST_F(EarlierCopy, PromotedCopyThatLacksNothingIsFollowed) {
  back_up();
  put_back(true);
  change();
  host().start_streaming();
  expect_everything_delivered();
  EXPECT_EQ(host().config().source, std::vector<std::string>{"on_slot_lost = \"stop\""});
  // The mirror knows the new timeline from here on.
  host().stop();
  change();
  host().start_streaming();
  expect_everything_delivered();
}

TEST_F(EarlierCopy, TimelineThatWasLeftBehindIsRefused) {
  back_up();
  put_back(true);
  host().start_streaming();
  change();
  host().wait_caught_up();
  host().stop();
  put_back(false);  // back on the first timeline
  write_wal(2);
  expect_refused("timeline");
  expect_mended_by_resync();
}

// The same while the host runs: it finds another source when it connects again.
TEST_F(EarlierCopy, PromotedCopyThatLacksNothingIsFollowedWhileRunning) {
  host().start_streaming();
  change();
  host().wait_caught_up();
  server().stop();
  server().promote_at_start();
  server().start();
  host().wait_streaming();
  change();
  expect_everything_delivered();
  // What was stored from then on is of the new timeline.
  host().stop();
  change();
  host().start_streaming();
  expect_everything_delivered();
}

TEST_F(EarlierCopy, PromotedCopyThatLacksWhatTheMirrorHasEndsARunningHost) {
  back_up();
  host().start_streaming();
  change();
  host().wait_caught_up();
  const std::size_t before = host().log().size();
  put_back(true);
  write_past_the_mirror();
  expect_ends("copy", before);
  expect_mended_by_resync();
}

TEST_F(EarlierCopy, RestoredBackupThatHasGrownPastTheMirrorEndsARunningHost) {
  back_up();
  host().start_streaming();
  change();
  host().wait_caught_up();
  mirrored_to_ = server().wal_position();
  const std::size_t before = host().log().size();
  host().pause();
  put_back(false);
  write_past_the_mirror();
  host().resume();
  expect_ends("backup", before);
  expect_refused("backup");
  expect_mended_by_resync();
}

TEST_F(EarlierCopy, RestoredBackupThatHasGrownPastTheMirrorIsMendedByItselfWhenToldSo) {
  back_up();
  go_on();
  put_back(false);
  write_past_the_mirror();
  expect_mended_by_itself();
}

class OtherCluster : public LostSlot {
 protected:
  // The same names, other rows.
  std::unique_ptr<PostgresServer> make_another() {
    auto other = std::make_unique<PostgresServer>();
    other->create_database(db());
    Session session = other->session(db());
    for (const char* text :
         {"create table k (id integer primary key, v text)",
          "create table more (id integer primary key, v text)",
          "insert into k select g, 'other' from generate_series(500, 1500) g",
          "create publication walspout for table k, more",
          "select pg_logical_emit_message(false, 'wal', repeat('x', 100000000))"})
      session.sql(text);
    return other;
  }
};

TEST_F(OtherCluster, BehindTheSameAddressIsRefused) {
  mirror_and_stop();
  const auto other = make_another();
  host().config().url = other->url(db());
  expect_refused("cluster");
  EXPECT_EQ(other->value(db(), "select count(*) from pg_replication_slots"), "0");
  // Back to the old one nothing is wrong.
  host().config().url = server().url(db());
  change();
  host().start_streaming();
  expect_everything_delivered();
}

TEST_F(OtherCluster, IsTakenForTheSourceWhenToldSo) {
  mirror_and_stop();
  const auto other = make_another();
  HostConfig elsewhere = host().config();
  elsewhere.url = other->url(db());
  elsewhere.source = {"on_slot_lost = \"resync\""};
  // The same folders, so the same mirror and state.
  HostProcess moved(*other, host().directory(), elsewhere);
  moved.start();
  moved.wait_streaming(Seconds(30));
  moved.wait_caught_up();
  EXPECT_EQ(difference_in_the_end(Seconds(20), [&] { return difference_to(*other); }), "");
  moved.stop();
}

// libpq takes the next of several hosts when the first does not answer.
TEST_F(OtherCluster, BehindTheSecondAddressEndsARunningHost) {
  const auto other = make_another();
  config().url = "host=" + server().socket_directory() + "," + other->socket_directory() +
                 " port=5432,5432 user=postgres dbname=" + db();
  host().start_streaming();
  change();
  host().wait_caught_up();
  const std::size_t before = host().log().size();
  server().stop();
  expect_ends("another cluster", before);
  EXPECT_EQ(other->value(db(), "select count(*) from pg_replication_slots"), "0");
  server().start();
  change();
  host().start_streaming();
  expect_everything_delivered();
}

}  // namespace
}  // namespace walspout::test
