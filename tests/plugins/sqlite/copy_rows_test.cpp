// Rows of copies that come in any order, and copies that fail.
#include "copy_fixture.hpp"

namespace walspout::sqlite {

class SqliteCopyRows : public SqliteCopy {
 protected:
  void SetUp() override {
    insert(item_, {"1", "mirror"});
    piece(1, [&](Txn& t) { t.copy_begin(item_); });
  }
  std::string shadow() { return rows("SELECT id, v FROM _walspout_copy_1 ORDER BY id"); }
  bool quiet() {
    for (const auto& line : sink().host.lines)
      if (line.first >= WALSPOUT_WARN) return false;
    return sink().host.counters["unmatched_changes"] == 0;
  }
};

TEST_F(SqliteCopyRows, ARowReplacesTheOneOfItsKey) {
  commit([&](Txn& t) { t.shadow(1).insert(item_, {"2", "came early"}); });
  piece(1, [&](Txn& t) { t.insert(item_, {"2", "read"}).insert(item_, {"3", "read"}); });
  piece(1, [&](Txn& t) { t.insert(item_, {"3", "read again"}); });
  EXPECT_EQ(shadow(), "2|'read'\n3|'read again'");
  EXPECT_TRUE(quiet());
}

TEST_F(SqliteCopyRows, AnUpdateThatFindsNoRowInsertsACompleteOneAndDropsAnother) {
  commit([&](Txn& t) {
    t.shadow(1).update(item_, {"2", "complete"}).update(item_, {"3", unchanged});
    t.update(item_, {"4", absent}, {"5", unchanged}).update(item_, {"6", absent}, {"7", "moved"});
  });
  EXPECT_EQ(shadow(), "2|'complete'\n7|'moved'");
  EXPECT_TRUE(quiet());
}

TEST_F(SqliteCopyRows, AnUpdateToAKeyThatIsThereReplacesThatRow) {
  piece(1, [&](Txn& t) { t.insert(item_, {"2", "b"}).insert(item_, {"3", "c"}); });
  commit([&](Txn& t) { t.shadow(1).update(item_, {"2", absent}, {"3", "moved"}); });
  EXPECT_EQ(shadow(), "3|'moved'");
  EXPECT_TRUE(quiet());
}

TEST_F(SqliteCopyRows, ADeleteThatFindsNoRowIsNoMistake) {
  commit([&](Txn& t) { t.shadow(1).remove(item_, {"2", absent}); });
  EXPECT_EQ(shadow(), "");
  EXPECT_TRUE(quiet());
}

TEST_F(SqliteCopyRows, OneTransactionChangesTheMirrorAndTheShadow) {
  piece(1, [&](Txn& t) { t.insert(item_, {"1", "copied"}); });
  commit([&](Txn& t) {
    t.update(item_, {"1", "both"}).ordinal(0).shadow(1).update(item_, {"1", "both"});
    t.shadow(0).insert(item_, {"2", "mirror"});
  });
  EXPECT_EQ(items(), "1|'both'\n2|'mirror'");
  EXPECT_EQ(shadow(), "1|'both'");
}

TEST_F(SqliteCopyRows, ATruncateEmptiesWhatItNamesOnly) {
  piece(1, [&](Txn& t) { t.insert(item_, {"2", "b"}); });
  commit([&](Txn& t) { t.shadow(1).truncate(item_); });
  EXPECT_EQ(shadow(), "");
  EXPECT_EQ(items(), "1|'mirror'");
  piece(1, [&](Txn& t) { t.insert(item_, {"2", "b"}); });
  commit([&](Txn& t) { t.truncate(item_); });
  EXPECT_EQ(shadow(), "2|'b'");
  EXPECT_EQ(items(), "");
}

TEST_F(SqliteCopyRows, AnUnmatchedChangeOfTheMirrorIsStillReported) {
  commit([&](Txn& t) { t.remove(item_, {"2", absent}); });
  EXPECT_FALSE(quiet());
}

TEST_F(SqliteCopyRows, ABeginAgainLosesNothingOfTheMirror) {
  piece(2, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"5", "e"}).copy_end(item_); });
  EXPECT_EQ(items(), "5|'e'");
  EXPECT_EQ(rows("SELECT count(*) FROM _walspout_shadows"), "0");
}

TEST_F(SqliteCopy, SingleRowsAreMendedInSilence) {
  commit([&](Txn& t) { t.insert(item_, {"1", "wrong"}).insert(item_, {"2", "extra"}); });
  Txn t(next());
  t.snapshot(8).shadow(0).position(0);
  t.insert(item_, {"1", "right"}).insert(item_, {"3", "missing"});
  t.remove(item_, {"2", absent}).remove(item_, {"9", absent});
  ASSERT_TRUE(sink().deliver(t).ok()) << sink().last().message;
  ASSERT_TRUE(sink().flush().ok());
  EXPECT_EQ(items(), "1|'right'\n3|'missing'");
  EXPECT_EQ(sink().host.counters["unmatched_changes"], 0);
}

TEST_F(SqliteCopy, ARowIsMendedByItsPrimaryKeyWhateverTheIdentityIs) {
  for (const char identity : {'i', 'f', 'n'}) {
    const std::string name = std::string("r_") + identity;
    Relation r = relation("public", name).identity(identity);
    r.column("id", oid::kInt4, WALSPOUT_COLUMN_PRIMARY);
    r.column("u", oid::kText, identity == 'i' ? testing::key : 0U);
    commit([&](Txn& t) { t.insert(r, {"1", "a"}).insert(r, {"2", "b"}); });
    Txn t(next());
    t.snapshot(8).shadow(0).position(0).remove(r, {"1", absent});
    ASSERT_TRUE(sink().deliver(t).ok()) << sink().last().message;
    ASSERT_TRUE(sink().flush().ok());
    EXPECT_EQ(rows("SELECT id FROM " + name), "2");
  }
}

TEST_F(SqliteCopy, TheHostsStateIsStoredWithAPieceThatMovesNoPosition) {
  insert(item_, {"1", "old"});
  const Lsn position = sink().flush().durable;
  Txn t(next());
  t.snapshot(1).position(0).host_state("first range").copy_begin(item_).insert(item_, {"2", "b"});
  ASSERT_TRUE(sink().deliver(t).ok());
  restart();  // not flushed: neither the rows nor the state
  EXPECT_EQ(opened_.host_state, "");
  EXPECT_EQ(rows("SELECT count(*) FROM _walspout_shadows"), "0");
  ASSERT_TRUE(sink().deliver(t).ok());
  EXPECT_EQ(sink().flush().durable, position);
  restart();
  EXPECT_EQ(opened_.position, position);
  EXPECT_EQ(opened_.host_state, "first range");
  EXPECT_EQ(rows("SELECT id FROM _walspout_copy_1"), "2");
}

TEST_F(SqliteCopy, AShapeThatChangesUnderTheFirstCopyShowsReadersNothingYet) {
  Relation a = relation("public", "t", 7).column("id", oid::kInt4, primary);
  Relation b = relation("public", "u", 7).column("id", oid::kInt4, primary).column("v", oid::kText);
  piece(1, [&](Txn& t) { t.copy_begin(a).insert(a, {"1"}); });
  commit([&](Txn& t) {
    t.schema(a, b).shadow(1).schema(a, b, {}, {absent, "fill"}).insert(b, {"2", "b"});
  });
  EXPECT_EQ(rows("SELECT count(*) FROM sqlite_schema WHERE name IN ('t', 'u')"), "0");
  EXPECT_EQ(rows("SELECT source_table, mirror_table, state FROM _walspout_tables"),
            "'u'|'u'|'copying'");
  piece(1, [&](Txn& t) { t.copy_end(b); });
  EXPECT_EQ(rows("SELECT * FROM u"), "1|'fill'\n2|'b'");
}

class SqliteCopyFails : public SqliteCopy {
 protected:
  std::string why() { return rows("SELECT state, reason FROM _walspout_tables"); }
  std::string shadows() {
    return rows(
        "SELECT name FROM sqlite_schema WHERE name LIKE '\\_walspout\\_copy\\_%' ESCAPE "
        "'\\'");
  }
};

TEST_F(SqliteCopyFails, TheReasonIsThereForReadersAndTheOldRowsStay) {
  insert(item_, {"1", "old"});
  piece(1, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"2", "half"}); });
  piece(1, [&](Txn& t) { t.copy_failed(item_, "permission denied for table item"); });
  EXPECT_EQ(why(), "'failed'|'permission denied for table item'");
  EXPECT_EQ(items(), "1|'old'");
  EXPECT_EQ(shadows(), "");
  EXPECT_EQ(rows("SELECT count(*) FROM _walspout_shadows"), "0");
  piece(2, [&](Txn& t) { t.copy_begin(item_); });
  EXPECT_EQ(rows("SELECT state FROM _walspout_tables"), "'copying'");
  piece(2, [&](Txn& t) { t.insert(item_, {"3", "whole"}).copy_end(item_); });
  EXPECT_EQ(why(), "'live'|null");
  EXPECT_EQ(items(), "3|'whole'");
}

TEST_F(SqliteCopyFails, ATableThatWasNeverCreatedGetsItsRowAndItsName) {
  piece(1, [&](Txn& t) { t.copy_failed(item_, "row security"); });
  EXPECT_EQ(rows("SELECT source_table, mirror_table, state, reason FROM _walspout_tables"),
            "'item'|'item'|'failed'|'row security'");
  EXPECT_EQ(rows("SELECT count(*) FROM sqlite_schema WHERE name = 'item'"), "0");
  restart();
  piece(2, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"1", "a"}).copy_end(item_); });
  EXPECT_EQ(items(), "1|'a'");
}

TEST_F(SqliteCopyFails, ACopyThatIsNotWantedLeavesWhatWasThere) {
  insert(item_, {"1", "old"});
  piece(1, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"2", "half"}); });
  piece(1, [&](Txn& t) { t.copy_failed(item_); });
  EXPECT_EQ(why(), "'live'|null");
  EXPECT_EQ(items(), "1|'old'");
  EXPECT_EQ(shadows(), "");
}

TEST_F(SqliteCopyFails, ACopyThatIsNotWantedLeavesAFailureAsItWas) {
  insert(item_, {"1", "old"});
  piece(1, [&](Txn& t) { t.copy_begin(item_).copy_failed(item_, "first"); });
  piece(2, [&](Txn& t) { t.copy_begin(item_); });
  piece(2, [&](Txn& t) { t.copy_failed(item_); });
  EXPECT_EQ(why(), "'failed'|'first'");
}

TEST_F(SqliteCopyFails, ACopyThatIsNotWantedLeavesNothingWhereNothingWas) {
  piece(1, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"2", "half"}); });
  piece(1, [&](Txn& t) { t.copy_failed(item_); });
  EXPECT_EQ(why(), "");
  EXPECT_EQ(shadows(), "");
  piece(2, [&](Txn& t) { t.copy_failed(item_); });  // nor where nothing is known
  EXPECT_EQ(why(), "");
}

TEST_F(SqliteCopyFails, AnOlderCopyDoesNotTouchANewerOne) {
  piece(1, [&](Txn& t) { t.copy_begin(item_); });
  piece(2, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"2", "b"}); });
  piece(1, [&](Txn& t) { t.copy_failed(item_, "late"); });
  EXPECT_EQ(why(), "'copying'|null");
  piece(2, [&](Txn& t) { t.copy_end(item_); });
  EXPECT_EQ(items(), "2|'b'");
}

TEST_F(SqliteCopyFails, ATableThatIsGivenUpKeepsItsRows) {
  insert(item_, {"1", "old"});
  commit([&](Txn& t) { t.copy_failed(item_, "on_schema_change = stop"); });
  EXPECT_EQ(why(), "'failed'|'on_schema_change = stop'");
  EXPECT_EQ(items(), "1|'old'");
  commit([&](Txn& t) {
    t.snapshot(3).copy_begin(item_).insert(item_, {"4", "d"}).copy_end(item_);
  });
  EXPECT_EQ(why(), "'live'|null");
}

TEST_F(SqliteCopyFails, ATableMayBeGivenUpBeforeItWasEverMirrored) {
  commit([&](Txn& t) { t.copy_failed(item_, "a generated key"); });
  EXPECT_EQ(why(), "'failed'|'a generated key'");
}

TEST_F(SqliteCopyFails, GivingUpATableDoesNotStopItsCopy) {
  insert(item_, {"1", "old"});
  piece(1, [&](Txn& t) { t.copy_begin(item_).insert(item_, {"2", "b"}); });
  commit([&](Txn& t) { t.copy_failed(item_, "values changed"); });
  EXPECT_EQ(why(), "'failed'|'values changed'");
  piece(1, [&](Txn& t) { t.copy_end(item_); });
  EXPECT_EQ(why(), "'live'|null");
  EXPECT_EQ(items(), "2|'b'");
}

}  // namespace walspout::sqlite
