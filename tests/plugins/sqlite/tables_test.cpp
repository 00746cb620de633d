// Which mirror belongs to which table: by oid, then by name.
#include "mirror_test.hpp"

namespace walspout::sqlite {

class SqliteTables : public MirrorTest {
 protected:
  static Relation table(const std::string& name, uint32_t oid) {
    return relation("public", name, oid).column("id", oid::kInt4, primary).column("v", oid::kText);
  }
  std::string map() {
    return rows(
        "SELECT source_table, mirror_table, state FROM _walspout_tables ORDER BY source_table");
  }
  std::string parked() { return rows("SELECT mirror_table FROM _walspout_parked ORDER BY 1"); }
  std::string reason() { return rows("SELECT reason FROM _walspout_tables"); }
  int warnings() {
    int n = 0;
    for (const auto& line : sink().host.lines) n += line.first >= WALSPOUT_WARN;
    return n;
  }
};

TEST_F(SqliteTables, ARenamedTableTakesIndexViewAndTriggerAlong) {
  Relation a = table("before", 100), b = table("after", 100);
  insert(a, {"1", "a"});
  rows(
      "CREATE TABLE audit(id); CREATE INDEX mine ON before(v); CREATE VIEW seen AS SELECT v FROM "
      "before; CREATE TRIGGER watch AFTER INSERT ON before BEGIN INSERT INTO audit VALUES "
      "(new.id); "
      "END");
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"2", "b"}); });
  EXPECT_EQ(rows("SELECT v FROM seen ORDER BY 1"), "'a'\n'b'");
  EXPECT_EQ(rows("SELECT id FROM audit"), "2");
  EXPECT_EQ(rows("SELECT name, tbl_name FROM sqlite_schema WHERE name IN ('mine', 'watch')"),
            "'mine'|'after'\n'watch'|'after'");
  EXPECT_EQ(map(), "'after'|'after'|'live'");
  EXPECT_EQ(warnings(), 0);
}

TEST_F(SqliteTables, ANameThatChangesItsCaseOnlyIsFollowed) {
  Relation a = table("orders", 100), b = table("Orders", 100);
  insert(a, {"1", "a"});
  rows("CREATE VIEW seen AS SELECT v FROM orders");
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"2", "b"}); });
  EXPECT_EQ(map(), "'Orders'|'Orders'|'live'");
  EXPECT_EQ(rows("SELECT count(*) FROM seen"), "2");
  EXPECT_EQ(rows("SELECT count(*) FROM _walspout_columns WHERE mirror_table = 'Orders'"), "2");
}

TEST_F(SqliteTables, ATableMovedToAnotherSchemaIsFollowed) {
  Relation a = table("t", 100);
  Relation b = relation("shop", "t", 100).column("id", oid::kInt4, primary).column("v", oid::kText);
  insert(a, {"1", "a"});
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"2", "b"}); });
  EXPECT_EQ(rows("SELECT id FROM shop_t ORDER BY 1"), "1\n2");
}

TEST_F(SqliteTables, ARenameUnderABrokenViewIsFollowedAndWhatStaysBehindIsNamedOnce) {
  Relation a = table("before", 100), b = table("after", 100);
  insert(a, {"1", "a"});
  rows(
      "CREATE TABLE gone(x); CREATE VIEW broken AS SELECT x FROM gone; DROP TABLE gone; "
      "CREATE VIEW seen AS SELECT v FROM before");
  commit([&](Txn& t) { t.schema(a, b).insert(b, {"2", "b"}); });
  EXPECT_EQ(rows("SELECT id FROM after ORDER BY 1"), "1\n2");
  EXPECT_TRUE(logged("view seen still names before"));
  EXPECT_EQ(warnings(), 1);
}

TEST_F(SqliteTables, TwoTablesSwapTheirNames) {
  Relation a = table("a", 100), b = table("b", 200);
  Relation a_now = table("b", 100), b_now = table("a", 200);
  commit([&](Txn& t) { t.insert(a, {"1", "of a"}).insert(b, {"2", "of b"}); });
  rows(
      "CREATE VIEW seen_a AS SELECT v FROM a; CREATE VIEW seen_b AS SELECT v FROM b; "
      "CREATE INDEX mine ON a(v); CREATE TABLE audit(id); "
      "CREATE TRIGGER watch AFTER INSERT ON b BEGIN INSERT INTO audit VALUES (new.id); END");
  commit([&](Txn& t) { t.schema(a, a_now).insert(a_now, {"3", "of a"}); });
  EXPECT_EQ(rows("SELECT id FROM b ORDER BY 1"), "1\n3");
  EXPECT_EQ(parked(), "'_walspout_parked_1'");
  commit([&](Txn& t) { t.schema(b, b_now).insert(b_now, {"4", "of b"}); });
  EXPECT_EQ(rows("SELECT id FROM b ORDER BY 1"), "1\n3");
  EXPECT_EQ(rows("SELECT id FROM a ORDER BY 1"), "2\n4");
  EXPECT_EQ(map(), "'a'|'a'|'live'\n'b'|'b'|'live'");
  EXPECT_EQ(rows("SELECT source_oid FROM _walspout_tables ORDER BY source_table"), "200\n100");
  EXPECT_EQ(parked(), "");
  // As at the source, they follow their table.
  EXPECT_EQ(rows("SELECT DISTINCT v FROM seen_a"), "'of a'");
  EXPECT_EQ(rows("SELECT DISTINCT v FROM seen_b"), "'of b'");
  EXPECT_EQ(rows("SELECT tbl_name FROM sqlite_schema WHERE name = 'mine'"), "'b'");
  EXPECT_EQ(rows("SELECT id FROM audit"), "4");
  EXPECT_EQ(warnings(), 0);
}

TEST_F(SqliteTables, ASwapIsSeenByItsFirstRowsTooOverARestartInBetween) {
  Relation a = table("a", 100), b = table("b", 200);
  Relation a_now = table("b", 100), b_now = table("a", 200);
  commit([&](Txn& t) { t.insert(a, {"1", "of a"}).insert(b, {"2", "of b"}); });
  restart();
  commit([&](Txn& t) { t.update(b_now, {"2", "b's"}); });
  restart();
  commit([&](Txn& t) { t.update(a_now, {"1", "a's"}); });
  EXPECT_EQ(rows("SELECT id, v FROM a"), "2|'b's'");
  EXPECT_EQ(rows("SELECT id, v FROM b"), "1|'a's'");
  EXPECT_EQ(sink().host.counters["unmatched_changes"], 0);
}

TEST_F(SqliteTables, ThreeTablesPassTheirNamesOnInOneTransaction) {
  Relation a = table("a", 100), b = table("b", 200), c = table("c", 300);
  Relation a_now = table("b", 100), b_now = table("c", 200), c_now = table("a", 300);
  commit([&](Txn& t) { t.insert(a, {"1", ""}).insert(b, {"2", ""}).insert(c, {"3", ""}); });
  commit([&](Txn& t) {
    t.schema(a, a_now).schema(b, b_now).schema(c, c_now);
    t.insert(a_now, {"10", ""}).insert(b_now, {"20", ""}).insert(c_now, {"30", ""});
  });
  EXPECT_EQ(rows("SELECT id FROM a ORDER BY 1"), "3\n30");
  EXPECT_EQ(rows("SELECT id FROM b ORDER BY 1"), "1\n10");
  EXPECT_EQ(rows("SELECT id FROM c ORDER BY 1"), "2\n20");
  EXPECT_EQ(parked(), "");
}

TEST_F(SqliteTables, ASwapThatIsUndoneLeavesNoTrace) {
  Relation a = table("a", 100), b = table("b", 200), a_now = table("b", 100);
  commit([&](Txn& t) { t.insert(a, {"1", ""}).insert(b, {"2", ""}); });
  Txn t(next());
  t.schema(a, a_now).insert(a_now, {"3", ""});
  ASSERT_TRUE(sink().write(t, 0, 2, WALSPOUT_FIRST).ok()) << sink().last().message;
  ASSERT_TRUE(sink().abort().ok());
  EXPECT_EQ(map(), "'a'|'a'|'live'\n'b'|'b'|'live'");
  commit([&](Txn& u) { u.insert(b, {"4", ""}); });
  EXPECT_EQ(rows("SELECT id FROM b ORDER BY 1"), "2\n4");
}

TEST_F(SqliteTables, ALateChangeUnderTheOldNameFindsItsTable) {
  Relation a = table("a", 100), b = table("b", 200);
  Relation a_now = table("b", 100), b_now = table("a", 200);
  commit([&](Txn& t) { t.insert(a, {"1", ""}).insert(b, {"2", ""}); });
  commit([&](Txn& t) { t.schema(a, a_now).schema(b, b_now).insert(a_now, {"3", ""}); });
  commit([&](Txn& t) { t.insert(a, {"9", "late"}); });
  EXPECT_EQ(rows("SELECT id FROM b ORDER BY 1"), "1\n3\n9");
  EXPECT_EQ(map(), "'a'|'a'|'live'\n'b'|'b'|'live'");
}

TEST_F(SqliteTables, ATableCreatedAnewKeepsTheOldRowsReadableUntilItIsCopied) {
  Relation old = table("t", 100);
  Relation fresh = relation("public", "t", 200).column("id", oid::kInt8, primary);
  fresh.column("w", oid::kText);
  insert(old, {"1", "old"});
  rows("CREATE VIEW seen AS SELECT id FROM t; CREATE INDEX mine ON t(id)");
  commit([&](Txn& t) { t.snapshot(1).copy_begin(fresh).insert(fresh, {"7", "new"}); });
  EXPECT_EQ(rows("SELECT id, v FROM t"), "1|'old'");
  EXPECT_EQ(map(), "'t'|'t'|'copying'");
  restart();
  commit([&](Txn& t) { t.shadow(1).insert(fresh, {"8", "new"}); });
  EXPECT_EQ(rows("SELECT id FROM seen"), "1");
  commit([&](Txn& t) { t.snapshot(1).copy_end(fresh); });
  EXPECT_EQ(rows("SELECT id, w FROM t ORDER BY 1"), "7|'new'\n8|'new'");
  EXPECT_EQ(rows("SELECT id FROM seen ORDER BY 1"), "7\n8");
  EXPECT_EQ(rows("SELECT tbl_name FROM sqlite_schema WHERE name = 'mine'"), "'t'");
  EXPECT_EQ(map(), "'t'|'t'|'live'");
  EXPECT_EQ(rows("SELECT source_oid FROM _walspout_tables"), "200");
  EXPECT_EQ(rows("SELECT source_column FROM _walspout_columns WHERE mirror_table = 't'"),
            "'id'\n'w'");
  EXPECT_EQ(warnings(), 0);
}

TEST_F(SqliteTables, ATableWhoseNameAnotherGotKeepsItsRowsAndTakesItsNewNameWhenThatComes) {
  Relation old = table("t", 100), fresh = table("t", 200), moved = table("t_old", 100);
  insert(old, {"1", "old"});
  commit([&](Txn& t) {
    t.snapshot(1).copy_begin(fresh).insert(fresh, {"7", "new"}).copy_end(fresh);
  });
  EXPECT_EQ(parked(), "'_walspout_parked_1'");
  commit([&](Txn& t) { t.schema(old, moved).insert(moved, {"2", "more"}); });
  EXPECT_EQ(rows("SELECT id, v FROM t"), "7|'new'");
  EXPECT_EQ(rows("SELECT id, v FROM t_old ORDER BY 1"), "1|'old'\n2|'more'");
  EXPECT_EQ(map(), "'t'|'t'|'live'\n't_old'|'t_old'|'live'");
  EXPECT_EQ(parked(), "");
}

TEST_F(SqliteTables, TheNewNameMayComeWhileTheOtherIsCopied) {
  Relation old = table("t", 100), fresh = table("t", 200), moved = table("t_old", 100);
  insert(old, {"1", "old"});
  commit([&](Txn& t) { t.snapshot(1).copy_begin(fresh).insert(fresh, {"7", "new"}); });
  commit([&](Txn& t) { t.schema(old, moved).insert(moved, {"2", "more"}); });
  EXPECT_EQ(map(), "'t'|'t'|'copying'\n't_old'|'t_old'|'live'");
  commit([&](Txn& t) { t.snapshot(1).copy_end(fresh); });
  EXPECT_EQ(rows("SELECT id FROM t"), "7");
  EXPECT_EQ(rows("SELECT id FROM t_old ORDER BY 1"), "1\n2");
  EXPECT_EQ(parked(), "");
}

TEST_F(SqliteTables, ATableThatIsGivenUpAfterItsNameWasTakenGoes) {
  Relation old = table("t", 100), fresh = table("t", 200);
  insert(old, {"1", "old"});
  commit([&](Txn& t) {
    t.snapshot(1).copy_begin(fresh).insert(fresh, {"7", "new"}).copy_end(fresh);
  });
  commit([&](Txn& t) { t.copy_failed(old, "dropped at the source"); });
  EXPECT_EQ(parked(), "");
  EXPECT_EQ(rows("SELECT name FROM sqlite_schema WHERE name = '_walspout_parked_1'"), "");
  EXPECT_EQ(rows("SELECT id FROM t"), "7");
  EXPECT_EQ(map(), "'t'|'t'|'live'");
}

TEST_F(SqliteTables, ATableThatIsGivenUpBeforeTheCopyOfItsSuccessorEndsStaysReadableUntilThen) {
  Relation old = table("t", 100), fresh = table("t", 200);
  insert(old, {"1", "old"});
  commit([&](Txn& t) { t.snapshot(1).copy_begin(fresh).insert(fresh, {"7", "new"}); });
  commit([&](Txn& t) { t.copy_failed(old, "dropped at the source"); });
  EXPECT_EQ(rows("SELECT id FROM t"), "1");
  EXPECT_EQ(map(), "'t'|'t'|'copying'");
  commit([&](Txn& t) { t.snapshot(1).copy_end(fresh); });
  EXPECT_EQ(rows("SELECT id FROM t"), "7");
  EXPECT_EQ(parked(), "");
  EXPECT_EQ(rows("SELECT count(*) FROM sqlite_schema WHERE name = '_walspout_parked_1'"), "0");
}

TEST_F(SqliteTables, OfTablesCreatedAnewAgainAndAgainOneIsKeptAtMost) {
  insert(table("t", 100), {"1", ""});
  for (uint32_t oid = 101; oid < 105; ++oid) {
    Relation fresh = table("t", oid);
    commit([&](Txn& t) {
      t.snapshot(oid).copy_begin(fresh).insert(fresh, {std::to_string(oid), ""}).copy_end(fresh);
    });
  }
  EXPECT_EQ(rows("SELECT id FROM t"), "104");
  EXPECT_EQ(rows("SELECT source_oid FROM _walspout_parked"), "103");
  EXPECT_EQ(rows("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name LIKE "
                 "'%parked\\__%' ESCAPE '\\'"),
            "1");
}

TEST_F(SqliteTables, ACopyOfASuccessorThatIsNotWantedGivesTheNameBack) {
  Relation old = table("t", 100), fresh = table("t", 200);
  insert(old, {"1", "old"});
  commit([&](Txn& t) { t.snapshot(1).copy_begin(fresh).insert(fresh, {"7", "new"}); });
  commit([&](Txn& t) { t.snapshot(1).copy_failed(fresh); });
  EXPECT_EQ(map(), "'t'|'t'|'live'");
  EXPECT_EQ(parked(), "");
  insert(old, {"2", "old"});
  EXPECT_EQ(rows("SELECT id FROM t ORDER BY 1"), "1\n2");
}

TEST_F(SqliteTables, ACopyOfASuccessorThatFailsIsMarkedAndTheOldRowsStay) {
  Relation old = table("t", 100), fresh = table("t", 200), moved = table("t_old", 100);
  insert(old, {"1", "old"});
  commit([&](Txn& t) { t.snapshot(1).copy_begin(fresh).insert(fresh, {"7", "new"}); });
  commit([&](Txn& t) { t.snapshot(1).copy_failed(fresh, "permission denied"); });
  EXPECT_EQ(map(), "'t'|'t'|'failed'");
  EXPECT_EQ(reason(), "'permission denied'");
  EXPECT_EQ(rows("SELECT id FROM t"), "1");
  commit([&](Txn& t) { t.schema(old, moved); });
  EXPECT_EQ(map(), "'t'|'t'|'failed'\n't_old'|'t_old'|'live'");
  commit([&](Txn& t) {
    t.snapshot(2).copy_begin(fresh).insert(fresh, {"8", "new"}).copy_end(fresh);
  });
  EXPECT_EQ(map(), "'t'|'t'|'live'\n't_old'|'t_old'|'live'");
  EXPECT_EQ(rows("SELECT id FROM t"), "8");
}

TEST_F(SqliteTables, WithoutACopyRowsOfAnotherTableRemoveTheOldOnesWithOneWarning) {
  Relation old = table("t", 100), fresh = table("t", 200);
  insert(old, {"1", "old"});
  insert(fresh, {"7", "new"});
  insert(fresh, {"8", "new"});
  EXPECT_EQ(rows("SELECT id FROM t ORDER BY 1"), "7\n8");
  EXPECT_EQ(warnings(), 1);
}

TEST_F(SqliteTables, ATableSwapsNamesWithOneThatWasNeverMirrored) {
  Relation live = table("live", 100), fresh = table("live", 200), moved = table("old", 100);
  insert(live, {"1", "old"});
  // The usual way to rewrite a table: the new one takes over the name, the old one is dropped.
  commit([&](Txn& t) {
    t.snapshot(1).copy_begin(fresh).insert(fresh, {"1", "new"}).copy_end(fresh);
  });
  commit([&](Txn& t) { t.copy_failed(moved, "dropped at the source"); });
  EXPECT_EQ(map(), "'live'|'live'|'live'");
  EXPECT_EQ(parked(), "");
}

TEST_F(SqliteTables, AMirrorThatTwoPipelinesShareIsParkedForItsOwnOnly) {
  Driver other(plugin(), {{"path", path()}});
  other.pipeline = "second";
  ASSERT_TRUE(other.open().ok());
  Relation a = table("a", 100), b = table("b", 200), a_now = table("b", 100);
  commit([&](Txn& t) { t.insert(a, {"1", ""}).insert(b, {"2", ""}); });
  Txn t(0x500);
  t.insert(b, {"77", ""});
  ASSERT_TRUE(other.deliver(t).ok()) << other.last().message;
  ASSERT_TRUE(other.flush().ok());
  commit([&](Txn& u) { u.schema(a, a_now).insert(a_now, {"3", ""}); });
  EXPECT_EQ(rows("SELECT id FROM b ORDER BY 1"), "1\n3");
  EXPECT_EQ(rows("SELECT id FROM b_2"), "77");
  EXPECT_EQ(rows("SELECT pipeline FROM _walspout_parked"), "'test'");
}

}  // namespace walspout::sqlite
