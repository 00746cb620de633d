// A mirrored source whose slot, or the source itself, is about to get lost.
#pragma once

#include <sstream>
#include <string>

#include "e2e/mirror_lock.hpp"
#include "e2e/pipeline_test.hpp"

namespace walspout::test {

class LostSlot : public PipelineTest {
 protected:
  void SetUp() override {
    use_own_server({{"max_slot_wal_keep_size = 16MB", "wal_keep_size = 0", "max_wal_size = 32MB",
                     "min_wal_size = 32MB"}});
    config().source = {"on_slot_lost = \"stop\""};
    make_tables();
  }

  void make_tables() {
    sql("create table k (id integer primary key, v text)");
    sql("create table more (id integer primary key, v text)");
    sql("insert into k select g, 'first' from generate_series(1, 1000) g");
    sql("insert into more select g, 'first' from generate_series(1, 10) g");
    sql("create publication walspout for table k, more");
  }

  // Changes of every kind to rows that are mirrored, each round its own.
  void change() {
    const std::string round = std::to_string(++round_);
    sql("update k set v = 'round " + round + "' where id % 7 = 0");
    sql("delete from k where id % 100 = " + round);
    sql("update k set id = id + 10000 where id = 500 + " + round);
    sql("insert into k values (5000 + " + round + ", 'new')");
    sql("delete from more where id = " + round);
  }

  void mirror_and_stop() {
    host().start_streaming();
    change();
    host().wait_caught_up();
    host().stop();
    expect_mirror_equals_source();
  }

  std::string slot(const std::string& column) {
    return value("select " + column + " from pg_replication_slots where slot_name = '" +
                 config().slot + "'");
  }

  void write_wal(int megabytes) {
    for (int i = 0; i < megabytes; ++i)
      sql("select pg_logical_emit_message(false, 'wal', repeat('x', 1000000))");
  }

  void lose_slot() {
    wait_until("a lost slot", Seconds(60), [&] {
      write_wal(20);
      sql("select pg_switch_wal()");
      Session session = server().session(db());
      session.sql("set statement_timeout = '5s'");
      session.sql("checkpoint");  // waits until the slot's walsender has ended
      return slot("wal_status") == "lost";
    });
  }

  // A host that was not mended refuses, and leaves everything as it was.
  void expect_refused(const std::string& why) {
    const std::string content = mirror_content();
    const std::size_t before = host().log().size();
    host().start();
    expect_ends(why, before);
    EXPECT_EQ(mirror_content(), content) << "the mirror was touched";
  }

  // One line at the level of errors says why, and how to mend it.
  void expect_ends(const std::string& why, std::size_t log_before) {
    const auto status = host().wait_exit(Seconds(30));
    ASSERT_TRUE(status) << "it goes on";
    EXPECT_EQ(*status, 3);
    const std::string said = host().log().substr(log_before);
    std::istringstream lines(said);
    int found = 0;
    for (std::string line; std::getline(lines, line);)
      found += line.find(" error ") != std::string::npos &&
               line.find("walspout resync") != std::string::npos &&
               line.find(why) != std::string::npos;
    EXPECT_EQ(found, 1) << "no line with \"" << why << "\" and `walspout resync`, or several:\n"
                        << said;
  }

  // Something happens while the running host has no connection and does not notice.
  template <class Action>
  void while_disconnected(const Action& action) {
    const int walsender = host().walsender_pid();
    host().pause();
    sql("select pg_terminate_backend(" + std::to_string(walsender) + ")");
    wait_until("an inactive slot", Seconds(20), [&] { return slot("active") != "t"; });
    action();
    host().resume();
  }

  std::string mirror_content() const {
    const Mirror mirror(mirror_path());
    std::string out;
    for (const auto& row : mirror.file().query("select id, v from k order by id, v"))
      out += literal(row[0]) + literal(row[1]) + "\n";
    return out;
  }

  std::string difference_to(const PostgresServer& source) const {
    return mirror_difference(source, db(), "walspout", mirror_path());
  }

  // What the message names.
  void expect_mended_by_resync() {
    const auto asked = host().verb("resync");
    EXPECT_EQ(asked.status, 0) << asked.output;
    host().start();
    expect_right_soon();
  }

  void expect_mended_by_itself() {
    host().config().source = {"on_slot_lost = \"resync\""};
    host().start();
    expect_right_soon();
  }

  void expect_right_soon() {
    host().wait_streaming(Seconds(30));
    host().wait_caught_up();
    EXPECT_EQ(difference_in_the_end(Seconds(20), [&] { return difference_to(server()); }), "");
    // And it goes on from there, over a restart as well.
    change();
    host().wait_caught_up();
    expect_mirror_equals_source();
    host().stop();
    change();
    host().start_streaming();
    host().wait_caught_up();
    expect_mirror_equals_source();
  }

  void drop_slot() { sql("select pg_drop_replication_slot('" + config().slot + "')"); }
  void create_slot() {
    sql("select pg_create_logical_replication_slot('" + config().slot + "', 'pgoutput')");
  }

 private:
  int round_ = 0;
};

}  // namespace walspout::test
