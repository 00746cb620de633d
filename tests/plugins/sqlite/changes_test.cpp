#include "mirror_test.hpp"

namespace walspout::sqlite {

class SqliteChanges : public MirrorTest {
 protected:
  Relation item_ = relation("public", "item")
                       .column("id", oid::kInt4, primary)
                       .column("v", oid::kText)
                       .column("big", oid::kText);
  std::string items() { return rows("SELECT id, v, big FROM item ORDER BY id"); }
};

TEST_F(SqliteChanges, InsertUpdateDelete) {
  commit([&](Txn& t) {
    t.insert(item_, {"1", "a", "x"})
        .insert(item_, {"2", "b", nullopt})
        .insert(item_, {"3", "", ""});
  });
  EXPECT_EQ(items(), "1|'a'|'x'\n2|'b'|null\n3|''|''");
  commit([&](Txn& t) {
    t.update(item_, {"1", nullopt, "y"}).remove(item_, {"2", absent, absent});
  });
  EXPECT_EQ(items(), "1|null|'y'\n3|''|''");
}

TEST_F(SqliteChanges, UnchangedValuesStayAsTheyAre) {
  insert(item_, {"1", "a", "large"});
  commit([&](Txn& t) { t.update(item_, {"1", "A", unchanged}); });
  EXPECT_EQ(items(), "1|'A'|'large'");
  commit([&](Txn& t) {
    t.update(item_, {"1", "B", nullopt}).update(item_, {"1", unchanged, unchanged});
    t.update(item_, {"1", "C", unchanged});
  });
  EXPECT_EQ(items(), "1|'C'|null");
}

TEST_F(SqliteChanges, InsertAndPartialUpdateOfOneKeyInOneTransaction) {
  commit([&](Txn& t) {
    t.insert(item_, {"1", "1", "large"}).update(item_, {"1", "2", unchanged});
    t.insert(item_, {"3", "1", "old"}).remove(item_, {"3", absent, absent});
    t.insert(item_, {"3", "9", "new"}).update(item_, {"3", "10", unchanged});
  });
  EXPECT_EQ(items(), "1|'2'|'large'\n3|'10'|'new'");
}

TEST_F(SqliteChanges, AKeyChangeTakesUnchangedValuesAlong) {
  commit([&](Txn& t) { t.insert(item_, {"1", "1", "large"}).insert(item_, {"2", "2", "wide"}); });
  commit([&](Txn& t) {
    t.update(item_, {"1", absent, absent}, {"10", "1", unchanged});
    t.update(item_, {"2", absent, absent}, {"30", "5", unchanged});
    t.update(item_, {"30", absent, absent}, {"31", "5", unchanged}).insert(item_, {"30", "0", "n"});
  });
  EXPECT_EQ(items(), "10|'1'|'large'\n30|'0'|'n'\n31|'5'|'wide'");
}

TEST_F(SqliteChanges, NeighbouringKeysMoveUpAndBack) {
  commit([&](Txn& t) {
    for (int i = 100; i >= 1; --i) {
      const std::string n = std::to_string(i);
      t.insert(item_, {n, n, nullopt});
    }
  });
  commit([&](Txn& t) {
    for (int i = 100; i >= 1; --i)
      t.update(item_, {std::to_string(i), absent, absent},
               {std::to_string(i + 1), std::to_string(i), nullopt});
  });
  EXPECT_EQ(rows("SELECT count(*), min(id), max(id), sum(id = v + 1) FROM item"), "100|2|101|100");
  commit([&](Txn& t) {
    for (int i = 2; i <= 101; ++i)
      t.update(item_, {std::to_string(i), absent, absent},
               {std::to_string(i - 1), std::to_string(i - 1), nullopt});
  });
  EXPECT_EQ(rows("SELECT count(*), sum(id = v) FROM item"), "100|100");
}

TEST_F(SqliteChanges, ChainsOnOneKeyKeepTheirOrder) {
  commit([&](Txn& t) {
    for (const char* id : {"1", "2", "3", "4"}) t.insert(item_, {id, "old", nullopt});
  });
  commit([&](Txn& t) {
    t.remove(item_, {"1", absent, absent}).insert(item_, {"1", "new", nullopt});
    t.insert(item_, {"10", "tmp", nullopt}).remove(item_, {"10", absent, absent});
    t.update(item_, {"2", "a", nullopt}).remove(item_, {"2", absent, absent});
    t.insert(item_, {"2", "b", nullopt}).update(item_, {"2", "c", nullopt});
    t.remove(item_, {"3", absent, absent}).insert(item_, {"3", "x", nullopt});
    t.remove(item_, {"3", absent, absent});
    t.update(item_, {"4", absent, absent}, {"5", "old", nullopt});
    t.insert(item_, {"4", "again", nullopt});
    t.update(item_, {"5", absent, absent}, {"6", "old", nullopt});
    t.remove(item_, {"6", absent, absent}).insert(item_, {"5", "five", nullopt});
  });
  EXPECT_EQ(rows("SELECT id, v FROM item ORDER BY 1"), "1|'new'\n2|'c'\n4|'again'\n5|'five'");
}

TEST_F(SqliteChanges, TruncateEmptiesExactlyTheTablesNamed) {
  Relation kid = relation("public", "kid").column("id", oid::kInt4, primary);
  Relation lone = relation("public", "lone").column("id", oid::kInt4, primary);
  commit([&](Txn& t) {
    t.insert(item_, {"1", nullopt, nullopt}).insert(kid, {"1"}).insert(lone, {"1"});
  });
  commit([&](Txn& t) {
    t.truncate(item_, WALSPOUT_TRUNCATE_CASCADE).truncate(kid, WALSPOUT_TRUNCATE_CASCADE);
    t.insert(kid, {"7"});
  });
  EXPECT_EQ(items(), "");
  EXPECT_EQ(rows("SELECT id FROM kid"), "7");
  EXPECT_EQ(rows("SELECT id FROM lone"), "1");
}

TEST_F(SqliteChanges, CompositeTextKeys) {
  Relation r = relation("public", "pair").column("b", oid::kText, primary);
  r.column("a", oid::kInt4, primary).column("v", oid::kText);
  commit([&](Txn& t) { t.insert(r, {"x", "1", "one"}).insert(r, {"x", "2", "two"}); });
  commit([&](Txn& t) {
    t.update(r, {"x", "1", "uno"}).update(r, {"x", "2", absent}, {"y", "2", "due"});
  });
  EXPECT_EQ(rows("SELECT b, a, v FROM pair ORDER BY a"), "'x'|1|'uno'\n'y'|2|'due'");
  commit([&](Txn& t) { t.remove(r, {"y", "2", absent}).insert(r, {"x", "1", "again"}); });
  EXPECT_EQ(rows("SELECT b, a, v FROM pair"), "'x'|1|'again'");
}

TEST_F(SqliteChanges, ATableThatIsAllKey) {
  Relation r = relation("public", "tag").column("a", oid::kInt4, primary);
  r.column("b", oid::kInt4, primary);
  commit([&](Txn& t) { t.insert(r, {"1", "1"}).insert(r, {"1", "1"}).update(r, {"1", "1"}); });
  EXPECT_EQ(rows("SELECT * FROM tag"), "1|1");
  EXPECT_TRUE(sink().host.counters.empty());
}

TEST_F(SqliteChanges, ATableWithoutColumnsKeepsItsRows) {
  Relation r = relation("public", "empty").identity('f');
  commit([&](Txn& t) { t.insert(r, {}).insert(r, {}).insert(r, {}); });
  commit([&](Txn& t) { t.remove(r, {}); });
  EXPECT_EQ(rows("SELECT count(*) FROM empty"), "2");
}

TEST_F(SqliteChanges, SixteenHundredColumns) {
  Relation r = relation("public", "wide").identity('f');
  Row row, changed;
  for (int i = 0; i < 1600; ++i) {
    r.column("c" + std::to_string(i), oid::kInt4);
    row.emplace_back(std::to_string(i));
    changed.emplace_back(std::to_string(i + 1));
  }
  commit([&](Txn& t) { t.insert(r, row).insert(r, row); });
  commit([&](Txn& t) { t.update(r, row, changed); });
  EXPECT_EQ(rows("SELECT c0, c1599 FROM wide ORDER BY 1"), "0|1599\n1|1600");
  commit([&](Txn& t) { t.remove(r, row); });
  EXPECT_EQ(rows("SELECT c0, c1599 FROM wide"), "1|1600");
}

TEST_F(SqliteChanges, AnInsertOfAKeyThatIsThereReplacesTheRow) {
  insert(item_, {"1", "a", "x"});
  insert(item_, {"1", "b", nullopt});
  EXPECT_EQ(items(), "1|'b'|null");
}

TEST_F(SqliteChanges, AnUpdateOfAnUnknownRowInsertsItAndSaysSo) {
  commit([&](Txn& t) { t.update(item_, {"1", "touched", "x"}); });
  EXPECT_EQ(items(), "1|'touched'|'x'");
  EXPECT_EQ(sink().host.counters["unmatched_changes"], 1);
  EXPECT_TRUE(logged("public.item: an update found no row, the new one was inserted"));
}

TEST_F(SqliteChanges, AnIncompleteUpdateOfAnUnknownRowIsCountedAndSaysSo) {
  insert(item_, {"1", "a", "x"});
  commit([&](Txn& t) { t.update(item_, {"2", "touched", unchanged}); });
  EXPECT_EQ(items(), "1|'a'|'x'");
  EXPECT_EQ(sink().host.counters["unmatched_changes"], 1);
  EXPECT_TRUE(logged("its row is incomplete"));
}

TEST_F(SqliteChanges, ADeleteOfAnUnknownRowIsCountedAndTheLogNotFlooded) {
  insert(item_, {"1", "a", "x"});
  commit([&](Txn& t) {
    for (int i = 0; i < 500; ++i) t.remove(item_, {"9", absent, absent});
  });
  EXPECT_EQ(sink().host.counters["unmatched_changes"], 500);
  int lines = 0;
  for (const auto& line : sink().host.lines)
    if (line.second.find("a delete found no row") != std::string::npos) ++lines;
  EXPECT_EQ(lines, 3);  // the 1st, 10th and 100th
}

TEST_F(SqliteChanges, ARowThatMovesToAKeyThatIsTakenReplacesTheStrayRow) {
  commit([&](Txn& t) { t.insert(item_, {"1", "a", "x"}).insert(item_, {"2", "stray", nullopt}); });
  commit([&](Txn& t) { t.update(item_, {"1", absent, absent}, {"2", "b", unchanged}); });
  EXPECT_EQ(items(), "2|'b'|'x'");
  EXPECT_EQ(sink().host.counters["unmatched_changes"], 1);
}

TEST_F(SqliteChanges, AColumnNamedRowidIsNotTheRowid) {
  Relation r = relation("public", "r").identity('f').column("rowid", oid::kInt4);
  r.column("_rowid_", oid::kText).column("v", oid::kText);
  commit([&](Txn& t) {
    t.insert(r, {"7", "x", "a"}).insert(r, {"7", "x", "b"}).insert(r, {"7", "x", "b"});
  });
  commit([&](Txn& t) { t.update(r, {"7", "x", "b"}, {"8", "y", "c"}); });
  EXPECT_EQ(rows("SELECT * FROM r ORDER BY 1, 3"), "7|'x'|'a'\n7|'x'|'b'\n8|'y'|'c'");
}

TEST_F(SqliteChanges, ColumnsMayHideEveryAliasOfTheRowid) {
  Relation r = relation("public", "r").identity('f').column("rowid", oid::kInt4);
  r.column("_rowid_", oid::kText).column("OID", oid::kInt4);
  commit([&](Txn& t) { t.insert(r, {"7", "x", "1"}).insert(r, {"7", "x", "1"}); });
  commit([&](Txn& t) { t.remove(r, {"7", "x", "1"}); });
  EXPECT_EQ(rows("SELECT rowid, _rowid_, OID FROM r"), "7|'x'|1");
}

}  // namespace walspout::sqlite
