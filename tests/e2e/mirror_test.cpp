// The mirror beside other users of its file, and on a full disk.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e/mirror_lock.hpp"
#include "e2e/pipeline_test.hpp"
#include "e2e/small_disk.hpp"

namespace walspout::test {
namespace {

// A process that holds a read transaction on the mirror until it is killed.
class Reader {
 public:
  explicit Reader(const std::string& path) {
    int ready[2];
    if (pipe(ready)) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ == 0) read_for_ever(path, ready[1]);
    close(ready[1]);
    char byte = 0;
    const bool reads = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    if (!reads) throw std::runtime_error("the reader of the mirror did not start");
  }
  ~Reader() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  void pause() { kill(pid_, SIGSTOP); }

 private:
  [[noreturn]] static void read_for_ever(const std::string& path, int ready) {
    try {
      const SqliteFile file(path);
      file.query("begin");
      file.query("select count(*) from sqlite_master");
      if (write(ready, "r", 1) == 1)
        while (true) ::pause();
    } catch (const std::exception& e) {
      std::cerr << e.what() << "\n";
    }
    _exit(1);
  }
  pid_t pid_;
};

class MirrorFile : public PipelineTest {
 protected:
  void make_table() {
    sql("create table k (id integer primary key, v text)");
    sql("create publication walspout for table k");
  }
  void sender_timeout(const std::string& time) {
    sql("alter database " + db() + " set wal_sender_timeout = '" + time + "'");
  }
  void insert(int first, int last, int size = 10) {
    sql("insert into k select g, repeat('x', " + std::to_string(size) + ") from generate_series(" +
        std::to_string(first) + ", " + std::to_string(last) + ") g");
  }
  std::uintmax_t wal_file_size() const {
    std::error_code none;
    const auto size = std::filesystem::file_size(mirror_path() + "-wal", none);
    return none ? 0 : size;
  }
};

TEST_F(MirrorFile, StoppedReaderWithATransactionDelaysNothing) {
  make_table();
  sender_timeout("3s");
  insert(1, 10);
  host().start_streaming();
  host().wait_caught_up();
  Reader reader(mirror_path());
  reader.pause();
  const int sender = host().walsender_pid();
  int id = 10;
  EXPECT_TRUE(holds_for(Seconds(5), [&] {
    insert(id + 1, id + 20);
    id += 20;
    return host().walsender_pid() == sender;
  })) << "the connection was lost";
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), id);
}

TEST_F(MirrorFile, WriterThatHoldsTheLockForTwentySecondsDelaysAndLosesNothing) {
  make_table();
  sender_timeout("5s");
  host().start_streaming();
  host().wait_caught_up();
  const int sender = host().walsender_pid();
  int id = 0;
  {
    const MirrorLock lock(mirror_path());
    EXPECT_TRUE(holds_for(Seconds(20), [&] {
      insert(id + 1, id + 10);
      id += 10;
      return host().walsender_pid() == sender && host().running();
    })) << "the connection was lost";
  }
  expect_everything_delivered();
  EXPECT_EQ(host().walsender_pid(), sender);
  EXPECT_EQ(mirrored("k"), id);
}

TEST_F(MirrorFile, WalFileShrinksAgainAfterALongReader) {
  make_table();
  insert(1, 10);
  config().sinks[0].options.push_back("wal_limit = \"4MiB\"");
  host().start_streaming();
  host().wait_caught_up();
  constexpr std::uintmax_t kBig = 40'000'000;
  int id = 10;
  {
    const Reader reader(mirror_path());
    while (wal_file_size() < kBig) {
      insert(id + 1, id + 2000, 5000);
      id += 2000;
      ASSERT_LT(id, 40000) << "the reader holds back nothing";
      host().wait_caught_up();
    }
    EXPECT_TRUE(eventually(Seconds(5), [&] { return host().logged("-wal"); }))
        << "nothing is said about a growing -wal file";
  }
  host().wait("a small -wal file", Seconds(20), [&] {
    insert(id + 1, id + 1);
    ++id;
    return wal_file_size() < kBig / 8;
  });
  expect_everything_delivered();
}

TEST_F(MirrorFile, ViewsAndIndexesOfTheUserStay) {
  make_table();
  insert(1, 10);
  host().start_streaming();
  host().wait_caught_up();
  {
    SqliteFile user(mirror_path(), SqliteFile::Mode::kWrite);
    user.exec("create view mine as select id from k where v <> ''");
    user.exec("create index k_v on k (v)");
    user.exec("create table notes (t text)");
  }
  insert(11, 20);
  sql("update k set id = id + 100 where id <= 5");
  sql("delete from k where id = 7");
  expect_everything_delivered();
  const SqliteFile file(mirror_path());
  EXPECT_EQ(file.integer("select count(*) from mine"), 19);
  EXPECT_EQ(file.text("pragma integrity_check"), "ok");
}

TEST_F(MirrorFile, TriggerThatRefusesARowStopsAtItAndSkipsNothing) {
  make_table();
  insert(1, 10);
  host().start_streaming();
  host().wait_caught_up();
  {
    SqliteFile user(mirror_path(), SqliteFile::Mode::kWrite);
    user.exec(
        "create trigger no before insert on k when new.id = 15 begin "
        "select raise(abort, 'fifteen is refused'); end");
  }
  insert(11, 14);
  insert(15, 16);
  insert(17, 20);
  const auto committed = server().wal_position();
  ASSERT_TRUE(eventually(Seconds(15), [&] { return host().logged("fifteen is refused"); }));
  EXPECT_TRUE(holds_for(Seconds(2), [&] { return host().confirmed() < committed; }));
  EXPECT_EQ(SqliteFile(mirror_path()).integer("select count(*) from k where id > 14"), 0);
  {
    SqliteFile user(mirror_path(), SqliteFile::Mode::kWrite);
    user.exec("drop trigger no");
  }
  if (!host().running()) host().start_streaming();  // on_poison = "stop"
  expect_everything_delivered();
  EXPECT_EQ(mirrored("k"), 20);
}

TEST_F(MirrorFile, FullDiskHoldsThePositionAndGoesOnByItself) {
  std::filesystem::create_directory(dir() / "small");
  SmallDisk disk(dir() / "small", 24);
  if (!disk.mounted()) GTEST_SKIP() << "no right to mount a file system";
  make_table();
  const std::string path = dir() / "small/mirror.db";
  config().sinks = {sqlite_sink(path)};
  host().start_streaming();
  insert(1, 1000, 1000);
  host().wait_caught_up();
  disk.fill();
  insert(1001, 4000, 1000);
  sql("update k set v = 'short' where id <= 500");
  const auto committed = server().wal_position();
  ASSERT_TRUE(eventually(Seconds(20), [&] { return host().logged("full"); })) << host().log();
  EXPECT_TRUE(host().logged(path)) << "the message does not name the file";
  EXPECT_TRUE(holds_for(Seconds(2), [&] { return host().confirmed() < committed; }));
  disk.make_room();
  host().wait_caught_up(Seconds(60));
  EXPECT_EQ(mirror_difference(server(), db(), "walspout", path), "");
  EXPECT_EQ(SqliteFile(path).text("pragma integrity_check"), "ok");
  host().stop();
}

}  // namespace
}  // namespace walspout::test
