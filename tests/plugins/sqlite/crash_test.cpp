// Kill -9 at any moment, then replay from the reported position: exactly once.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "mirror_test.hpp"

namespace walspout::sqlite {

class SqliteCrash : public MirrorTest {
 protected:
  // Transaction n: its number in a table without a key, where a duplicate or a gap would show, and
  // a counter row that every transaction moves. Each third comes in pieces.
  static constexpr int kTransactions = 1500;
  static Lsn lsn_of(int n) { return 0x10000 + static_cast<Lsn>(n) * 0x100; }

  static constexpr int kKills = 25;

  // Returns false when the sink fails. mortal: ends by kill -9 after some transactions at the
  // latest, so that there is work left for the lives after it, however fast the machine is.
  static bool replay(Driver& sink, Lsn position, bool mortal) {
    Relation log = relation("public", "log").identity('f').column("n", oid::kInt4);
    log.column("part", oid::kInt4);
    Relation sum = relation("public", "sum").column("id", oid::kInt4, primary);
    sum.column("n", oid::kInt4);
    int done = 0;
    for (int n = 1; n <= kTransactions; ++n) {
      Txn t(lsn_of(n));
      if (t.end_lsn() <= position) continue;
      for (int part = 0; part < 4; ++part) t.insert(log, {std::to_string(n), std::to_string(part)});
      t.insert(sum, {"1", std::to_string(n)});
      if (!sink.deliver(t, n % 3 == 0 ? 4 : 1).ok()) return false;
      if (n % 7 == 0 && !sink.flush().ok()) return false;
      if (mortal && ++done == kTransactions / (2 * kKills)) raise(SIGKILL);
    }
    return sink.flush().ok();
  }
};

TEST_F(SqliteCrash, EveryTransactionIsThereExactlyOnce) {
  std::mt19937 random(20260131);
  sink().close();
  for (int life = 0; life <= kKills; ++life) {
    const bool mortal = life < kKills;
    const pid_t child = fork();
    if (child == 0) {
      Driver driver(plugin(), {{"path", path()}});
      const Reply opened = driver.open();
      if (!opened.ok()) _exit(2);
      _exit(replay(driver, opened.position, mortal) ? 0 : 3);
    }
    if (mortal) {
      usleep(random() % 20000);
      kill(child, SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(WIFSIGNALED(status), mortal);
    ASSERT_TRUE(mortal || WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
    ASSERT_EQ(rows("PRAGMA integrity_check"), "'ok'");
  }
  EXPECT_EQ(rows("SELECT count(*), count(DISTINCT n * 4 + part), max(n) FROM log"),
            std::to_string(kTransactions * 4) + "|" + std::to_string(kTransactions * 4) + "|" +
                std::to_string(kTransactions));
  EXPECT_EQ(rows("SELECT n FROM sum"), std::to_string(kTransactions));
}

TEST_F(SqliteCrash, RowsAndPositionAlwaysBelongTogether) {
  std::mt19937 random(7);
  sink().close();
  for (int round = 0; round < 10; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      Driver driver(plugin(), {{"path", path()}});
      const Reply opened = driver.open();
      if (!opened.ok()) _exit(2);
      _exit(replay(driver, opened.position, true) ? 0 : 3);
    }
    usleep(random() % 20000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    Driver driver(plugin(), {{"path", path()}});
    const Reply opened = driver.open();
    ASSERT_TRUE(opened.ok());
    if (opened.position == 0) continue;
    const auto n = static_cast<int64_t>((opened.position - 0x10000) / 0x100);
    EXPECT_EQ(rows("SELECT max(n), count(*) FROM log"),
              std::to_string(n) + "|" + std::to_string(n * 4));
  }
}

}  // namespace walspout::sqlite
