// A copy that breaks off goes on where it was: what it read from the server shows it.
//
// How many rows were read is in pg_stat_user_tables: seq_tup_read and idx_tup_fetch count each row
// that a scan of the table returned, whoever asked and whatever became of it. A backend adds its
// share when a transaction ends, at most once a second, and what is left when it ends itself, also
// when its client was killed. A fast restart of the server keeps them (an immediate one does not).
#include <atomic>
#include <cstdlib>
#include <random>
#include <thread>

#include "e2e/pipeline_test.hpp"

namespace walspout::test {
namespace {

constexpr double kMostRead = 1.3;  // times the table

// Of the large table; WALSPOUT_RESUME_ROWS for another size. Each break may cost the three ranges
// of 4 MiB that are not stored yet: of a small table that is a large part.
std::int64_t large() {
  const char* rows = std::getenv("WALSPOUT_RESUME_ROWS");
  return rows ? std::atoll(rows) : 1600000;
}

class Resume : public PipelineTest {
 protected:
  void SetUp() override {
    use_own_server({{"max_wal_size = 8GB", "checkpoint_timeout = 1h", "shared_buffers = 128MB",
                     "autovacuum = off"}});
    config().sinks = {sqlite_sink(mirror_path())};  // a file of events would only be large
    config().log_level = "info";
  }

  // One row in a hundred has a value that is stored out of line.
  void make_table(const std::string& name, std::int64_t rows) {
    sql("create table " + name + " (id bigint primary key, n integer, v text, big text)");
    sql("insert into " + name +
        " select g, 0, md5(g::text) || repeat('x', 30), case when g % 100 = 0 then (select"
        " string_agg(md5((g * i)::text), '') from generate_series(1, 80) i) end"
        " from generate_series(1, " +
        std::to_string(rows) + ") g");
    sql("analyze " + name);
  }
  void publish_and_start() {
    sql("create publication walspout for all tables");
    read_before_ = rows_read();
    host().start();
  }

  std::int64_t rows_read(const std::string& condition = "true") {
    return std::atoll(
        value("select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)"
              " from pg_stat_user_tables where " +
              condition)
            .c_str());
  }

  // Up to where the copy of the only table is, between 0 and 1. Parts come in the order of their
  // keys, or nearly so.
  double progress(std::int64_t rows) const {
    if (!std::filesystem::exists(mirror_path())) return 0;
    const SqliteFile file(mirror_path());
    const std::string shadow = file.text(
        "select name from sqlite_master where name like '\\_walspout\\_copy\\_%' escape '\\'");
    if (shadow.empty()) return 0;
    return static_cast<double>(file.integer("select count(*) from " + quote_identifier(shadow) +
                                            " where id <= " + std::to_string(rows))) /
           static_cast<double>(rows);
  }
  void wait_progress(double share, std::int64_t rows) {
    host().wait("at " + std::to_string(share) + " of the copy", Seconds(300), [&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(40));  // to count takes a while, too
      return progress(rows) >= share || live("big");
    });
    ASSERT_FALSE(live("big")) << "the copy was over: make it longer";
  }
  bool live(const std::string& table) const {
    return std::filesystem::exists(mirror_path()) &&
           Mirror(mirror_path()).state("public", table) == "live";
  }
  void wait_live(const std::string& table) {
    host().wait("a whole copy of " + table, Seconds(600), [&] { return live(table); });
  }

  // After everything else: the comparison reads the tables, too.
  void expect_read_less_than(double most, std::int64_t rows) {
    host().stop(Seconds(60));  // its backends end, and add what they have
    std::int64_t read = -1;
    wait_until("steady counts", Seconds(20), [&] {
      const std::int64_t before = std::exchange(read, rows_read());
      std::this_thread::sleep_for(std::chrono::milliseconds(1100));
      return before == read;
    });
    const double times = static_cast<double>(read - read_before_) / static_cast<double>(rows);
    std::cout << read - read_before_ << " rows read, " << times << " times the table" << std::endl;
    EXPECT_LT(times, most);
    EXPECT_GT(times, 0.9) << "the counters miss something";
  }
  void expect_right() {
    host().wait_streaming(Seconds(60));
    host().wait_caught_up(Seconds(120));
    EXPECT_EQ(difference_in_the_end(
                  Seconds(15),
                  [&] { return mirror_difference(server(), db(), "walspout", mirror_path()); }),
              "");
  }

  // Changes single rows all over the table until it goes out of scope; inserts, deletes, new keys,
  // and updates that leave large values alone.
  class Writer {
   public:
    Writer(Resume& test, std::string table, std::int64_t rows)
        : test_(test), table_(std::move(table)), rows_(rows), thread_([this] { run(); }) {}
    ~Writer() {
      ended_ = true;
      thread_.join();
    }

   private:
    void run() {
      std::mt19937 random(1);
      std::unique_ptr<Session> session;
      for (std::int64_t round = 1; !ended_; ++round) {
        const std::string any = std::to_string(1 + random() % rows_);
        const std::string with_large = std::to_string(100 * (1 + random() % (rows_ / 100)));
        const std::string fresh = std::to_string(rows_ + round);
        try {
          if (!session) session = std::make_unique<Session>(test_.server().url(test_.db()));
          session->sql("update " + table_ + " set n = n + 1 where id = " + any);
          session->sql("update " + table_ + " set n = n + 1 where id = " + with_large);
          session->sql("insert into " + table_ + " values (" + fresh + ", 1, 'fresh', null)");
          if (round % 3 == 0) session->sql("delete from " + table_ + " where id = " + any);
          if (round % 4 == 0)
            session->sql("update " + table_ + " set id = -id where id = " + with_large);
        } catch (const std::runtime_error&) {
          session.reset();  // the server restarts
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }

    Resume& test_;
    const std::string table_;
    const std::int64_t rows_;
    std::atomic<bool> ended_{false};
    std::thread thread_;
  };

  // Rising shares of the copy at which something happens.
  std::vector<double> moments(int count) {
    std::vector<double> shares;
    shares.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      shares.push_back((i + std::uniform_real_distribution(0.2, 0.9)(random_)) * 0.9 / count);
    return shares;
  }

  std::mt19937 random_{7};
  std::int64_t read_before_ = 0;
};

TEST_F(Resume, KilledFiveTimesALargeTableIsReadOnlyOnce) {
  make_table("big", large());
  {
    publish_and_start();
    const Writer writer(*this, "big", large());
    for (const double share : moments(5)) {
      wait_progress(share, large());
      if (HasFatalFailure()) return;
      host().kill9();
      EXPECT_EQ(mirrored("big"), 0) << "a reader sees half a table";
      host().start();
    }
    wait_live("big");
  }
  host().wait_caught_up(Seconds(120));
  expect_read_less_than(kMostRead, large());
  host().start();
  expect_right();
}

TEST_F(Resume, ALostConnectionBeginsNothingAnew) {
  make_table("big", large());
  {
    publish_and_start();
    const Writer writer(*this, "big", large());
    for (const double share : moments(5)) {
      wait_progress(share, large());
      if (HasFatalFailure()) return;
      host().wait("a reader of the copy that can be ended", Seconds(30), [&] {
        return value(
                   "select count(pg_terminate_backend(pid)) from pg_stat_activity where"
                   " application_name like 'walspout%' and state = 'active' and query ilike"
                   " 'copy%'") != "0";
      });
    }
    wait_live("big");
  }
  host().wait_caught_up(Seconds(120));
  expect_read_less_than(kMostRead, large());
  host().start();
  expect_right();
}

TEST_F(Resume, ARestartedServerBeginsNothingAnew) {
  make_table("big", large());
  {
    publish_and_start();
    const Writer writer(*this, "big", large());
    for (const double share : moments(3)) {
      wait_progress(share, large());
      if (HasFatalFailure()) return;
      server().restart();
    }
    wait_live("big");
  }
  host().wait_caught_up(Seconds(120));
  expect_read_less_than(kMostRead, large());
  host().start();
  expect_right();
}

TEST_F(Resume, OfManyTablesThoseThatAreDoneStayDone) {
  constexpr int kTables = 20;
  const std::int64_t each = large() / 12;
  for (int i = 0; i < kTables; ++i) make_table("t" + std::to_string(i), each);
  publish_and_start();
  const auto done = [&]() -> std::int64_t {
    if (!std::filesystem::exists(mirror_path())) return 0;
    const SqliteFile file(mirror_path());
    if (file.text("select name from sqlite_master where name = '_walspout_tables'").empty())
      return 0;
    return file.integer("select count(*) from _walspout_tables where state = 'live'");
  };
  {
    const Writer writer(*this, "t0", each);
    for (const int tables : {3, 8, 14}) {
      host().wait(std::to_string(tables) + " tables copied", Seconds(300),
                  [&] { return done() >= tables; });
      ASSERT_LT(done(), kTables) << "the copy was over: make it longer";
      host().kill9();
      const std::int64_t before = done();
      host().start();
      host().wait_streaming(Seconds(60));
      EXPECT_GE(done(), before) << "tables that were done are not any more";
    }
    for (int i = 0; i < kTables; ++i) wait_live("t" + std::to_string(i));
  }
  host().wait_caught_up(Seconds(120));
  expect_read_less_than(kMostRead, each * kTables);
  host().start();
  expect_right();
}

}  // namespace
}  // namespace walspout::test
