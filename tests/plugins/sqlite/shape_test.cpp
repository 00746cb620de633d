#include "mirror_test.hpp"

namespace walspout::sqlite {

class SqliteShape : public MirrorTest {
 protected:
  static Relation usr() {
    return relation("public", "usr", 100).column("id", oid::kInt4, primary).column("n", oid::kText);
  }
};

TEST_F(SqliteShape, AnAddedColumnIsNullInOldRows) {
  Relation a = usr(), b = usr().column("plan", oid::kText);
  insert(a, {"1", "a"});
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"2", "b", "pro"}); });
  EXPECT_EQ(rows("SELECT * FROM usr ORDER BY 1"), "1|'a'|null\n2|'b'|'pro'");
}

TEST_F(SqliteShape, AnAddedColumnsDefaultFillsOldRows) {
  Relation a = usr();
  Relation b = usr().column("plan", oid::kText).column("n2", oid::kInt4).column("z", oid::kText);
  insert(a, {"1", "a"});
  commit([&](Txn& t) {
    t.schema(a, b, {}, {absent, absent, "free", "7", nullopt});
    t.insert(b, {"2", "b", "pro", nullopt, nullopt});
  });
  EXPECT_EQ(rows("SELECT plan, n2, z FROM usr ORDER BY id"), "'free'|7|null\n'pro'|null|null");
}

TEST_F(SqliteShape, AChangeSeenOnlyByItsFirstRowIsFollowedToo) {
  insert(usr(), {"1", "a"});
  restart();
  insert(usr().column("plan", oid::kText), {"2", "b", "pro"});
  EXPECT_EQ(rows("SELECT * FROM usr ORDER BY 1"), "1|'a'|null\n2|'b'|'pro'");
}

TEST_F(SqliteShape, ARenameSeenOnlyByItsFirstRowIsKnownByTheColumnsNumber) {
  insert(usr(), {"1", "a"});
  restart();
  Relation b = relation("public", "usr", 100).column("id", oid::kInt4, primary);
  insert(b.column("label", oid::kText), {"2", "b"});
  EXPECT_EQ(rows("SELECT id, label FROM usr ORDER BY 1"), "1|'a'\n2|'b'");
}

TEST_F(SqliteShape, ARenamedColumnKeepsItsValues) {
  Relation a = usr();
  Relation b = relation("public", "usr", 100).column("id", oid::kInt4, primary);
  b.column("full name", oid::kText);
  insert(a, {"1", "a"});
  rows("CREATE VIEW names AS SELECT n FROM usr; CREATE INDEX mine ON usr(n)");
  commit([&](Txn& t) { t.schema(a, b, {0, 1}).update(b, {"1", unchanged}); });
  EXPECT_EQ(rows("SELECT id, \"full name\" FROM usr"), "1|'a'");
  EXPECT_EQ(rows("SELECT * FROM names"), "'a'");
  EXPECT_EQ(rows("SELECT source_column, mirror_column FROM _walspout_columns ORDER BY 1"),
            "'full name'|'full name'\n'id'|'id'");
}

TEST_F(SqliteShape, TwoColumnsSwapTheirNames) {
  Relation a = usr().column("m", oid::kText);
  Relation b = relation("public", "usr", 100).column("id", oid::kInt4, primary);
  b.column("m", oid::kText).column("n", oid::kText);
  insert(a, {"1", "was n", "was m"});
  commit([&](Txn& t) { t.schema(a, b, {0, 1, 2}).update(b, {"1", unchanged, unchanged}); });
  EXPECT_EQ(rows("SELECT m, n FROM usr"), "'was n'|'was m'");
}

TEST_F(SqliteShape, ADroppedColumnGoes) {
  Relation a = usr().column("junk", oid::kText);
  Relation b = usr();
  insert(a, {"1", "a", "x"});
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"2", "b"}); });
  EXPECT_EQ(rows("SELECT * FROM usr ORDER BY 1"), "1|'a'\n2|'b'");
}

TEST_F(SqliteShape, ADroppedColumnThatAUsersIndexNeedsStaysAndIsNullInNewRows) {
  Relation a = usr().column("junk", oid::kText);
  Relation b = usr();
  insert(a, {"1", "a", "x"});
  rows("CREATE INDEX mine ON usr(junk); CREATE VIEW seen AS SELECT junk FROM usr");
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"2", "b"}); });
  EXPECT_EQ(rows("SELECT id, junk FROM usr ORDER BY 1"), "1|'x'\n2|null");
  EXPECT_TRUE(logged("column junk is gone from the source but stays"));
  EXPECT_TRUE(logged("mine"));
  EXPECT_EQ(rows("SELECT count(*) FROM seen"), "2");
}

TEST_F(SqliteShape, ANameDroppedAndAddedAgainIsAnotherColumn) {
  Relation a = usr().column("qty", oid::kInt4);
  Relation b = usr();
  Relation c = usr().column("qty", oid::kText);
  insert(a, {"1", "a", "5"});
  commit([&](Txn& t) { t.schema(a, b).update(b, {"1", "A"}); });
  commit([&](Txn& t) { t.schema(b, c).insert(c, {"3", "c", "007"}); });
  EXPECT_EQ(rows("SELECT id, qty FROM usr ORDER BY 1"), "1|null\n3|'007'");
}

TEST_F(SqliteShape, DroppedAndAddedAgainInOneStepIsAnotherColumnToo) {
  Relation a = usr().column("qty", oid::kInt4);
  Relation b = usr().column("qty", oid::kText);
  insert(a, {"1", "a", "5"});
  commit([&](Txn& t) { t.schema(a, b, {0, 1, -1}).insert(b, {"3", "c", "007"}); });
  EXPECT_EQ(rows("SELECT id, qty FROM usr ORDER BY 1"), "1|null\n3|'007'");
}

TEST_F(SqliteShape, AChangedTypeChangesTheAffinityAndKeepsRowsAndUserObjects) {
  Relation a = relation("public", "conv", 7).column("id", oid::kInt4, primary);
  a.column("b", oid::kInt4).column("c", oid::kText);
  Relation b = relation("public", "conv", 7).column("id", oid::kInt4, primary);
  b.column("b", oid::kText).column("c", oid::kText);
  insert(a, {"1", "10", "x"});
  rows(
      "CREATE INDEX mine ON conv(c); CREATE VIEW seen AS SELECT b FROM conv; "
      "ALTER TABLE conv ADD COLUMN own TEXT; UPDATE conv SET own = 'kept'");
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"3", "007", "y"}); });
  EXPECT_EQ(rows("SELECT id, b, c, own FROM conv ORDER BY 1"),
            "1|'10'|'x'|'kept'\n3|'007'|'y'|null");
  EXPECT_EQ(rows("SELECT b FROM seen ORDER BY 1"), "'007'\n'10'");
  EXPECT_EQ(rows("SELECT count(*) FROM sqlite_schema WHERE name = 'mine'"), "1");
}

TEST_F(SqliteShape, AWiderIntegerNeedsNothing) {
  Relation a = relation("public", "w", 7).column("id", oid::kInt4, primary);
  Relation b = relation("public", "w", 7).column("id", oid::kInt8, primary);
  insert(a, {"1"});
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"9223372036854775807"}); });
  EXPECT_EQ(rows("SELECT id FROM w ORDER BY 1"), "1\n9223372036854775807");
}

TEST_F(SqliteShape, AnotherPrimaryKeyRebuildsTheTable) {
  Relation a =
      relation("public", "k", 7).column("id", oid::kInt4, primary).column("code", oid::kText);
  Relation b =
      relation("public", "k", 7).column("id", oid::kInt4).column("code", oid::kText, primary);
  commit([&](Txn& t) { t.insert(a, {"1", "x"}).insert(a, {"2", "y"}); });
  commit([&](Txn& t) { t.schema(a, b).update(b, {"20", "y"}).insert(b, {"20", "z"}); });
  EXPECT_EQ(rows("SELECT id, code FROM k ORDER BY code"), "1|'x'\n20|'y'\n20|'z'");
  EXPECT_EQ(sink().host.counters["unmatched_changes"], 0);
}

TEST_F(SqliteShape, APrimaryKeyThatIsDroppedLeavesATableWithoutKey) {
  Relation a = relation("public", "k", 7).column("id", oid::kInt4, primary).column("v", oid::kText);
  Relation b = relation("public", "k", 7).identity('f').column("id", oid::kInt4);
  b.column("v", oid::kText);
  insert(a, {"1", "x"});
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"1", "x"}).remove(b, {"1", "x"}); });
  EXPECT_EQ(rows("SELECT * FROM k"), "1|'x'");
}

TEST_F(SqliteShape, AnotherTableOfTheSameNameReplacesTheRows) {
  Relation old = relation("public", "hist", 100).column("id", oid::kInt4, primary);
  old.column("v", oid::kText);
  Relation fresh = relation("public", "hist", 200).column("id", oid::kInt8, primary);
  fresh.column("w", oid::kNumeric).column("v", oid::kText);
  commit([&](Txn& t) { t.insert(old, {"1", "old"}).insert(old, {"2", "old"}); });
  commit([&](Txn& t) { t.insert(fresh, {"9000000000", "1.50", "new"}); });
  EXPECT_EQ(rows("SELECT id, w, v FROM hist"), "9000000000|'1.50'|'new'");
  EXPECT_TRUE(logged("oid 100, now 200"));
}

TEST_F(SqliteShape, ARenamedTableTakesItsRowsAlong) {
  Relation a = relation("public", "before", 100).column("id", oid::kInt4, primary);
  Relation b = relation("public", "after", 100).column("id", oid::kInt4, primary);
  insert(a, {"1"});
  rows("CREATE VIEW seen AS SELECT id FROM before");
  commit([&](Txn& t) { t.schema(a, b, {0}).insert(b, {"2"}); });
  EXPECT_EQ(rows("SELECT id FROM after ORDER BY 1"), "1\n2");
  EXPECT_EQ(rows("SELECT count(*) FROM seen"), "2");
  EXPECT_EQ(rows("SELECT source_table, mirror_table FROM _walspout_tables"), "'after'|'after'");
}

TEST_F(SqliteShape, AShapeChangeThatIsUndoneLeavesNoTrace) {
  Relation a = usr(), b = usr().column("plan", oid::kText);
  insert(a, {"1", "a"});
  Txn t(next());
  t.schema(a, b).insert(b, {"2", "b", "x"});
  ASSERT_TRUE(sink().write(t, 0, 1, WALSPOUT_FIRST).ok());
  ASSERT_TRUE(sink().abort().ok());
  EXPECT_EQ(rows("SELECT * FROM usr"), "1|'a'");
  ASSERT_TRUE(sink().deliver(t).ok());
  ASSERT_TRUE(sink().flush().ok());
  EXPECT_EQ(rows("SELECT * FROM usr ORDER BY 1"), "1|'a'|null\n2|'b'|'x'");
}

TEST_F(SqliteShape, ALateChangeOfAnOlderShapeDoesNotTurnTheTableBack) {
  Relation a = usr(), b = usr().column("plan", oid::kText);
  insert(a, {"1", "a"});
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"2", "b", "pro"}); });
  commit([&](Txn& t) { t.insert(a, {"3", "late"}).update(a, {"2", "B"}); });
  EXPECT_EQ(rows("SELECT * FROM usr ORDER BY 1"), "1|'a'|null\n2|'B'|'pro'\n3|'late'|null");
}

TEST_F(SqliteShape, ColumnsComeToATableThatHadNone) {
  Relation a = relation("public", "empty", 7).identity('f');
  Relation b = relation("public", "empty", 7).identity('f').column("v", oid::kText);
  commit([&](Txn& t) { t.insert(a, {}).insert(a, {}); });
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"x"}); });
  EXPECT_EQ(rows("SELECT * FROM empty ORDER BY 1"), "null\nnull\n'x'");
}

TEST_F(SqliteShape, AKeyColumnThatIsNewIsUnknownInOldRowsUntilACopy) {
  Relation a = relation("public", "k", 7).identity('f').column("v", oid::kText);
  Relation b = relation("public", "k", 7).column("v", oid::kText).column("id", oid::kInt4, primary);
  Relation c = relation("public", "k", 7).column("v", oid::kText).column("id", oid::kInt4, primary);
  c.column("w", oid::kText);
  commit([&](Txn& t) { t.insert(a, {"x"}).insert(a, {"y"}); });
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"z", "3"}).update(b, {"Z", "3"}); });
  EXPECT_EQ(rows("SELECT * FROM k ORDER BY v"), "'Z'|3\n'x'|null\n'y'|null");
  EXPECT_EQ(rows("SELECT state FROM _walspout_tables"), "'failed'");
  EXPECT_TRUE(logged("public.k, whose shape changed: the key got a column"));
  EXPECT_TRUE(logged("walspout resync FILE public.k"));
  restart();
  commit([&](Txn& t) { t.schema(b, c).insert(c, {"w", "4", "w"}); });
  EXPECT_EQ(rows("SELECT * FROM k ORDER BY v"),
            "'Z'|3|null\n'w'|4|'w'\n'x'|null|null\n'y'|null|null");
  commit([&](Txn& t) {
    t.snapshot(1).copy_begin(c).insert(c, {"x", "1", nullopt}).insert(c, {"y", "2", nullopt});
    t.copy_end(c);
  });
  EXPECT_EQ(rows("SELECT sql FROM sqlite_schema WHERE name = 'k'"),
            "'CREATE TABLE \"k\"(\"v\" TEXT, \"id\" INTEGER PRIMARY KEY, \"w\" TEXT)'");
  EXPECT_EQ(rows("SELECT state, reason FROM _walspout_tables"), "'live'|null");
}

TEST_F(SqliteShape, ASchemaChangeUnderACopyChangesTheShadow) {
  Relation a = usr(), b = usr().column("plan", oid::kText);
  insert(a, {"1", "old"});
  commit([&](Txn& t) { t.snapshot(1).copy_begin(a).insert(a, {"1", "new"}); });
  commit([&](Txn& t) { t.snapshot(1).schema(a, b).insert(b, {"2", "b", "pro"}).copy_end(b); });
  EXPECT_EQ(rows("SELECT * FROM usr ORDER BY 1"), "1|'new'|null\n2|'b'|'pro'");
}

}  // namespace walspout::sqlite
