// What a start makes of the file it finds.
#include "fixture.hpp"

namespace walspout::file_test {
namespace {

class RecoveryTest : public FileTest {
 protected:
  // A file with the durable transactions 100 and 200.
  void run_once() {
    Driver sink(plugin_, settings(), state());
    ASSERT_TRUE(sink.open().ok()) << sink.last().message;
    put_and_flush(sink, 0x100);
    put_and_flush(sink, 0x200);
  }
  // Opens, writes 300 and leaves what the log said in log_.
  void run_again(Lsn expected_position = 0x200) {
    Driver sink(plugin_, settings(), state());
    ASSERT_TRUE(sink.open().ok()) << sink.last().message;
    EXPECT_EQ(sink.last().position, expected_position);
    put_and_flush(sink, 0x300);
    for (const auto& [level, line] : sink.host.lines) log_ += line + "\n";
  }
  bool logged(const std::string& text) const { return log_.find(text) != std::string::npos; }

  std::string log_;
};

TEST_F(RecoveryTest, ATornLineIsCutOff) {
  run_once();
  append(path(), R"({"id":"00000)");
  run_again();
  EXPECT_EQ(ids(path()), "100-0 200-0 300-0");
  EXPECT_TRUE(logged("cut 12 bytes off " + path())) << log_;
}

TEST_F(RecoveryTest, ACopyThatBrokeOffIsCutOffAlthoughItWasFlushed) {
  run_once();
  {
    Driver sink(plugin_, settings(), state());
    ASSERT_TRUE(sink.open().ok()) << sink.last().message;
    Txn rows(0x250, 0);
    rows.snapshot(7).position(0);
    fill(rows, 3);
    ASSERT_TRUE(sink.deliver(rows).ok()) << sink.last().message;
    EXPECT_EQ(sink.flush().durable, 0x200U);
  }
  EXPECT_EQ(ids(path()), "100-0 200-0 copy-7-0 copy-7-1 copy-7-2");
  run_again();
  EXPECT_EQ(ids(path()), "100-0 200-0 300-0");
}

TEST_F(RecoveryTest, WhatCameBeforeRowsOfACopyThatAreNotSettledIsRecorded) {
  {
    Driver sink(plugin_, settings(), state());
    ASSERT_TRUE(sink.open().ok()) << sink.last().message;
    ASSERT_TRUE(put(sink, 0x100).ok());
    Txn rows(0x150, 0);
    rows.snapshot(7).position(0);
    fill(rows, 2);
    ASSERT_TRUE(sink.deliver(rows).ok());
    EXPECT_EQ(sink.flush().durable, 0x100U);
  }
  Driver sink(plugin_, settings(), state());
  EXPECT_EQ(sink.open().position, 0x100U);
  EXPECT_EQ(ids(path()), "100-0");
}

TEST_F(RecoveryTest, PartsOfACopyBetweenTransactionsAreKeptWithTheHostsState) {
  {
    Driver sink(plugin_, settings(), state());
    ASSERT_TRUE(sink.open().ok()) << sink.last().message;
    for (Lsn lsn = 0x100; lsn < 0x300; lsn += 0x100) {
      ASSERT_TRUE(put(sink, lsn).ok());
      Txn rows(lsn + 0x50, 0);
      rows.snapshot(7).position(0).ordinal(lsn).host_state("part " + std::to_string(lsn));
      fill(rows, 2);
      ASSERT_TRUE(sink.deliver(rows, 2).ok());
    }
    Txn third(0x350, 0);
    third.snapshot(7).position(0);
    fill(third, 2);
    ASSERT_TRUE(sink.write(third, 0, 1, WALSPOUT_FIRST).ok());
    EXPECT_EQ(sink.flush().durable, 0x200U);
  }
  Driver sink(plugin_, settings(), state());
  EXPECT_EQ(sink.open().position, 0x200U);
  EXPECT_EQ(sink.last().host_state, "part 512");
  EXPECT_EQ(ids(path()), "100-0 copy-7-256 copy-7-257 200-0 copy-7-512 copy-7-513");
}

TEST_F(RecoveryTest, NulBytesAreCutOff) {
  run_once();
  append(path(), std::string(5000, '\0'));
  run_again();
  EXPECT_EQ(ids(path()), "100-0 200-0 300-0");
}

TEST_F(RecoveryTest, UnconfirmedLinesAreCutOff) {
  run_once();
  append(path(), "{\"id\":\"0000000000000300-0\"}\n");
  run_again();
  EXPECT_EQ(ids(path()), "100-0 200-0 300-0");
}

TEST_F(RecoveryTest, ACleanFileIsLeftAlone) {
  run_once();
  run_again();
  EXPECT_EQ(ids(path()), "100-0 200-0 300-0");
  EXPECT_EQ(log_, "");
}

TEST_F(RecoveryTest, AMissingLastNewlineIsAdded) {
  run_once();
  fs::resize_file(path(), fs::file_size(path()) - 1);
  run_again();
  EXPECT_EQ(ids(path()), "100-0 200-0 300-0");
  EXPECT_TRUE(logged("1 bytes that were confirmed are missing")) << log_;
}

TEST_F(RecoveryTest, AConfirmedLineCutInTheMiddleIsReportedAndTheRestRemoved) {
  run_once();
  fs::resize_file(path(), fs::file_size(path()) - 10);
  run_again();
  EXPECT_EQ(ids(path()), "100-0 300-0");
  EXPECT_TRUE(logged("10 bytes that were confirmed are missing")) << log_;
  EXPECT_TRUE(logged("cut a torn last line")) << log_;
}

TEST_F(RecoveryTest, ACopyAndTruncateMeanwhileIsReported) {
  run_once();
  fs::copy_file(path(), path(1));
  fs::resize_file(path(), 0);
  run_again();
  EXPECT_EQ(ids(path()), "300-0");
  EXPECT_TRUE(logged("was truncated from outside")) << log_;
}

TEST_F(RecoveryTest, AFileThatWasRenamedIsFoundAndItsUnconfirmedEndCutOff) {
  run_once();
  append(path(), "{\"id\":\"0000000000000300-0\"}\n{\"torn");
  fs::rename(path(), folder_ / "events-2026.jsonl");
  run_again();
  EXPECT_EQ(ids(folder_ / "events-2026.jsonl"), "100-0 200-0");
  EXPECT_EQ(ids(path()), "300-0");
  EXPECT_TRUE(logged("was rotated to")) << log_;
}

TEST_F(RecoveryTest, AFileThatWasRenamedAndReplacedIsFoundToo) {
  run_once();
  append(path(), "{\"torn");
  fs::rename(path(), path(1));
  std::ofstream(path()).close();  // logrotate's "create"
  run_again();
  EXPECT_EQ(ids(path(1)), "100-0 200-0");
  EXPECT_EQ(ids(path()), "300-0");
}

TEST_F(RecoveryTest, ACopyPutBackIsKnownByItsContent) {
  run_once();
  fs::copy_file(path(), folder_ / "backup");
  fs::remove(path());
  std::ofstream(folder_ / "takes the inode").close();
  fs::rename(folder_ / "backup", path());
  append(path(), "{\"torn");
  run_again();
  EXPECT_EQ(ids(path()), "100-0 200-0 300-0");
}

TEST_F(RecoveryTest, ALostFileIsReported) {
  run_once();
  fs::remove(path());
  run_again();
  EXPECT_EQ(ids(path()), "300-0");
  EXPECT_TRUE(logged("is gone")) << log_;
}

TEST_F(RecoveryTest, AFileWithOtherContentIsNotCut) {
  run_once();
  const auto size = fs::file_size(path());
  std::ofstream(path()) << std::string(2 * size, 'x') << "\n";  // the same inode
  run_again();
  EXPECT_EQ(ids(path()), "? 300-0");
}

TEST_F(RecoveryTest, AForeignFileKeepsItsLines) {
  append(path(), "{\"id\":\"other\"}\n");
  run_again(0);
  EXPECT_EQ(ids(path()), "other 300-0");
  EXPECT_EQ(log_, "");
}

TEST_F(RecoveryTest, AForeignFilesOpenLineIsClosed) {
  append(path(), "{\"id\":\"other\"}\n{\"id\":");
  run_again(0);
  EXPECT_EQ(ids(path()), "other ? 300-0");
  EXPECT_TRUE(logged("closed it with a newline")) << log_;
}

TEST_F(RecoveryTest, AForeignFilesNulBytesAreCutOff) {
  append(path(), "{\"id\":\"other\"}\n" + std::string(100'000, '\0'));
  run_again(0);
  EXPECT_EQ(ids(path()), "other 300-0");
  EXPECT_TRUE(logged("cut 100000 bytes of NUL")) << log_;
}

TEST_F(RecoveryTest, AFileOfNulBytesOnlyBecomesEmpty) {
  append(path(), std::string(70'000, '\0'));
  run_again(0);
  EXPECT_EQ(ids(path()), "300-0");
}

}  // namespace
}  // namespace walspout::file_test
