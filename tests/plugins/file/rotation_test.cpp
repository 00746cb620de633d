// Rotation by size, and by others while the sink runs.
#include "fixture.hpp"

namespace walspout::file_test {
namespace {

using RotationTest = FileTest;

TEST_F(RotationTest, BySizeBetweenTransactions) {
  Driver sink(plugin_, settings({{"rotate_size", "1KiB"}}), state());
  ASSERT_TRUE(sink.open().ok());
  put_and_flush(sink, 0x100, 10);  // more than 1 KiB: stays whole
  put_and_flush(sink, 0x200, 2);
  put_and_flush(sink, 0x300, 10);
  put_and_flush(sink, 0x400);
  EXPECT_EQ(ids(path(2)), "100-0 100-1 100-2 100-3 100-4 100-5 100-6 100-7 100-8 100-9");
  EXPECT_EQ(ids(path(1)).substr(0, 17), "200-0 200-1 300-0");
  EXPECT_EQ(ids(path()), "400-0");
  EXPECT_FALSE(fs::exists(path(3)));
}

TEST_F(RotationTest, KeepsAsManyAsAskedFor) {
  Driver sink(plugin_, settings({{"rotate_size", "1B"}, {"rotate_keep", "2"}}), state());
  ASSERT_TRUE(sink.open().ok());
  for (const Lsn lsn : {0x100, 0x200, 0x300, 0x400, 0x500}) put_and_flush(sink, lsn);
  EXPECT_EQ(ids(path()), "500-0");
  EXPECT_EQ(ids(path(1)), "400-0");
  EXPECT_EQ(ids(path(2)), "300-0");
  EXPECT_FALSE(fs::exists(path(3)));
}

TEST_F(RotationTest, KeepsAllUnlessAsked) {
  Driver sink(plugin_, settings({{"rotate_size", "1B"}}), state());
  ASSERT_TRUE(sink.open().ok());
  for (Lsn lsn = 0x100; lsn <= 0xC00; lsn += 0x100) put_and_flush(sink, lsn);
  EXPECT_EQ(ids(path(11)), "100-0");
}

TEST_F(RotationTest, AGapThatACrashLeftIsFilledAndNothingOverwritten) {
  {
    Driver sink(plugin_, settings({{"rotate_size", "1B"}}), state());
    ASSERT_TRUE(sink.open().ok());
    for (const Lsn lsn : {0x100, 0x200, 0x300}) put_and_flush(sink, lsn);
  }
  fs::rename(path(2), path(3));  // as killed after the first rename of the next rotation
  Driver sink(plugin_, settings({{"rotate_size", "1B"}}), state());
  ASSERT_TRUE(sink.open().ok());
  put_and_flush(sink, 0x400);
  EXPECT_EQ(ids(path(3)), "100-0");
  EXPECT_EQ(ids(path(2)), "200-0");
  EXPECT_EQ(ids(path(1)), "300-0");
  EXPECT_EQ(ids(path()), "400-0");
}

TEST_F(RotationTest, KilledBetweenRenameAndNewFileGoesOnInANewOne) {
  {
    Driver sink(plugin_, settings(), state());
    ASSERT_TRUE(sink.open().ok());
    put_and_flush(sink, 0x100);
  }
  fs::rename(path(), path(1));
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  EXPECT_EQ(sink.last().position, 0x100u);
  put_and_flush(sink, 0x200);
  EXPECT_EQ(ids(path(1)), "100-0");
  EXPECT_EQ(ids(path()), "200-0");
}

TEST_F(RotationTest, ARenameFromOutsideIsNoticedAtTheFlush) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  put_and_flush(sink, 0x100);
  fs::rename(path(), path(1));
  put_and_flush(sink, 0x200);  // this flush sees it
  put_and_flush(sink, 0x300);
  EXPECT_EQ(ids(path(1)), "100-0 200-0");
  EXPECT_EQ(ids(path()), "300-0");
}

TEST_F(RotationTest, AFileThatOthersMadeInItsPlaceIsUsed) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  fs::rename(path(), path(1));
  append(path(), "{\"id\":\"header\"}\n");
  ASSERT_TRUE(sink.flush().ok());
  put_and_flush(sink, 0x300);
  EXPECT_EQ(ids(path()), "header 300-0");
}

TEST_F(RotationTest, AnUnfinishedTransactionStaysInTheRenamedFile) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  Txn big(0x100, 0x100);
  fill(big, 2);
  ASSERT_TRUE(sink.write(big, 0, 1, WALSPOUT_FIRST).ok());
  fs::rename(path(), path(1));
  ASSERT_TRUE(sink.flush().ok());
  ASSERT_TRUE(sink.write(big, 1, 2, WALSPOUT_LAST).ok());
  EXPECT_EQ(sink.flush().durable, 0x100u);
  put_and_flush(sink, 0x200);
  EXPECT_EQ(ids(path(1)), "100-0 100-1");
  EXPECT_EQ(ids(path()), "200-0");
}

TEST_F(RotationTest, ACrashAfterARenameFromOutsideLosesAndRepeatsNothing) {
  {
    Driver sink(plugin_, settings(), state());
    ASSERT_TRUE(sink.open().ok());
    put_and_flush(sink, 0x100);
    fs::rename(path(), path(1));
    ASSERT_TRUE(put(sink, 0x200, 4000, 100).ok());  // in the renamed file, not confirmed
  }
  Driver sink(plugin_, settings(), state());
  EXPECT_EQ(sink.open().position, 0x100u);
  put_and_flush(sink, 0x200);
  EXPECT_EQ(ids(path(1)), "100-0");
  EXPECT_EQ(ids(path()), "200-0");
}

TEST_F(RotationTest, ATruncationFromOutsideIsReportedAndLeavesNoHole) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  put_and_flush(sink, 0x100, 3);
  fs::copy_file(path(), path(1));
  fs::resize_file(path(), 0);
  put_and_flush(sink, 0x200);
  put_and_flush(sink, 0x300);
  EXPECT_EQ(ids(path()), "200-0 300-0");
  EXPECT_TRUE(sink.host.logged("was truncated from outside"));
}

TEST_F(RotationTest, ACrashAfterATruncationFromOutsideRepeatsNothingInTheFile) {
  {
    Driver sink(plugin_, settings(), state());
    ASSERT_TRUE(sink.open().ok());
    put_and_flush(sink, 0x100, 3);
    fs::resize_file(path(), 0);
    ASSERT_TRUE(put(sink, 0x200, 4000, 100).ok());  // drained in part, not confirmed
  }
  Driver sink(plugin_, settings(), state());
  EXPECT_EQ(sink.open().position, 0x100u);
  put_and_flush(sink, 0x200);
  EXPECT_EQ(ids(path()), "200-0");
}

TEST_F(RotationTest, ATruncationInTheMiddleOfALineLeavesNoTornLine) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  put_and_flush(sink, 0x100, 2);
  fs::resize_file(path(), fs::file_size(path()) - 5);
  put_and_flush(sink, 0x200);
  EXPECT_EQ(ids(path()), "100-0 200-0");
}

TEST_F(RotationTest, LinesOfOthersAreReported) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  put_and_flush(sink, 0x100);
  append(path(), "{\"id\":\"other\"}\n");
  put_and_flush(sink, 0x200);
  EXPECT_EQ(ids(path()), "100-0 other 200-0");
  EXPECT_TRUE(sink.host.logged("was appended to from outside"));
}

}  // namespace
}  // namespace walspout::file_test
