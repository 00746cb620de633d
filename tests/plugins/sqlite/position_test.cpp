#include <sys/stat.h>

#include "mirror_test.hpp"

namespace walspout::sqlite {

class SqlitePosition : public MirrorTest {
 protected:
  Relation item_ = relation("public", "item").column("id", oid::kInt4, primary);
  std::string ids() { return rows("SELECT id FROM item ORDER BY id"); }
  void deliver(const Txn& t, size_t pieces = 1) {
    const Reply reply = sink().deliver(t, pieces);
    ASSERT_TRUE(reply.ok()) << reply.message;
  }
};

TEST_F(SqlitePosition, ANewFileHasNone) {
  restart();
  EXPECT_EQ(opened_.position, 0U);
  EXPECT_EQ(opened_.host_state, "");
}

TEST_F(SqlitePosition, TheFileIsPrivateAndDurable) {
  insert(item_, {"1"});
  struct stat st = {};
  ASSERT_EQ(stat(path().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600U);
  ASSERT_EQ(stat((path() + "-wal").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600U);
  EXPECT_EQ(rows("PRAGMA journal_mode"), "'wal'");
}

TEST_F(SqlitePosition, ItIsStoredWithTheRows) {
  Txn t(next());
  t.insert(item_, {"1"}).host_state(std::string("state\0x", 7));
  deliver(t);
  EXPECT_EQ(rows("SELECT count(*) FROM _walspout_position"), "0");
  EXPECT_EQ(sink().flush().durable, t.end_lsn());
  EXPECT_EQ(rows("SELECT pipeline, sink, commit_time FROM _walspout_position"),
            "'test'|'sink'|'2026-01-31 12:00:00.000000+00:00'");
  restart();
  EXPECT_EQ(opened_.position, t.end_lsn());
  EXPECT_EQ(opened_.host_state, std::string("state\0x", 7));
}

TEST_F(SqlitePosition, WhatWasNotFlushedIsNotThere) {
  insert(item_, {"1"});
  const Lsn durable = sink().flush().durable;
  Txn t(next());
  t.insert(item_, {"2"});
  deliver(t);
  restart();
  EXPECT_EQ(opened_.position, durable);
  EXPECT_EQ(ids(), "1");
}

TEST_F(SqlitePosition, AnEmptyBatchMovesIt) {
  insert(item_, {"1"});
  ASSERT_TRUE(sink().move_position(0x99000, "s1").ok());
  EXPECT_EQ(sink().flush().durable, 0x99000U);
  ASSERT_TRUE(sink().move_position(0x99900).ok());
  EXPECT_EQ(sink().flush().durable, 0x99900U);
  restart();
  EXPECT_EQ(opened_.position, 0x99900U);
  EXPECT_EQ(opened_.host_state, "s1");  // an empty state keeps the old one
}

TEST_F(SqlitePosition, ItMayGoDown) {
  ASSERT_TRUE(sink().move_position(0x99000).ok());
  ASSERT_TRUE(sink().flush().ok());
  ASSERT_TRUE(sink().move_position(0x100).ok());
  EXPECT_EQ(sink().flush().durable, 0x100U);
  restart();
  EXPECT_EQ(opened_.position, 0x100U);
}

TEST_F(SqlitePosition, StateWithoutPositionIsKeptToo) {
  Txn t(next());
  t.position(0).host_state("copying").insert(item_, {"1"});
  deliver(t);
  ASSERT_TRUE(sink().flush().ok());
  restart();
  EXPECT_EQ(opened_.position, 0U);
  EXPECT_EQ(opened_.host_state, "copying");
}

TEST_F(SqlitePosition, LsnsAbove32BitsSurvive) {
  ASSERT_TRUE(sink().move_position(0xfffffff0abcdef01).ok());
  ASSERT_TRUE(sink().flush().ok());
  EXPECT_EQ(rows("SELECT lsn FROM _walspout_position"), "'FFFFFFF0/ABCDEF01'");
  restart();
  EXPECT_EQ(opened_.position, 0xfffffff0abcdef01U);
}

TEST_F(SqlitePosition, ManyTransactionsAreOneGroup) {
  Lsn end = 0;
  for (int i = 0; i < 50; ++i) {
    Txn t(next());
    t.insert(item_, {std::to_string(i)});
    deliver(t);
    end = t.end_lsn();
  }
  EXPECT_EQ(rows("SELECT count(*) FROM sqlite_schema WHERE name = 'item'"), "0");
  EXPECT_EQ(sink().flush().durable, end);
  EXPECT_EQ(rows("SELECT count(*) FROM item"), "50");
}

TEST_F(SqlitePosition, ATransactionInPiecesIsOne) {
  Txn t(next());
  for (int i = 0; i < 10; ++i) t.insert(item_, {std::to_string(i)});
  sink();
  for (size_t piece = 0; piece < 5; ++piece) {
    EXPECT_EQ(rows("SELECT count(*) FROM sqlite_schema WHERE name = 'item'"), "0");
    const uint32_t first = piece == 0 ? 1 : 0, last = piece == 4 ? 1 : 0;
    const Reply reply =
        sink().write(t, piece * 2, piece * 2 + 2, first * WALSPOUT_FIRST | last * WALSPOUT_LAST);
    ASSERT_TRUE(reply.ok()) << reply.message;
  }
  EXPECT_EQ(sink().flush().durable, t.end_lsn());
  EXPECT_EQ(rows("SELECT count(*) FROM item"), "10");
}

TEST_F(SqlitePosition, AbortForgetsTheUnfinishedTransactionOnly) {
  Txn first(next()), second(next());
  first.insert(item_, {"1"});
  deliver(first);
  second.insert(item_, {"2"}).insert(item_, {"3"});
  ASSERT_TRUE(sink().write(second, 0, 1, WALSPOUT_FIRST).ok());
  ASSERT_TRUE(sink().abort().ok());
  EXPECT_EQ(sink().flush().durable, first.end_lsn());
  EXPECT_EQ(ids(), "1");
  deliver(second, 2);
  EXPECT_EQ(sink().flush().durable, second.end_lsn());
  EXPECT_EQ(ids(), "1\n2\n3");
}

TEST_F(SqlitePosition, AbortUndoesTablesMadeByTheUnfinishedTransaction) {
  Txn t(next());
  t.insert(item_, {"1"}).insert(item_, {"2"});
  ASSERT_TRUE(sink().write(t, 0, 1, WALSPOUT_FIRST).ok());
  ASSERT_TRUE(sink().abort().ok());
  deliver(t, 2);
  ASSERT_TRUE(sink().flush().ok());
  EXPECT_EQ(ids(), "1\n2");
}

TEST_F(SqlitePosition, AFlushInTheMiddleReportsWhatIsDurable) {
  Txn first(next()), second(next());
  first.insert(item_, {"1"});
  second.insert(item_, {"2"}).insert(item_, {"3"});
  deliver(first);
  ASSERT_TRUE(sink().write(second, 0, 1, WALSPOUT_FIRST).ok());
  EXPECT_EQ(sink().flush().durable, first.end_lsn());
  EXPECT_EQ(ids(), "1");  // really durable, and nothing of the second
  ASSERT_TRUE(sink().write(second, 1, 2, WALSPOUT_LAST).ok());
  EXPECT_EQ(sink().flush().durable, second.end_lsn());
  EXPECT_EQ(ids(), "1\n2\n3");
}

TEST_F(SqlitePosition, AStopInTheMiddleOfAPiecewiseTransactionLeavesNothingOfIt) {
  insert(item_, {"1"});
  Txn t(next());
  t.insert(item_, {"2"}).insert(item_, {"3"});
  ASSERT_TRUE(sink().write(t, 0, 1, WALSPOUT_FIRST).ok());
  restart();
  EXPECT_EQ(ids(), "1");
}

TEST_F(SqlitePosition, APoisonousChangeUndoesItsCallOnly) {
  Relation n = relation("public", "n").column("id", oid::kInt4, primary).column("v", oid::kInt4);
  Txn good(next()), bad(next());
  good.insert(n, {"1", "1"});
  deliver(good);
  bad.insert(n, {"2", "2"}).insert(n, {"3", "x"}).insert(n, {"4", "4"});
  const Reply reply = sink().deliver(bad);
  EXPECT_EQ(reply.status, WALSPOUT_POISON);
  EXPECT_EQ(reply.ordinal, 1U);
  Txn rest(bad.commit_lsn());
  rest.insert(n, {"2", "2"}).ordinal(2).insert(n, {"4", "4"});
  deliver(rest);
  EXPECT_EQ(sink().flush().durable, rest.end_lsn());
  EXPECT_EQ(rows("SELECT id FROM n ORDER BY id"), "1\n2\n4");
}

TEST_F(SqlitePosition, APoisonousPieceLeavesEarlierPieces) {
  Relation n = relation("public", "n").column("id", oid::kInt4, primary).column("v", oid::kInt4);
  Txn t(next());
  t.insert(n, {"1", "1"}).insert(n, {"2", "2"}).insert(n, {"3", "x"}).insert(n, {"4", "4"});
  ASSERT_TRUE(sink().write(t, 0, 1, WALSPOUT_FIRST).ok());
  EXPECT_EQ(sink().write(t, 1, 3, 0).status, WALSPOUT_POISON);
  ASSERT_TRUE(sink().write(t, 1, 2, 0).ok());
  ASSERT_TRUE(sink().write(t, 3, 4, WALSPOUT_LAST).ok());
  ASSERT_TRUE(sink().flush().ok());
  EXPECT_EQ(rows("SELECT id FROM n ORDER BY id"), "1\n2\n4");
}

TEST_F(SqlitePosition, TwoSinksShareAFileWithoutTouchingEachOther) {
  Driver other(plugin(), {{"path", path()}});
  other.pipeline = "second";
  ASSERT_TRUE(other.open().ok());
  insert(item_, {"1"});
  Txn t(0x500);
  Relation same = relation("public", "item").column("id", oid::kInt4, primary);
  t.insert(same, {"77"});
  ASSERT_TRUE(other.deliver(t).ok()) << other.last().message;
  EXPECT_EQ(other.flush().durable, t.end_lsn());
  insert(item_, {"2"});
  EXPECT_EQ(ids(), "1\n2");
  EXPECT_EQ(rows("SELECT id FROM item_2"), "77");
  EXPECT_EQ(rows("SELECT pipeline, mirror_table FROM _walspout_tables ORDER BY 1"),
            "'second'|'item_2'\n'test'|'item'");
  EXPECT_EQ(rows("SELECT count(*) FROM _walspout_position"), "2");
  EXPECT_EQ(other.open().position, t.end_lsn());
}

}  // namespace walspout::sqlite
