// Changes of a table's shape on which the user has built something.
#include "mirror_test.hpp"

namespace walspout::sqlite {

class SqliteAlter : public MirrorTest {
 protected:
  static Relation base() {
    return relation("public", "t", 100).column("id", oid::kInt4, primary).column("n", oid::kText);
  }
  // On column n of t: an index, a view, and a trigger that writes to audit.
  void build() {
    rows(
        "CREATE INDEX mine ON t(n); CREATE VIEW seen AS SELECT id, n AS seen_n FROM t; "
        "CREATE TABLE audit(id, n); CREATE TRIGGER watch AFTER UPDATE ON t BEGIN INSERT INTO audit "
        "VALUES (new.id, new.n); END");
  }
  std::string objects() {
    return rows(
        "SELECT name FROM sqlite_schema WHERE name IN ('mine', 'seen', 'watch') ORDER BY 1");
  }
  std::string all() { return rows("SELECT * FROM t ORDER BY id"); }
  std::vector<std::string> warnings() {
    std::vector<std::string> texts;
    for (const auto& line : sink().host.lines)
      if (line.first >= WALSPOUT_WARN) texts.push_back(line.second);
    return texts;
  }
  static constexpr const char* kAllObjects = "'mine'\n'seen'\n'watch'";
};

TEST_F(SqliteAlter, AFilledColumnFiresNoTriggerAndKeepsNulls) {
  Relation a = base(), b = base().column("p", oid::kText).column("q", oid::kBool);
  commit([&](Txn& t) { t.insert(a, {"1", "a"}).insert(a, {"2", nullopt}); });
  build();
  commit([&](Txn& t) {
    t.schema(a, b, {}, {absent, absent, "free", nullopt}).insert(b, {"3", "c", nullopt, "t"});
  });
  EXPECT_EQ(all(), "1|'a'|'free'|null\n2|null|'free'|null\n3|'c'|null|1");
  EXPECT_EQ(rows("SELECT * FROM audit"), "");
  EXPECT_EQ(objects(), kAllObjects);
  EXPECT_TRUE(warnings().empty());
  commit([&](Txn& t) { t.update(b, {"1", "A", unchanged, unchanged}); });
  EXPECT_EQ(rows("SELECT * FROM audit"), "1|'A'");
}

TEST_F(SqliteAlter, AFillIsForNewColumnsOnly) {
  Relation a = base(), b = base().column("p", oid::kText);
  insert(a, {"1", "a"});
  commit([&](Txn& t) { t.insert(b, {"2", "b", nullopt}); });  // the shape is seen by its row
  commit([&](Txn& t) { t.schema(a, b, {}, {absent, absent, "late"}); });
  EXPECT_EQ(all(), "1|'a'|null\n2|'b'|null");
}

// ALTER TYPE numeric rewrites no row at the source, so that no copy comes.
TEST_F(SqliteAlter, NumbersThatBecomeTextKeepTheirDecimals) {
  const auto numeric = [](int precision, int scale) {
    return Relation(relation("public", "t", 100)
                        .column("id", oid::kInt4, primary)
                        .column("n", oid::kNumeric)
                        .type_mod(precision == 0 ? -1 : (precision << 16 | (scale & 0x7ff)) + 4));
  };
  Relation cents = numeric(15, 2), any = numeric(0, 0);
  commit([&](Txn& t) {
    t.insert(cents, {"1", "14112.50"}).insert(cents, {"2", "18072.00"}).insert(cents, {"3", "NaN"});
    t.insert(cents, {"4", "9999999999999.99"}).insert(cents, {"5", "-0.07"});
    t.insert(cents, {"6", nullopt}).insert(cents, {"7", "0.00"}).insert(cents, {"8", "-3.00"});
  });
  EXPECT_EQ(rows("SELECT n FROM t WHERE id = 1"), "r14112.5");
  commit([&](Txn& t) { t.schema(cents, any); });
  EXPECT_EQ(all(),
            "1|'14112.50'\n2|'18072.00'\n3|'NaN'\n4|'9999999999999.99'\n5|'-0.07'\n6|null\n"
            "7|'0.00'\n8|'-3.00'");
  EXPECT_TRUE(warnings().empty());
}

TEST_F(SqliteAlter, WholeNumbersThatBecomeTextGetNoDecimals) {
  Relation before = relation("public", "t", 100).column("id", oid::kInt4, primary);
  before.column("n", oid::kNumeric).type_mod((15 << 16) + 4);
  Relation after = relation("public", "t", 100).column("id", oid::kInt4, primary);
  after.column("m", oid::kNumeric).type_mod((40 << 16) + 4);
  insert(before, {"1", "999999999999999"});
  commit([&](Txn& t) { t.schema(before, after, {0, 1}); });
  EXPECT_EQ(all(), "1|'999999999999999'");
}

TEST_F(SqliteAlter, NumbersThatBecomeTextUnseenAreToldOf) {
  Relation cents = relation("public", "t", 100).column("id", oid::kInt4, primary);
  cents.column("n", oid::kNumeric).type_mod((10 << 16 | 2) + 4);
  Relation any = relation("public", "t", 100).column("id", oid::kInt4, primary);
  any.column("n", oid::kNumeric);
  insert(cents, {"1", "1.50"});
  insert(any, {"2", "2.50"});
  ASSERT_EQ(warnings().size(), 1U);
  EXPECT_NE(warnings()[0].find("became text without the zeros at their ends"), std::string::npos);
}

TEST_F(SqliteAlter, AFillOfEveryKindIsStoredAsARowsValueIs) {
  Relation a = base();
  Relation b = base().column("ts", oid::kTimestamptz).column("by", oid::kBytea);
  b.column("ar", oid::kInt4Array).column("nu", oid::kNumeric).type_mod((5 << 16 | 2) + 4);
  insert(a, {"1", "a"});
  commit([&](Txn& t) {
    t.schema(a, b, {}, {absent, absent, "2024-01-01 00:00:00+00", "\\x00ff", "{1,2}", "1.50"});
  });
  EXPECT_EQ(all(), "1|'a'|'2024-01-01 00:00:00+00:00'|x'00ff'|'[1,2]'|r1.5");
}

TEST_F(SqliteAlter, AFillThatIsNoValueOfItsTypeIsPoisonAndNamesTheTable) {
  Relation a = base(), b = base().column("p", oid::kInt4);
  insert(a, {"1", "a"});
  Txn t(next());
  t.schema(a, b, {}, {absent, absent, "x"});
  const Reply reply = sink().deliver(t);
  EXPECT_EQ(reply.status, WALSPOUT_POISON);
  EXPECT_NE(reply.message.find("public.t"), std::string::npos) << reply.message;
  EXPECT_EQ(all(), "1|'a'");
}

TEST_F(SqliteAlter, ARenamedColumnTakesIndexViewAndTriggerAlong) {
  Relation a = base();
  Relation b = relation("public", "t", 100).column("id", oid::kInt4, primary);
  b.column("label", oid::kText);
  insert(a, {"1", "a"});
  build();
  commit([&](Txn& t) { t.schema(a, b, {0, 1}).update(b, {"1", "b"}); });
  EXPECT_EQ(rows("SELECT label FROM t"), "'b'");
  EXPECT_EQ(rows("SELECT seen_n FROM seen"), "'b'");
  EXPECT_EQ(rows("SELECT * FROM audit"), "1|'b'");
  EXPECT_EQ(rows("SELECT name FROM pragma_index_info('mine')"), "'label'");
  EXPECT_TRUE(warnings().empty());
}

TEST_F(SqliteAlter, ARenameThatChangesTheCaseOnly) {
  Relation a = base();
  Relation b =
      relation("public", "t", 100).column("id", oid::kInt4, primary).column("N", oid::kText);
  insert(a, {"1", "a"});
  build();
  commit([&](Txn& t) { t.schema(a, b, {0, 1}).update(b, {"1", "b"}); });
  EXPECT_EQ(rows("SELECT mirror_column FROM _walspout_columns ORDER BY 1"), "'N'\n'id'");
  EXPECT_EQ(rows("SELECT seen_n FROM seen"), "'b'");
  EXPECT_EQ(objects(), kAllObjects);
}

TEST_F(SqliteAlter, TwoColumnsSwapTheirNamesAndTheUsersObjectsFollowTheirColumn) {
  Relation a = base().column("m", oid::kText);
  Relation b = relation("public", "t", 100).column("id", oid::kInt4, primary);
  b.column("m", oid::kText).column("n", oid::kText);
  insert(a, {"1", "was n", "was m"});
  build();
  commit([&](Txn& t) { t.schema(a, b, {0, 1, 2}).update(b, {"1", unchanged, "new"}); });
  EXPECT_EQ(rows("SELECT m, n FROM t"), "'was n'|'new'");
  EXPECT_EQ(rows("SELECT seen_n FROM seen"), "'was n'");
  EXPECT_EQ(rows("SELECT * FROM audit"), "1|'was n'");
  EXPECT_EQ(rows("SELECT name FROM pragma_index_info('mine')"), "'m'");
  EXPECT_TRUE(warnings().empty());
}

TEST_F(SqliteAlter, AChainOfRenamesWithADropAndAnAdd) {
  Relation a = base().column("x", oid::kText).column("y", oid::kText);
  // n goes, x becomes n, y becomes x, and another y comes.
  Relation b = relation("public", "t", 100).column("id", oid::kInt4, primary);
  b.column("n", oid::kText).column("x", oid::kText).column("y", oid::kText);
  insert(a, {"1", "n", "x", "y"});
  commit([&](Txn& t) {
    t.schema(a, b, {0, 2, 3, -1}, {absent, absent, absent, "fill"}).insert(b, {"2", "", "", ""});
  });
  EXPECT_EQ(rows("SELECT n, x, y FROM t WHERE id = 1"), "'x'|'y'|'fill'");
  EXPECT_TRUE(warnings().empty());
}

TEST_F(SqliteAlter, ADroppedColumnThatObjectsNeedStaysAndOneWarningNamesThem) {
  Relation a = base().column("k", oid::kInt4);
  Relation b = relation("public", "t", 100).column("id", oid::kInt4, primary);
  b.column("k", oid::kInt4);
  insert(a, {"1", "a", "5"});
  build();
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"2", "6"}).update(b, {"1", "7"}); });
  EXPECT_EQ(rows("SELECT id, seen_n FROM seen ORDER BY 1"), "1|'a'\n2|null");
  EXPECT_EQ(rows("SELECT * FROM audit"), "1|'a'");
  EXPECT_EQ(objects(), kAllObjects);
  ASSERT_EQ(warnings().size(), 1U);
  for (const char* part : {"column n is gone", "index mine", "view seen", "trigger watch"})
    EXPECT_NE(warnings()[0].find(part), std::string::npos) << warnings()[0];
}

TEST_F(SqliteAlter, ADroppedColumnThatNobodyNeedsGoesThoughTheFileHasABrokenView) {
  Relation a = base().column("junk", oid::kText), b = base();
  insert(a, {"1", "a", "x"});
  rows("CREATE TABLE gone(x); CREATE VIEW broken AS SELECT x FROM gone; DROP TABLE gone");
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"2", "b"}); });
  EXPECT_EQ(all(), "1|'a'\n2|'b'");
  EXPECT_TRUE(warnings().empty());
}

TEST_F(SqliteAlter, AColumnDroppedAndAddedAgainStartsAnewUnderTheUsersObjects) {
  Relation a = base();
  Relation b = relation("public", "t", 100).column("id", oid::kInt4, primary);
  b.column("n", oid::kText);
  insert(a, {"1", "a"});
  build();
  commit([&](Txn& t) { t.schema(a, b, {0, -1}, {absent, "new"}).insert(b, {"2", "b"}); });
  EXPECT_EQ(rows("SELECT id, seen_n FROM seen ORDER BY 1"), "1|'new'\n2|'b'");
  EXPECT_EQ(objects(), kAllObjects);
}

TEST_F(SqliteAlter, ARetypedColumnKeepsObjectsAndConvertsWhatItCan) {
  Relation a = base();
  Relation b = relation("public", "t", 100).column("id", oid::kInt4, primary);
  b.column("n", oid::kInt8);
  commit([&](Txn& t) { t.insert(a, {"1", "10"}).insert(a, {"2", "x"}); });
  build();
  commit([&](Txn& t) { t.schema(a, b).update(b, {"1", "11"}); });
  EXPECT_EQ(rows("SELECT id, seen_n FROM seen ORDER BY 1"), "1|11\n2|'x'");
  EXPECT_EQ(rows("SELECT * FROM audit"), "1|11");
  EXPECT_EQ(objects(), kAllObjects);
  EXPECT_TRUE(warnings().empty());
}

TEST_F(SqliteAlter, RenamedAndRetypedAtOnceTheObjectsFollowToo) {
  Relation a = base();
  Relation b = relation("public", "t", 100).column("id", oid::kInt4, primary);
  b.column("amount", oid::kInt8);
  insert(a, {"1", "10"});
  build();
  commit([&](Txn& t) { t.schema(a, b, {0, 1}).update(b, {"1", "11"}); });
  EXPECT_EQ(rows("SELECT id, seen_n FROM seen"), "1|11");
  EXPECT_EQ(rows("SELECT * FROM audit"), "1|11");
  EXPECT_EQ(objects(), kAllObjects);
}

TEST_F(SqliteAlter, ARetypedKeyWhoseOldValuesAreNoIntegersKeepsItsRowsUntilACopy) {
  Relation a =
      relation("public", "t", 100).column("id", oid::kText, primary).column("n", oid::kText);
  commit([&](Txn& t) { t.insert(a, {"x1", "a"}).insert(a, {"2", "b"}); });
  commit([&](Txn& t) { t.schema(a, base()).insert(base(), {"3", "c"}); });
  EXPECT_EQ(rows("SELECT * FROM t ORDER BY n"), "'x1'|'a'\n2|'b'\n3|'c'");
  EXPECT_TRUE(logged("walspout resync FILE public.t"));
}

TEST_F(SqliteAlter, AnotherPrimaryKeyKeepsRowsAndObjects) {
  Relation a = base();
  Relation b =
      relation("public", "t", 100).column("id", oid::kInt4).column("n", oid::kText, primary);
  commit([&](Txn& t) { t.insert(a, {"1", "a"}).insert(a, {"2", "b"}); });
  build();
  commit([&](Txn& t) { t.schema(a, b).update(b, {"20", "b"}); });
  EXPECT_EQ(all(), "1|'a'\n20|'b'");
  EXPECT_EQ(rows("SELECT * FROM audit"), "20|'b'");
  EXPECT_EQ(objects(), kAllObjects);
  EXPECT_TRUE(warnings().empty());
}

TEST_F(SqliteAlter, AKeyColumnThatIsNewAndFilledMakesAKey) {
  Relation a = base();
  Relation b = relation("public", "t", 100).column("id", oid::kInt4, primary);
  b.column("n", oid::kText).column("tenant", oid::kInt4, primary);
  commit([&](Txn& t) { t.insert(a, {"1", "a"}).insert(a, {"2", "b"}); });
  build();
  commit([&](Txn& t) {
    t.schema(a, b, {}, {absent, absent, "7"}).insert(b, {"1", "other", "8"});
    t.update(b, {"1", "A", "7"});
  });
  EXPECT_EQ(rows("SELECT * FROM t ORDER BY id, tenant"), "1|'A'|7\n1|'other'|8\n2|'b'|7");
  EXPECT_EQ(rows("SELECT state FROM _walspout_tables"), "'live'");
  EXPECT_TRUE(warnings().empty());
}

TEST_F(SqliteAlter, ANewKeyThatOldRowsShareLosesThemNotInSilence) {
  Relation a = base();
  Relation b =
      relation("public", "t", 100).column("id", oid::kInt4).column("n", oid::kText, primary);
  commit([&](Txn& t) { t.insert(a, {"1", "same"}).insert(a, {"2", "same"}); });
  commit([&](Txn& t) { t.schema(a, b); });
  EXPECT_EQ(rows("SELECT state FROM _walspout_tables"), "'failed'");
  EXPECT_TRUE(logged("of 2 there are 1 left"));
}

TEST_F(SqliteAlter, ADroppedKeyColumnThatATriggerNeedsStays) {
  Relation a = relation("public", "t", 100).column("id", oid::kInt4, primary);
  a.column("n", oid::kText, primary);
  Relation b = relation("public", "t", 100).column("id", oid::kInt4, primary);
  insert(a, {"1", "a"});
  build();
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"2"}); });
  EXPECT_EQ(rows("SELECT * FROM seen ORDER BY 1"), "1|'a'\n2|null");
  EXPECT_EQ(objects(), kAllObjects);
}

TEST_F(SqliteAlter, NotNullSetOrDroppedChangesNothing) {
  Relation a = base();
  Relation b = relation("public", "t", 100).column("id", oid::kInt4, primary);
  b.column("n", oid::kText, WALSPOUT_COLUMN_NOT_NULL);
  insert(a, {"1", nullopt});
  build();
  const std::string before = rows("PRAGMA schema_version");
  commit([&](Txn& t) { t.schema(a, b).schema(b, a).update(a, {"1", "x"}); });
  EXPECT_EQ(rows("PRAGMA schema_version"), before);
  EXPECT_EQ(all(), "1|'x'");
}

TEST_F(SqliteAlter, AnotherReplicaIdentityKeepsKeyAndObjects) {
  Relation a = base();
  Relation b = relation("public", "t", 100).identity('f').column("id", oid::kInt4, primary);
  b.column("n", oid::kText, testing::key);
  insert(a, {"1", "a"});
  build();
  commit([&](Txn& t) { t.schema(a, b).update(b, {"1", "a"}, {"1", "b"}); });
  EXPECT_EQ(all(), "1|'b'");
  EXPECT_EQ(rows("SELECT * FROM audit"), "1|'b'");
  EXPECT_EQ(objects(), kAllObjects);
}

TEST_F(SqliteAlter, TheFirstSchemaAfterARestartHasNoOldShape) {
  Relation a = base();
  Relation b = relation("public", "t", 100).column("id", oid::kInt4, primary);
  b.column("label", oid::kText).column("p", oid::kText);
  insert(a, {"1", "a"});
  build();
  restart();
  commit([&](Txn& t) { t.schema(b).update(b, {"1", unchanged, "x"}); });
  EXPECT_EQ(all(), "1|'a'|'x'");
  EXPECT_EQ(rows("SELECT seen_n FROM seen"), "'a'");
  EXPECT_TRUE(warnings().empty());
}

TEST_F(SqliteAlter, SeveralShapesInOneTransaction) {
  Relation a = base(), b = base().column("p", oid::kText);
  Relation c = relation("public", "t", 100).column("id", oid::kInt4, primary);
  c.column("p", oid::kText);
  Relation d = relation("public", "t", 100).column("id", oid::kInt4, primary);
  d.column("pp", oid::kInt4);
  commit([&](Txn& t) {
    t.insert(a, {"1", "a"}).schema(a, b, {}, {absent, absent, "1"}).insert(b, {"2", "b", "2"});
    t.schema(b, c).insert(c, {"3", "3"}).schema(c, d, {0, 1}).insert(d, {"4", "4"});
  });
  EXPECT_EQ(rows("SELECT id, pp FROM t ORDER BY id"), "1|1\n2|2\n3|3\n4|4");
}

TEST_F(SqliteAlter, ALateRowOfAnOlderShapeFindsItsColumnUnderTheNewName) {
  Relation a = base();
  Relation b = relation("public", "t", 100).column("id", oid::kInt4, primary);
  b.column("label", oid::kText);
  insert(a, {"1", "a"});
  commit([&](Txn& t) { t.schema(a, b, {0, 1}).insert(b, {"2", "b"}); });
  commit([&](Txn& t) { t.insert(a, {"3", "late"}).update(a, {"1", "A"}); });
  EXPECT_EQ(all(), "1|'A'\n2|'b'\n3|'late'");
}

TEST_F(SqliteAlter, ACopyInANewShapeKeepsColumnsThatObjectsNeedAndSaysSoOnce) {
  Relation a = base();
  Relation b = relation("public", "t", 100).column("id", oid::kInt4, primary);
  b.column("other", oid::kText);
  insert(a, {"1", "a"});
  build();
  commit([&](Txn& t) { t.snapshot(1).copy_begin(b).insert(b, {"2", "x"}).copy_end(b); });
  EXPECT_EQ(rows("SELECT id, other FROM t"), "2|'x'");
  EXPECT_EQ(rows("SELECT * FROM seen"), "2|null");
  EXPECT_EQ(objects(), kAllObjects);
  ASSERT_EQ(warnings().size(), 1U);
  EXPECT_NE(warnings()[0].find("index mine, view seen, trigger watch"), std::string::npos)
      << warnings()[0];
  commit([&](Txn& t) { t.update(b, {"2", "y"}); });
  EXPECT_EQ(rows("SELECT * FROM audit"), "2|null");
}

TEST_F(SqliteAlter, AUniqueIndexThatNewRowsBreakIsDroppedAndItsTextLogged) {
  Relation a = base();
  insert(a, {"1", "a"});
  rows("CREATE UNIQUE INDEX one ON t(n)");
  commit([&](Txn& t) {
    t.snapshot(1).copy_begin(a).insert(a, {"1", "x"}).insert(a, {"2", "x"}).copy_end(a);
  });
  EXPECT_EQ(rows("SELECT count(*) FROM t"), "2");
  ASSERT_EQ(warnings().size(), 1U);
  EXPECT_NE(warnings()[0].find("index one does not fit any more and was dropped"),
            std::string::npos);
  EXPECT_NE(warnings()[0].find("CREATE UNIQUE INDEX one"), std::string::npos);
}

}  // namespace walspout::sqlite
