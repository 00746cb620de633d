// What the sink writes, and when that counts.
#include <sys/stat.h>

#include "fixture.hpp"

namespace walspout::file_test {
namespace {

using WriteTest = FileTest;

TEST_F(WriteTest, EachChangeIsALineInOrder) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok()) << sink.last().message;
  EXPECT_EQ(sink.last().position, 0u);
  ASSERT_TRUE(put(sink, 0x100, 2).ok());
  ASSERT_TRUE(put(sink, 0x200).ok());
  EXPECT_EQ(sink.flush().durable, 0x200u);
  EXPECT_EQ(ids(path()), "100-0 100-1 200-0");
}

TEST_F(WriteTest, TheFileIsForItsOwnerOnly) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  struct stat st = {};
  ASSERT_EQ(::stat(path().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
}

TEST_F(WriteTest, PositionAndHostStateComeBackAtTheNextOpen) {
  {
    Driver sink(plugin_, settings(), state());
    ASSERT_TRUE(sink.open().ok());
    Txn txn(0x100, 0x180);
    fill(txn, 1);
    ASSERT_TRUE(sink.deliver(txn.host_state("slot a")).ok());
    ASSERT_TRUE(sink.flush().ok());
  }
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  EXPECT_EQ(sink.last().position, 0x180u);
  EXPECT_EQ(sink.last().host_state, "slot a");
}

TEST_F(WriteTest, WhatWasNotFlushedIsCutOffAndComesOnce) {
  {
    Driver sink(plugin_, settings(), state());
    ASSERT_TRUE(sink.open().ok());
    put_and_flush(sink, 0x100);
    ASSERT_TRUE(put(sink, 0x200, 4000, 100).ok());  // more than the buffer holds
  }
  EXPECT_NE(ids(path()), "100-0");
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  EXPECT_EQ(sink.last().position, 0x100u);
  EXPECT_EQ(ids(path()), "100-0");
  put_and_flush(sink, 0x200);
  EXPECT_EQ(ids(path()), "100-0 200-0");
}

TEST_F(WriteTest, EvenBeforeTheFirstFlush) {
  {
    Driver sink(plugin_, settings(), state());
    ASSERT_TRUE(sink.open().ok());
    ASSERT_TRUE(put(sink, 0x100, 4000, 100).ok());
  }
  EXPECT_NE(content(path()), "");
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  EXPECT_EQ(sink.last().position, 0u);
  EXPECT_EQ(content(path()), "");
}

TEST_F(WriteTest, AnEmptyBatchMovesThePositionOnly) {
  {
    Driver sink(plugin_, settings(), state());
    ASSERT_TRUE(sink.open().ok());
    put_and_flush(sink, 0x100);
    ASSERT_TRUE(sink.move_position(0x900, "idle").ok());
    EXPECT_EQ(sink.flush().durable, 0x900u);
  }
  Driver sink(plugin_, settings(), state());
  EXPECT_EQ(sink.open().position, 0x900u);
  EXPECT_EQ(sink.last().host_state, "idle");
  EXPECT_EQ(ids(path()), "100-0");
}

TEST_F(WriteTest, RowsOfACopyAreDurableWithTheHostsStateAlone) {
  {
    Driver sink(plugin_, settings(), state());
    ASSERT_TRUE(sink.open().ok());
    put_and_flush(sink, 0x100);
    Txn copy(0x150, 0);
    copy.snapshot(9).position(0).host_state("copied 2");
    fill(copy, 2);
    ASSERT_TRUE(sink.deliver(copy).ok());
    EXPECT_EQ(sink.flush().durable, 0x100u);
  }
  Driver sink(plugin_, settings(), state());
  EXPECT_EQ(sink.open().position, 0x100u);
  EXPECT_EQ(sink.last().host_state, "copied 2");
  EXPECT_EQ(ids(path()), "100-0 copy-9-0 copy-9-1");
}

TEST_F(WriteTest, AFlushInsideATransactionPromisesItsBeginOnly) {
  {
    Driver sink(plugin_, settings(), state());
    ASSERT_TRUE(sink.open().ok());
    put_and_flush(sink, 0x100);
    Txn big(0x200, 0x200);
    fill(big, 4);
    ASSERT_TRUE(sink.write(big, 0, 2, WALSPOUT_FIRST).ok());
    EXPECT_EQ(sink.flush().durable, 0x100u);
    EXPECT_EQ(ids(path()), "100-0 200-0 200-1");
  }
  Driver sink(plugin_, settings(), state());
  EXPECT_EQ(sink.open().position, 0x100u);
  EXPECT_EQ(ids(path()), "100-0");
}

TEST_F(WriteTest, PiecesMakeOneTransaction) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  Txn big(0x200, 0x200);
  fill(big, 5);
  ASSERT_TRUE(sink.deliver(big, 3).ok());
  EXPECT_EQ(sink.flush().durable, 0x200u);
  EXPECT_EQ(ids(path()), "200-0 200-1 200-2 200-3 200-4");
}

TEST_F(WriteTest, AbortCutsTheUnfinishedTransactionOff) {
  for (const std::size_t note : {5, 200'000}) {  // in memory still, and in the file already
    Driver sink(plugin_, settings(), state());
    fs::remove(path());
    fs::remove(state() + "/position");
    ASSERT_TRUE(sink.open().ok());
    ASSERT_TRUE(put(sink, 0x100).ok());
    Txn big(0x200, 0x200);
    fill(big, 6, note);
    ASSERT_TRUE(sink.write(big, 0, 4, WALSPOUT_FIRST).ok());
    ASSERT_TRUE(sink.abort().ok());
    EXPECT_EQ(put_and_flush(sink, 0x300), 0x300u);
    EXPECT_EQ(ids(path()), "100-0 300-0");
  }
}

TEST_F(WriteTest, ACallThatFailsHasTakenNothing) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  const Relation table = relation("s", "t").column("i", oid::kInt4);
  Txn bad(0x100, 0x100);
  fill(bad, 3000, 100);
  bad.insert(table, {Cell::binary("\x01")});
  EXPECT_EQ(sink.deliver(bad).status, WALSPOUT_FATAL);
  ASSERT_TRUE(sink.flush().ok());
  EXPECT_EQ(content(path()), "");
}

TEST_F(WriteTest, EverythingIsTaken) {
  Driver sink(plugin_, settings(), state());
  ASSERT_TRUE(sink.open().ok());
  const Relation table =
      relation("s", "t").column("i", oid::kInt4, primary).column("v", oid::kText);
  Txn txn(0x100, 0x100);
  txn.schema(table)
      .insert(table, {"1", "a"})
      .update(table, {"1", unchanged})
      .remove(table, {"1", absent});
  txn.truncate(table).message("p", "c");
  ASSERT_TRUE(sink.deliver(txn).ok());
  ASSERT_TRUE(sink.flush().ok());
  EXPECT_EQ(ids(path()), "100-0-s 100-0 100-1 100-2 100-3 100-4");
}

TEST_F(WriteTest, ALinkToTheFileIsFollowed) {
  const std::string target = (folder_ / "target.jsonl").string();
  std::ofstream(target).close();
  fs::create_symlink(target, path());
  Driver sink(plugin_, settings({{"rotate_size", "1B"}}), state());
  ASSERT_TRUE(sink.open().ok());
  put_and_flush(sink, 0x100);
  put_and_flush(sink, 0x200);
  EXPECT_TRUE(fs::is_symlink(path()));
  EXPECT_EQ(ids(target + ".1"), "100-0");
  EXPECT_EQ(ids(path()), "200-0");
}

}  // namespace
}  // namespace walspout::file_test
