#include "copy_fixture.hpp"

namespace walspout::sqlite {

TEST_F(SqliteCopy, RowsAppearTogetherAtItsEnd) {
  piece(1, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"1", "a"}); });
  EXPECT_EQ(state(), "'copying'");
  EXPECT_EQ(rows("SELECT count(*) FROM sqlite_schema WHERE name = 'item'"), "0");
  piece(1, [&](Txn& t) { t.insert(item_, {"2", "b"}); });
  piece(1, [&](Txn& t) { t.copy_end(item_); });
  EXPECT_EQ(items(), "1|'a'\n2|'b'");
  EXPECT_EQ(state(), "'live'");
  EXPECT_EQ(rows("SELECT source_column, mirror_column FROM _walspout_columns WHERE mirror_table = "
                 "'item'"),
            "'id'|'id'\n'v'|'v'");
  EXPECT_EQ(rows("SELECT name FROM sqlite_schema WHERE name LIKE '\\_walspout\\_copy\\_%' ESCAPE "
                 "'\\'"),
            "");
  commit([&](Txn& t) { t.update(item_, {"1", "A"}).remove(item_, {"2", absent}); });
  EXPECT_EQ(items(), "1|'A'");
}

TEST_F(SqliteCopy, ReadersSeeTheOldRowsUntilItEnds) {
  commit([&](Txn& t) { t.insert(item_, {"1", "old"}).insert(item_, {"9", "gone"}); });
  piece(2, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"1", "new"}); });
  EXPECT_EQ(items(), "1|'old'\n9|'gone'");
  commit([&](Txn& t) { t.update(item_, {"1", "streamed"}); });  // the mirror itself goes on
  EXPECT_EQ(items(), "1|'streamed'\n9|'gone'");
  Reader reader(path());
  reader.rows("BEGIN; SELECT * FROM item");
  piece(2, [&](Txn& t) { t.insert(item_, {"2", "b"}).copy_end(item_); });
  EXPECT_EQ(reader.rows("SELECT id, v FROM item ORDER BY id"), "1|'streamed'\n9|'gone'");
  reader.rows("COMMIT");
  EXPECT_EQ(reader.rows("SELECT id, v FROM item ORDER BY id"), "1|'new'\n2|'b'");
}

TEST_F(SqliteCopy, ItsCatchingUpGoesToTheShadow) {
  insert(item_, {"1", "old"});
  piece(3, [&](Txn& t) {
    t.copy_begin(item_).insert(item_, {"1", "a"}).insert(item_, {"2", "b"});
  });
  Txn later(next());
  later.snapshot(3).position(0);
  later.update(item_, {"1", "caught up"}).remove(item_, {"2", absent}).insert(item_, {"3", "c"});
  walspout_txn txn = later.get();
  ASSERT_EQ(txn.copy_id, 3U);
  ASSERT_TRUE(sink().deliver(later).ok()) << sink().last().message;
  EXPECT_EQ(items(), "1|'old'");
  piece(3, [&](Txn& t) { t.copy_end(item_); });
  EXPECT_EQ(items(), "1|'caught up'\n3|'c'");
}

TEST_F(SqliteCopy, ACopyOutlivesCloseAndOpen) {
  insert(item_, {"1", "old"});
  piece(4, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"2", "first part"}); });
  restart();
  EXPECT_EQ(items(), "1|'old'");
  EXPECT_EQ(state(), "'copying'");
  piece(4, [&](Txn& t) { t.insert(item_, {"3", "second part"}).copy_end(item_); });
  EXPECT_EQ(items(), "2|'first part'\n3|'second part'");
  EXPECT_EQ(rows("SELECT count(*) FROM _walspout_shadows"), "0");
}

TEST_F(SqliteCopy, ABeginDropsTheShadowThatAnotherCopyOfTheTableLeft) {
  Relation other = relation("public", "other").column("id", oid::kInt4, primary);
  insert(item_, {"1", "old"});
  piece(4, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"2", "half"}); });
  piece(3, [&](Txn& t) { t.copy_begin(other).insert(other, {"5"}); });
  restart();
  piece(9, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"3", "whole"}); });
  EXPECT_EQ(rows("SELECT shadow_table FROM _walspout_shadows ORDER BY 1"),
            "'_walspout_copy_3'\n'_walspout_copy_9'");
  EXPECT_EQ(rows("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%copy_4%'"), "0");
  piece(9, [&](Txn& t) { t.copy_end(item_); });
  piece(3, [&](Txn& t) { t.copy_end(other); });
  EXPECT_EQ(items(), "3|'whole'");
  EXPECT_EQ(rows("SELECT id FROM other"), "5");
}

TEST_F(SqliteCopy, ABeginWithTheSameIdStartsOver) {
  piece(5, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"1", "first"}); });
  piece(5, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"2", "second"}).copy_end(item_); });
  EXPECT_EQ(items(), "2|'second'");
}

TEST_F(SqliteCopy, AChangeOfACopyThatIsNotThereIsPoisonAndNamesTheWayOut) {
  insert(item_, {"1", "old"});
  Txn t(next());
  t.insert(item_, {"2", "b"}).shadow(6).insert(item_, {"2", "b"});
  const Reply reply = sink().deliver(t);
  EXPECT_EQ(reply.status, WALSPOUT_POISON);
  EXPECT_EQ(reply.ordinal, 1U);
  EXPECT_NE(reply.message.find("walspout resync FILE public.item"), std::string::npos)
      << reply.message;
}

TEST_F(SqliteCopy, AShadowThatSomeoneDroppedIsPoisonAndABeginMendsIt) {
  piece(6, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"1", "a"}); });
  rows("DROP TABLE _walspout_copy_6");
  Txn t(next());
  t.snapshot(6).position(0).insert(item_, {"2", "b"});
  EXPECT_EQ(sink().deliver(t).status, WALSPOUT_POISON);
  piece(6, [&](Txn& t) { t.copy_failed(item_, sink().last().message); });
  EXPECT_EQ(state(), "'failed'");
  piece(7, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"2", "b"}).copy_end(item_); });
  EXPECT_EQ(items(), "2|'b'");
  EXPECT_EQ(rows("SELECT state, reason FROM _walspout_tables"), "'live'|null");
}

TEST_F(SqliteCopy, SeveralTablesAreCopiedSideBySide) {
  Relation other = relation("public", "other").column("id", oid::kInt4, primary);
  piece(7, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"1", "a"}); });
  piece(8, [&](Txn& t) { t.copy_begin(other).insert(other, {"5"}); });
  piece(7, [&](Txn& t) { t.insert(item_, {"2", "b"}); });
  piece(8, [&](Txn& t) { t.copy_end(other); });
  piece(7, [&](Txn& t) { t.copy_end(item_); });
  EXPECT_EQ(items(), "1|'a'\n2|'b'");
  EXPECT_EQ(rows("SELECT id FROM other"), "5");
}

TEST_F(SqliteCopy, AnEmptyTableIsCopiedAsEmpty) {
  insert(item_, {"1", "old"});
  piece(9, [&](Txn& t) { t.copy_begin(item_).copy_end(item_); });
  EXPECT_EQ(items(), "");
}

TEST_F(SqliteCopy, TheUsersIndexesTriggersAndViewsStay) {
  insert(item_, {"1", "old"});
  rows(
      "CREATE INDEX mine ON item(v); CREATE VIEW seen AS SELECT v FROM item; "
      "CREATE TABLE audit(id); "
      "CREATE TRIGGER watch AFTER UPDATE ON item BEGIN INSERT INTO audit VALUES (new.id); END");
  piece(10, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"1", "new"}).copy_end(item_); });
  EXPECT_EQ(rows("SELECT v FROM seen"), "'new'");
  EXPECT_EQ(rows("SELECT type, name, tbl_name FROM sqlite_schema WHERE name IN ('mine', 'watch') "
                 "ORDER BY 1"),
            "'index'|'mine'|'item'\n'trigger'|'watch'|'item'");
  commit([&](Txn& t) { t.update(item_, {"1", "newer"}); });
  EXPECT_EQ(rows("SELECT id FROM audit"), "1");
}

TEST_F(SqliteCopy, NamesOfTheMirrorsColumnsStay) {
  Relation r = relation("public", "c").column("id", oid::kInt4, primary);
  r.column("A", oid::kText).column("a", oid::kText);
  insert(r, {"1", "x", "y"});
  // The next shape has the columns in another order; without the old names 'a' would be first.
  Relation turned = relation("public", "c").column("id", oid::kInt4, primary);
  turned.column("a", oid::kText).column("A", oid::kText);
  piece(11, [&](Txn& t) { t.copy_begin(turned).insert(turned, {"1", "y", "x"}).copy_end(turned); });
  EXPECT_EQ(rows("SELECT A, a_2 FROM c"), "'x'|'y'");
}

TEST_F(SqliteCopy, ATableTheUserMadeMeanwhileIsNotReplaced) {
  piece(12, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"1", "a"}); });
  rows("CREATE TABLE item(mine TEXT); INSERT INTO item VALUES ('keep')");
  piece(12, [&](Txn& t) { t.copy_end(item_); });
  EXPECT_EQ(rows("SELECT * FROM item"), "'keep'");
  EXPECT_EQ(rows("SELECT id FROM item_2"), "1");
}

TEST_F(SqliteCopy, ACopyOfAnotherTableOfThatNameBringsItsOid) {
  Relation old = relation("public", "t", 100).column("id", oid::kInt4, primary);
  Relation fresh = relation("public", "t", 200).column("id", oid::kInt8, primary);
  fresh.column("w", oid::kText);
  insert(old, {"1"});
  piece(13, [&](Txn& t) { t.copy_begin(fresh).insert(fresh, {"2", "x"}).copy_end(fresh); });
  insert(fresh, {"3", "y"});
  EXPECT_EQ(rows("SELECT id, w FROM t ORDER BY 1"), "2|'x'\n3|'y'");
}

}  // namespace walspout::sqlite
