// Full disks, wrong paths, two sinks on one file.
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "fixture.hpp"

namespace walspout::file_test {
namespace {

using FailureTest = FileTest;

// No file of this process may grow beyond this many bytes while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    previous_handler_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &previous_);
    rlimit limit = previous_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &previous_);
    ::signal(SIGXFSZ, previous_handler_);
  }

 private:
  rlimit previous_ = {};
  void (*previous_handler_)(int) = nullptr;
};

// A small file system at the folder, while it lives.
class SmallDisk {
 public:
  explicit SmallDisk(std::string folder) : folder_(std::move(folder)) {
    fs::create_directory(folder_);
    mounted_ = ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=1m") == 0;
  }
  ~SmallDisk() {
    if (mounted_) {
      EXPECT_EQ(::umount(folder_.c_str()), 0);
    }
  }
  bool mounted() const { return mounted_; }

 private:
  std::string folder_;
  bool mounted_ = false;
};

TEST_F(FailureTest, AWriteThatFailsInTheMiddleOfALineLeavesNoneAndGoesOnLater) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  put_and_flush(sink, 0x100);
  {
    const FileSizeLimit limit(100'000);
    ASSERT_TRUE(put(sink, 0x200, 500, 100).ok());  // still in memory
    EXPECT_EQ(sink.flush().status, WALSPOUT_RETRY);
    EXPECT_NE(sink.last().message.find("cannot write to " + path() + ": File too large"),
              std::string::npos)
        << sink.last().message;
    EXPECT_EQ(ids(path()), "100-0");
    EXPECT_EQ(sink.flush().status, WALSPOUT_RETRY);
  }
  EXPECT_EQ(sink.flush().durable, 0x200u);
  EXPECT_EQ(ids(path()).substr(0, 17), "100-0 200-0 200-1");
  EXPECT_TRUE(ids(path()).ends_with(" 200-498 200-499"));
}

TEST_F(FailureTest, ACallOfWriteThatFailsIsMadeAgainWhole) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  put_and_flush(sink, 0x100);
  ASSERT_TRUE(put(sink, 0x180).ok());
  Txn big(0x200, 0x200);
  fill(big, 10, 100'000);
  {
    const FileSizeLimit limit(500'000);
    EXPECT_EQ(sink.deliver(big).status, WALSPOUT_RETRY);
  }
  EXPECT_EQ(ids(path()), "100-0 180-0");
  ASSERT_TRUE(sink.deliver(big).ok());
  EXPECT_EQ(sink.flush().durable, 0x200u);
  EXPECT_EQ(ids(path()), "100-0 180-0 200-0 200-1 200-2 200-3 200-4 200-5 200-6 200-7 200-8 200-9");
}

TEST_F(FailureTest, ALaterPieceThatFailsLeavesTheEarlierOnes) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  Txn big(0x200, 0x200);
  fill(big, 8, 100'000);
  ASSERT_TRUE(sink.write(big, 0, 4, WALSPOUT_FIRST).ok());
  {
    const FileSizeLimit limit(500'000);
    EXPECT_EQ(sink.write(big, 4, 8, WALSPOUT_LAST).status, WALSPOUT_RETRY);
  }
  ASSERT_TRUE(sink.write(big, 4, 8, WALSPOUT_LAST).ok());
  EXPECT_EQ(sink.flush().durable, 0x200u);
  EXPECT_EQ(ids(path()), "200-0 200-1 200-2 200-3 200-4 200-5 200-6 200-7");
}

TEST_F(FailureTest, AFullDiskIsWaitedFor) {
  const SmallDisk disk((folder_ / "disk").string());
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small file system needs root";
  const std::string file = (folder_ / "disk" / "events.jsonl").string();
  const std::string ballast = (folder_ / "disk" / "ballast").string();
  Driver sink(plugin_, {{"path", file}}, state());
  ASSERT_TRUE(sink.open().ok()) << sink.last().message;
  put_and_flush(sink, 0x100);
  append(ballast, std::string(900'000, 'x'));
  ASSERT_TRUE(put(sink, 0x200, 700, 50).ok());
  EXPECT_EQ(sink.flush().status, WALSPOUT_RETRY);
  EXPECT_NE(sink.last().message.find(file + ": No space left on device"), std::string::npos);
  EXPECT_EQ(ids(file), "100-0");
  fs::remove(ballast);
  EXPECT_EQ(sink.flush().durable, 0x200u) << sink.last().message;
  EXPECT_TRUE(ids(file).ends_with(" 200-698 200-699"));
}

TEST_F(FailureTest, ARotationThatFailsHalfWayIsFinishedLater) {
  Driver sink(plugin_, settings({{"rotate_size", "1B"}}), state());
  ASSERT_TRUE(sink.open().ok());
  put_and_flush(sink, 0x100);
  fs::rename(path(), path(1));
  fs::create_directory(path());  // nothing can be opened there
  EXPECT_EQ(put(sink, 0x200).status, WALSPOUT_CONFIG);
  EXPECT_NE(sink.last().message.find("Is a directory"), std::string::npos) << sink.last().message;
  fs::remove(path());
  put_and_flush(sink, 0x200);
  EXPECT_EQ(ids(path(1)), "100-0");
  EXPECT_EQ(ids(path()), "200-0");
}

TEST_F(FailureTest, TwoSinksDoNotShareAFile) {
  fs::create_directory(folder_ / "other");
  Driver one(plugin_, settings(), state()), two(plugin_, settings(), (folder_ / "other").string());
  ASSERT_TRUE(one.open().ok());
  EXPECT_EQ(two.open().status, WALSPOUT_RETRY);
  EXPECT_NE(two.last().message.find("written by another sink"), std::string::npos);
  one.close();
  EXPECT_TRUE(two.open().ok()) << two.last().message;
}

TEST_F(FailureTest, TwoProcessesDoNotShareARecord) {
  Driver one(plugin_, settings(), state()), two(plugin_, {{"path", path(7)}}, state());
  ASSERT_TRUE(one.open().ok());
  EXPECT_EQ(two.open().status, WALSPOUT_RETRY);
  EXPECT_NE(two.last().message.find("in use by another process"), std::string::npos);
}

TEST_F(FailureTest, AMissingFolderIsTheOperatorsToMake) {
  Driver sink(plugin_, {{"path", (folder_ / "no" / "x").string()}}, state());
  EXPECT_EQ(sink.open().status, WALSPOUT_CONFIG);
  EXPECT_NE(sink.last().message.find("create its folder"), std::string::npos);
  EXPECT_EQ(sink.check().status, WALSPOUT_CONFIG);
}

TEST_F(FailureTest, OnlyRegularFilesAreTaken) {
  for (const std::string& name : {std::string("/dev/null"), folder_.string()}) {
    Driver sink(plugin_, {{"path", name}}, state());
    EXPECT_EQ(sink.open().status, WALSPOUT_CONFIG) << name;
    EXPECT_EQ(sink.check().status, WALSPOUT_CONFIG) << name;
  }
}

TEST_F(FailureTest, NegativeNumbersAreRefused) {
  Driver sink(plugin_, settings({{"rotate_keep", "-1"}}), state());
  EXPECT_EQ(sink.open().message, "rotate_keep must not be negative");
}

TEST_F(FailureTest, CheckChangesNothing) {
  Driver sink(plugin_, settings(), state());
  EXPECT_TRUE(sink.check().ok()) << sink.last().message;
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(FailureTest, ADamagedRecordStopsTheSink) {
  append(state() + "/position", std::string(16384, 'x'));
  Driver sink(plugin_, settings(), state());
  EXPECT_EQ(sink.open().status, WALSPOUT_CONFIG);
  EXPECT_NE(sink.last().message.find("is damaged"), std::string::npos);
}

}  // namespace
}  // namespace walspout::file_test
