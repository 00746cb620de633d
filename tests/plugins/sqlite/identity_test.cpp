#include "mirror_test.hpp"

namespace walspout::sqlite {

class SqliteIdentity : public MirrorTest {
 protected:
  int64_t unmatched() { return sink().host.counters["unmatched_changes"]; }
};

TEST_F(SqliteIdentity, WholeRowsAreFoundDespiteNulls) {
  Relation r = relation("public", "reading").identity('f').column("at", oid::kTimestamptz);
  r.column("truck", oid::kInt4).column("kms", oid::kFloat8).column("note", oid::kText);
  const char* at = "2024-01-01 00:00:00+00";
  commit([&](Txn& t) {
    t.insert(r, {at, "10", "10", nullopt}).insert(r, {at, "20", nullopt, nullopt});
    t.insert(r, {nullopt, nullopt, nullopt, nullopt});
  });
  commit([&](Txn& t) {
    t.update(r, {at, "20", nullopt, nullopt}, {at, "20", "300", nullopt});
    t.update(r, {at, "10", "10", nullopt}, {at, "10", "10", "x"});
    t.remove(r, {nullopt, nullopt, nullopt, nullopt});
    t.insert(r, {nullopt, "1", nullopt, ""}).insert(r, {nullopt, "1", nullopt, nullopt});
    t.remove(r, {nullopt, "1", nullopt, ""});
  });
  EXPECT_EQ(rows("SELECT truck, kms, note FROM reading ORDER BY truck"),
            "1|null|null\n10|r10|'x'\n20|r300|null");
  EXPECT_EQ(unmatched(), 0);
}

TEST_F(SqliteIdentity, WholeRowsAreComparedInTheirStoredForm) {
  Relation r = relation("public", "mixed").identity('f').column("f4", oid::kFloat4);
  r.column("f8", oid::kFloat8).column("n", oid::kNumeric).column("j", oid::kJson);
  r.column("b", oid::kBytea).column("ts", oid::kTimestamptz).column("a", oid::kTextArray);
  r.column("p", oid::kNumeric).type_mod((5 << 16 | 2) + 4).column("o", oid::kBool);
  r.column("t", oid::kText);
  const std::vector<Row> before = {{"0.1", "0.30000000000000004", "1.10", "{\"a\":1,  \"b\":2}",
                                    "\\x00", "infinity", "{a,NULL}", "1.50", "t", "a"},
                                   {"1.6777216e+07", "1e+23", "NaN", "[]", "\\x",
                                    "0044-03-15 00:00:00+00 BC", "{}", "NaN", "f", "b"},
                                   {"NaN", "-0", "1.1", "null", nullopt, "2024-01-01 00:00:00.5+00",
                                    nullopt, "2.00", nullopt, "c"}};
  commit([&](Txn& t) {
    for (const Row& row : before) t.insert(r, row);
  });
  commit([&](Txn& t) {
    for (Row row : before) {
      const Row old = row;
      row.back() = "new";
      t.update(r, old, row);
    }
  });
  EXPECT_EQ(unmatched(), 0);
  EXPECT_EQ(rows("SELECT n, p FROM mixed WHERE t = 'new' ORDER BY n"),
            "'1.1'|2\n'1.10'|r1.5\n'NaN'|'NaN'");
  commit([&](Txn& t) {
    for (Row row : before) {
      row.back() = "new";
      t.remove(r, row);
    }
  });
  EXPECT_EQ(unmatched(), 0);
  EXPECT_EQ(rows("SELECT count(*) FROM mixed"), "0");
}

TEST_F(SqliteIdentity, OneOfSeveralEqualRowsIsChanged) {
  Relation r = relation("public", "dup").identity('f').column("v", oid::kText);
  commit([&](Txn& t) { t.insert(r, {"x"}).insert(r, {"x"}).insert(r, {"x"}); });
  commit([&](Txn& t) { t.update(r, {"x"}, {"y"}).remove(r, {"x"}); });
  EXPECT_EQ(rows("SELECT v FROM dup ORDER BY v"), "'x'\n'y'");
}

TEST_F(SqliteIdentity, AUsersIndexServesTheSearchForWholeRows) {
  Relation r = relation("public", "dup").identity('f').column("v", oid::kText);
  insert(r, {"x"});
  rows("CREATE INDEX mine ON dup(v)");
  EXPECT_NE(rows("EXPLAIN QUERY PLAN DELETE FROM dup WHERE rowid = (SELECT rowid FROM dup WHERE v "
                 "IS 'x' LIMIT 1)")
                .find("mine"),
            std::string::npos);
}

class SqliteIdentitySwitch : public SqliteIdentity {
 protected:
  Relation shape(char identity) {
    const bool whole = identity == 'f', index = identity == 'i';
    Relation r = relation("public", "sw", 4711).identity(identity);
    r.column("id", oid::kInt4, WALSPOUT_COLUMN_PRIMARY | (index ? 0U : testing::key));
    r.column("u", oid::kText, whole || index ? testing::key : 0U);
    r.column("v", oid::kInt4, whole ? testing::key : 0U);
    return r;
  }
};

TEST_F(SqliteIdentitySwitch, TheLocatorFollowsAndTheTableStaysOne) {
  const Relation def = shape('d'), full = shape('f'), index = shape('i'), again = shape('d');
  commit([&](Txn& t) {
    t.insert(def, {"1", "a", "1"}).insert(def, {"2", "b", "2"}).insert(def, {"3", "c", "3"});
  });
  commit([&](Txn& t) { t.update(def, {"1", "a", "10"}); });
  commit([&](Txn& t) {
    t.schema(def, full).update(full, {"2", "b", "2"}, {"2", "b", "20"});
    t.update(full, {"1", "a", "10"}, {"11", "a", "10"});
  });
  commit([&](Txn& t) {
    t.schema(full, index).update(index, {"3", "c", "30"});
    t.update(index, {absent, "c", absent}, {"3", "cc", "30"});
  });
  EXPECT_NE(rows("EXPLAIN QUERY PLAN UPDATE sw SET v = 1 WHERE u = 'cc'").find("USING INDEX"),
            std::string::npos);
  commit([&](Txn& t) {
    t.schema(index, again).update(again, {"2", absent, absent}, {"12", "b", "20"});
    t.remove(again, {"3", absent, absent});
  });
  EXPECT_EQ(rows("SELECT id, u, v FROM sw ORDER BY id"), "11|'a'|10\n12|'b'|20");
  EXPECT_EQ(unmatched(), 0);
  EXPECT_EQ(rows("SELECT name FROM sqlite_schema WHERE tbl_name LIKE 'sw%'"), "'sw'");
}

TEST_F(SqliteIdentitySwitch, AFullRootOfDefaultPartitionsIsLocatedByItsPrimaryKey) {
  const Relation full = shape('f');
  commit([&](Txn& t) {
    t.insert(full, {"1", "a", "1"}).insert(full, {"2", "b", "2"}).insert(full, {"102", "d", "4"});
  });
  commit([&](Txn& t) {
    t.update(full, {"1", "a", "9"});          // no old row
    t.remove(full, {"2", nullopt, nullopt});  // tagged full, but only the key
    t.update(full, {"102", nullopt, nullopt}, {"3", "d", "4"});
    t.update(full, {"1", "a", "9"}, {"1", "AA", "9"});
    t.update(full, {"3", "d", "4"}, {"3", nullopt, "4"});
    t.remove(full, {"3", nullopt, "4"});
  });
  EXPECT_EQ(rows("SELECT id, u, v FROM sw"), "1|'AA'|9");
  EXPECT_EQ(unmatched(), 0);
}

TEST_F(SqliteIdentity, WithoutAPrimaryKeyTheIdentityIndexIsTheKey) {
  Relation r = relation("public", "ix").identity('i').column("v", oid::kText);
  r.column("b", oid::kInt4, testing::key).column("a", oid::kText, testing::key);
  commit([&](Txn& t) { t.insert(r, {"x", "1", "k"}).insert(r, {"y", "2", "k"}); });
  commit([&](Txn& t) {
    t.update(r, {"z", "1", "k"}).update(r, {absent, "2", "k"}, {"w", "3", "k"});
  });
  EXPECT_EQ(rows("SELECT b, v FROM ix ORDER BY 1"), "1|'z'\n3|'w'");
  EXPECT_EQ(rows("SELECT name FROM pragma_table_info('ix') WHERE pk > 0 ORDER BY pk"), "'b'\n'a'");
  commit([&](Txn& t) { t.remove(r, {absent, "3", "k"}); });
  EXPECT_EQ(rows("SELECT b FROM ix"), "1");
}

TEST_F(SqliteIdentity, ATableThatOnlyTakesInsertsHasNoKey) {
  Relation r = relation("public", "log").identity('n').column("v", oid::kText);
  commit([&](Txn& t) { t.insert(r, {"x"}).insert(r, {"x"}); });
  EXPECT_EQ(rows("SELECT v FROM log"), "'x'\n'x'");
}

TEST_F(SqliteIdentity, AChangeWithoutAnyKeyIsPoison) {
  Relation r = relation("public", "log").identity('f').column("v", oid::kText);
  Txn update(next()), remove(next());
  update.update(r, {"x"});
  EXPECT_EQ(sink().deliver(update).status, WALSPOUT_POISON);
  Relation d = relation("public", "e").column("id", oid::kInt4, primary).column("v", oid::kText);
  remove.remove(d, {absent, absent});
  EXPECT_EQ(sink().deliver(remove).status, WALSPOUT_POISON);
}

}  // namespace walspout::sqlite
