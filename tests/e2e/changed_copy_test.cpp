// Tables whose shape changes while they are copied, and a host that is killed right then: the
// change that ends a copy is not applied to it, so the copy must not be gone on with behind it.
#include <fmt/format.h>
#include <signal.h>

#include "e2e/pipeline_test.hpp"

namespace walspout::test {
namespace {

class ChangedCopy : public PipelineTest {
 protected:
  static constexpr int kTables = 10;

  void SetUp() override {
    PipelineTest::SetUp();
    std::string tables;
    for (int i = 0; i < kTables; ++i) {
      const std::string name = "t" + std::to_string(i);
      sql("create table " + name + " (id integer primary key, n integer, a text)");
      sql("insert into " + name + " select g, 0, 'a' from generate_series(1, 50) g");
      tables += (i == 0 ? "" : ", ") + name;
    }
    sql("create table steady (id integer primary key)");
    sql("create table elsewhere (id integer)");
    sql("create publication walspout for table steady, " + tables);
  }

  // Every table's column gets this name, and a row is changed that nothing sends again.
  void rename_and_change(const std::string& from, const std::string& to, int row) {
    std::string text;
    for (int i = 0; i < kTables; ++i)
      text += fmt::format(
          "alter table t{0} rename {1} to {2}; update t{0} set n = n + 1 where id = {3};", i, from,
          to, row);
    sql(text);
  }

  std::uint64_t mirrored_to() const {
    return parse_lsn(SqliteFile(mirror_path()).text("select lsn from _walspout_position"));
  }

  std::size_t count_logged(const std::string& text) {
    const std::string log = host().log();
    std::size_t count = 0;
    for (auto at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) ++count;
    return count;
  }
  void wait_more_logged(const std::string& text, std::size_t before) {
    host().wait("\"" + text + "\" in the log", Seconds(30),
                [&] { return count_logged(text) > before; });
  }
};

// The stream stands still until all tables are read, so that it brings the change to all of them
// before it has passed any snapshot. They start over one by one: the first two have to wait for a
// lock, and the kill hits the others before their turn comes.
TEST_F(ChangedCopy, AKillRightAfterwardsLosesNoChange) {
  host().start_streaming();
  host().wait_caught_up();
  for (int round = 0; round < 2; ++round) {
    const std::string last = "copying public.t" + std::to_string(kTables - 1) + " under";
    const std::size_t copied = count_logged(last), started_over = count_logged("it starts over");
    const pid_t walsender = host().walsender_pid();
    ASSERT_EQ(kill(walsender, SIGSTOP), 0);
    sql("insert into elsewhere values (1)");  // a position that the stream has not come to
    ASSERT_EQ(host().verb("resync").status, 0);
    wait_more_logged(last, copied);
    rename_and_change(round % 2 == 0 ? "a" : "c", round % 2 == 0 ? "c" : "a", round + 1);
    Session other(server().url(db()));
    other.sql("begin");
    other.sql("lock table t0, t1 in access exclusive mode");
    ASSERT_EQ(kill(walsender, SIGCONT), 0);
    wait_more_logged("it starts over", started_over + 1);
    sql("insert into steady values (" + std::to_string(round) + ")");
    const std::uint64_t changed = server().wal_position();
    host().wait("the mirror behind the change", Seconds(30),
                [&] { return mirrored_to() >= changed; });
    host().kill9();
    other.sql("commit");
    host().start_streaming();
    host().wait_caught_up();
    expect_mirror_follows();
  }
  expect_everything_delivered();
}

}  // namespace
}  // namespace walspout::test
