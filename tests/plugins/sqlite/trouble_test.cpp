// Locks, full disks, files that are no mirrors, readers that stay.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "mirror_test.hpp"

namespace walspout::sqlite {

class SqliteTrouble : public MirrorTest {
 protected:
  Relation item_ =
      relation("public", "item").column("id", oid::kInt4, primary).column("v", oid::kText);

  Reply open_at(const std::string& file) {
    Driver driver(plugin(), {{"path", file}});
    return driver.open();
  }
  // Another process that holds the write lock until the pipe is closed.
  pid_t lock_from_outside(int& release) {
    int ready[2], hold[2];
    EXPECT_EQ(pipe2(ready, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(hold, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(hold[1]);
      Reader user(path());
      user.rows("BEGIN IMMEDIATE");
      char byte = 'x';
      if (write(ready[1], &byte, 1) != 1) _exit(1);
      if (read(hold[0], &byte, 1) < 0) _exit(1);
      user.rows("COMMIT");
      _exit(0);
    }
    close(hold[0]);
    char byte;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    release = hold[1];
    return child;
  }
};

TEST_F(SqliteTrouble, ALockHeldByAnotherProcessMeansRetryAndNothingIsLost) {
  insert(item_, {"1", "a"});
  int release = -1;
  const pid_t child = lock_from_outside(release);
  Txn t(next());
  t.insert(item_, {"2", "b"});
  const auto start = std::chrono::steady_clock::now();
  int tries = 0;
  bool held = true;
  for (;;) {
    const Reply reply = sink().deliver(t);
    if (reply.ok()) break;
    ASSERT_EQ(reply.status, WALSPOUT_RETRY) << reply.message;
    ASSERT_NE(reply.message.find("another program holds the file's lock"), std::string::npos);
    ++tries;
    if (held && std::chrono::steady_clock::now() - start > std::chrono::seconds(2)) {
      close(release);
      held = false;
    }
  }
  EXPECT_GT(tries, 0);
  EXPECT_FALSE(held);
  ASSERT_EQ(sink().flush().durable, t.end_lsn());
  EXPECT_EQ(rows("SELECT id FROM item ORDER BY 1"), "1\n2");
  waitpid(child, nullptr, 0);
}

TEST_F(SqliteTrouble, ALockDuringAFlushOfAPositionMeansRetry) {
  insert(item_, {"1", "a"});
  int release = -1;
  const pid_t child = lock_from_outside(release);
  ASSERT_TRUE(sink().move_position(0x99000).ok());
  EXPECT_EQ(sink().flush().status, WALSPOUT_RETRY);
  close(release);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(sink().flush().durable, 0x99000U);
}

TEST_F(SqliteTrouble, AStopIsNotHeldUpByALock) {
  insert(item_, {"1", "a"});
  int release = -1;
  const pid_t child = lock_from_outside(release);
  sink().host.stopping = true;
  sink().host.waited_ms = 0;
  Txn t(next());
  t.insert(item_, {"2", "b"});
  EXPECT_EQ(sink().deliver(t).status, WALSPOUT_RETRY);
  EXPECT_EQ(sink().host.waited_ms, 0U);
  close(release);
  waitpid(child, nullptr, 0);
}

TEST_F(SqliteTrouble, APoisonedCallDoesNotKeepTheFileLocked) {
  Relation n = relation("public", "n").column("id", oid::kInt4, primary);
  Txn t(next());
  t.insert(n, {"x"});
  EXPECT_EQ(sink().deliver(t).status, WALSPOUT_POISON);
  EXPECT_NO_THROW(rows("PRAGMA busy_timeout = 0; CREATE TABLE mine(x)"));
}

TEST_F(SqliteTrouble, AFileThatIsNoDatabaseIsAConfigurationError) {
  std::ofstream(folder_ + "/text.db") << std::string(8192, 'x');
  const Reply reply = open_at(folder_ + "/text.db");
  EXPECT_EQ(reply.status, WALSPOUT_CONFIG);
  EXPECT_NE(reply.message.find("text.db: file is not a database"), std::string::npos)
      << reply.message;
}

TEST_F(SqliteTrouble, AFolderThatIsMissingIsAConfigurationError) {
  const Reply reply = open_at(folder_ + "/none/mirror.db");
  EXPECT_EQ(reply.status, WALSPOUT_CONFIG);
  EXPECT_NE(reply.message.find("No such file or directory"), std::string::npos) << reply.message;
}

TEST_F(SqliteTrouble, APathThatIsAFolderIsAConfigurationError) {
  EXPECT_EQ(open_at(folder_).status, WALSPOUT_CONFIG);
}

TEST_F(SqliteTrouble, AnUnknownNumericModeIsAConfigurationError) {
  Driver driver(plugin(), {{"path", path()}, {"numeric", "exact"}});
  const Reply reply = driver.open();
  EXPECT_EQ(reply.status, WALSPOUT_CONFIG);
  EXPECT_NE(reply.message.find("use auto, text or real"), std::string::npos);
}

TEST_F(SqliteTrouble, AnExistingDatabaseOfTheUsersIsTakenAsItIs) {
  std::ofstream(path()).close();
  rows("CREATE TABLE mine(x); INSERT INTO mine VALUES (1)");
  insert(item_, {"1", "a"});
  EXPECT_EQ(rows("SELECT x FROM mine"), "1");
}

// A limit on the size of files stands for a full disk. In a child, for the limit is the process's.
TEST_F(SqliteTrouble, AFullDiskMeansReopenAndTheFileStaysWhole) {
  insert(item_, {"1", "a"});
  restart();
  sink().close();
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    Driver driver(plugin(), {{"path", path()}});
    Reply reply = driver.open();
    if (!reply.ok()) _exit(10);
    rlimit limit = {};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 256 * 1024;
    setrlimit(RLIMIT_FSIZE, &limit);
    Lsn lsn = 0x100000;
    for (int i = 2; reply.ok() && i < 10000; ++i) {
      {
        Txn t(lsn += 0x100);
        t.insert(item_, {std::to_string(i), std::string(1000, 'x')});
        reply = driver.deliver(t);
      }  // what it was given is gone when the flush fails
      if (reply.ok() && i % 50 == 0) reply = driver.flush();
    }
    if (reply.status != WALSPOUT_REOPEN) _exit(11);
    if (reply.message.find(path()) == std::string::npos) _exit(12);
    if (reply.message.find("no space is left") == std::string::npos) _exit(13);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
    const Reply again = driver.open();
    if (!again.ok()) _exit(14);
    for (Lsn at = again.position - (again.position % 0x100) + 0x100; at <= lsn; at += 0x100) {
      Txn t(at);
      t.insert(item_, {std::to_string((at - 0x100000) / 0x100 + 1), "y"});
      if (!driver.deliver(t).ok()) _exit(15);
    }
    _exit(driver.flush().ok() ? 0 : 16);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(rows("PRAGMA integrity_check"), "'ok'");
  EXPECT_EQ(rows("SELECT count(*) = max(id) FROM item"), "1");
}

TEST_F(SqliteTrouble, ALongReaderIsNamedAndTheWalIsCutWhenItEnds) {
  restart({{"wal_limit", "64KiB"}});
  insert(item_, {"1", "a"});
  {
    Reader reader(path());
    reader.rows("BEGIN; SELECT * FROM item");
    for (int i = 2; i < 400; ++i) insert(item_, {std::to_string(i), std::string(2000, 'x')});
    EXPECT_TRUE(logged("mirror.db-wal has grown to"));
    EXPECT_GT(std::filesystem::file_size(path() + "-wal"), 4U * 64 * 1024);
    EXPECT_EQ(reader.rows("SELECT count(*) FROM item"), "1");
  }
  insert(item_, {"1000", "z"});
  EXPECT_EQ(std::filesystem::file_size(path() + "-wal"), 0U);
  EXPECT_EQ(rows("SELECT count(*) FROM item"), "400");
}

TEST_F(SqliteTrouble, TheWalStaysShortWithoutReaders) {
  restart({{"wal_limit", "64KiB"}});
  for (int i = 0; i < 300; ++i) insert(item_, {std::to_string(i), std::string(2000, 'x')});
  EXPECT_LT(std::filesystem::file_size(path() + "-wal"), 2U * 64 * 1024);
  EXPECT_FALSE(logged("has grown"));
}

}  // namespace walspout::sqlite
