// A pipeline that streams, and tables that come to it.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "e2e/pipeline_test.hpp"

namespace walspout::test {

class LateTable : public PipelineTest {
 protected:
  void make(const std::string& table, int rows) {
    sql("create table " + table + " (id integer primary key, v text)");
    sql("insert into " + table + " select g, 'v' || g from generate_series(1, " +
        std::to_string(rows) + ") g");
  }

  void begin(const std::string& publication = "") {
    make("first", 100);
    if (!publication.empty()) sql("create publication walspout " + publication);
    host().start_streaming();
    host().wait_caught_up();
  }

  std::string difference() const {
    return mirror_difference(server_here(), db(), "walspout", mirror_path());
  }
  void expect_right_soon() {
    host().wait_caught_up();
    EXPECT_EQ(difference_in_the_end(Seconds(60), [&] { return difference(); }), "");
    EXPECT_TRUE(host().running());
  }
  std::string state(const std::string& table) const {
    return Mirror(mirror_path()).state("public", table);
  }
  bool state_soon(const std::string& table, const std::string& state_then) {
    return eventually(Seconds(15), [&] { return state(table) == state_then; });
  }
  std::string reason(const std::string& table) const {
    return SqliteFile(mirror_path())
        .text("select reason from _walspout_tables where source_table = " + quote_text(table));
  }
  void expect_resync(const std::vector<std::string>& tables) {
    const auto done = host().verb("resync", tables);
    EXPECT_EQ(done.status, 0) << done.output;
  }
  void change_mirror(const std::string& text) {
    SqliteFile(mirror_path(), SqliteFile::Mode::kWrite).exec(text);
  }

  // Changes rows of `table` until it goes out of scope.
  class Writer {
   public:
    Writer(LateTable& test, const std::string& table)
        : session_(test.server().session(test.db())), thread_([this, table] {
            for (int round = 1; !ended_; ++round) {
              session_.sql(
                  fmt::format("update {0} set v = '{1}' where id % 50 = {1} % 50", table, round));
              session_.sql(
                  fmt::format("insert into {} values (1000000 + {}, 'new')", table, round));
              session_.sql(fmt::format("delete from {} where id = 3 * {}", table, round));
              session_.sql(fmt::format("update {} set id = id + 2000000 where id = 7000 + {}",
                                       table, round));
              rounds_ = round;
            }
          }) {}
    ~Writer() {
      ended_ = true;
      thread_.join();
    }
    int rounds() const { return rounds_; }

   private:
    Session session_;
    std::atomic<bool> ended_{false};
    std::atomic<int> rounds_{0};
    std::thread thread_;
  };

 private:
  const PostgresServer& server_here() const { return const_cast<LateTable*>(this)->server(); }
};

}  // namespace walspout::test
