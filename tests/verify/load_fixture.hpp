// Rows that change while verify runs, and large tables with planted differences.
#pragma once

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "verify/fixture.hpp"

namespace walspout::test {

class VerifyLoad : public VerifyTest {
 protected:
  void make_tables() {
    sql("create table keyed (id int primary key, v text, big text);"
        "alter table keyed alter big set storage external;"
        "create table keyless (a int, v text); alter table keyless replica identity full;"
        "create table list (k int[] primary key, v text);"
        "create table named (name text primary key, n numeric(10,2), tags text[])");
    sql("insert into keyed select g, 'v', repeat('toast ' || g, 800) from generate_series(1, 300) "
        "g;"
        "insert into keyless select g % 50, 'v' from generate_series(1, 300) g;"
        "insert into list select array[g, g + 1], 'v' from generate_series(1, 300) g;"
        "insert into named select 'n' || g, g, array['t'] from generate_series(1, 300) g");
  }

  // Transactions of all kinds until it goes.
  class Load {
   public:
    Load(const PostgresServer& server, const std::string& db, unsigned seed)
        : thread_([this, &server, db, seed] {
            Session session = server.session(db);
            std::mt19937 random(seed);
            while (!stop_) {
              try {
                session.sql(transaction(random));
                ++done_;
              } catch (const std::runtime_error& error) {
                // Two of them may meet, and one gives way.
                const std::string what = error.what();
                if (what.find("deadlock") == what.npos && what.find("duplicate") == what.npos)
                  throw;
                session.sql("rollback");
              }
            }
          }) {}
    ~Load() {
      stop_ = true;
      thread_.join();
    }
    int done() const { return done_; }

   private:
    // $1 and $2: ids; $3: a value of a column without a key.
    static std::string transaction(std::mt19937& random) {
      static const std::vector<std::string> statements = {
          "update keyed set v = 'u$2' where id = $1",  // the TOASTed value is not sent again
          "update keyed set id = $2 where id = $1 and not exists (select from keyed where id = $2)",
          "delete from keyed where id = $1",
          "insert into keyed values ($1, 'i', repeat('n$2', 999)) on conflict do nothing",
          "update keyed set big = repeat('w$2', 999) where id = $1",
          "update keyless set v = 'u$2' where a = $3",
          "delete from keyless where ctid = (select min(ctid) from keyless where a = $3)",
          "insert into keyless values ($3, 'i')",
          "update named set n = n + 1, tags = tags || array['$2'] where name = 'n$1'",
          "delete from named where name = 'n$1'",
          "insert into named values ('n$1', 0, '{}') on conflict do nothing",
          "delete from list where k = array[$1, $1 + 1]",
          "insert into list values (array[$2, $2 + 1], 'i') on conflict do nothing"};
      const auto number = [&](std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>(1, limit)(random);
      };
      std::string text = "begin;";
      for (std::size_t i = number(4); i > 0; --i) {
        const auto id = [&](std::size_t limit) { return std::to_string(number(limit)); };
        text += filled(statements[number(statements.size()) - 1], {id(300), id(600), id(50)});
        text += ";";
      }
      return text + (number(10) == 1 ? "rollback" : "commit");
    }

    std::atomic<bool> stop_ = false;
    std::atomic<int> done_ = 0;
    std::thread thread_;
  };

  // Finds no difference in this many rounds, and had rows to lay over the snapshot.
  void expect_equal_under_load(int rounds) {
    make_tables();
    start_mirror();
    const Load load(server(), db(), 17), more(server(), db(), 18);
    long laid_over = 0;
    for (int round = 0; round < rounds && !HasFailure(); ++round) {
      expect_equal();
      laid_over += read_singly();
    }
    EXPECT_GT(laid_over, 0) << "nothing ever changed between snapshot and mirror";
    EXPECT_GT(load.done(), 100);
  }

  // 50 single values of a table of `rows` are changed in the mirror; all of them are found.
  void expect_planted_found(int rows) {
    sql("create table t (id bigint primary key, a int, b text, c numeric(12,2), d timestamptz,"
        " e double precision, f text[])");
    sql("insert into t select g * 3, g, 'text ' || g, g / 7.0, '2026-01-01'::timestamptz + g * "
        "interval '1 s', g / 3.0, array['a' || g] from generate_series(1, " +
        std::to_string(rows) + ") g");
    start_mirror();
    host().wait_caught_up(Seconds(120));
    const char* const changes[] = {
        "a = a + 1",    "b = b || ' '", "c = c + 0.01", "d = substr(d, 1, 18) || '9+00:00'",
        "e = e + 1e-9", "f = '[]'",     "b = null",     "c = null"};
    std::vector<std::string> planted;
    std::mt19937 random(5);
    while (planted.size() < 50) {
      const long id = 3L * (1 + static_cast<long>(random() % static_cast<unsigned>(rows)));
      const std::string row = "public.t (id=" + std::to_string(id) + ")";
      const std::string change = changes[planted.size() % 8];
      if (std::count(planted.begin(), planted.end(), row) != 0) continue;
      if (change.starts_with("d =") && (id / 3) % 10 == 9) continue;  // it ends in 9 already
      in_mirror("update t set " + change + " where id = " + std::to_string(id));
      planted.push_back(row);
    }
    verify();
    EXPECT_EQ(last_.status, 1);
    std::vector<std::string> found;
    for (const std::string& line : differences()) {
      EXPECT_NE(line.find("): differs in: "), std::string::npos) << line;
      EXPECT_EQ(std::count(line.begin(), line.end(), '('), 2) << "one column each: " << line;
      found.push_back(line.substr(0, line.find(')') + 1));
    }
    std::sort(found.begin(), found.end());
    std::sort(planted.begin(), planted.end());
    EXPECT_EQ(found, planted);
    EXPECT_LT(read_singly(), 0.03 * rows);
    std::cout << lines_of(last_.output).back() << "\n";
  }
};

}  // namespace walspout::test
