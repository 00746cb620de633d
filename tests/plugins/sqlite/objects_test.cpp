// The user's own things in the file, and his hand in ours.
#include "mirror_test.hpp"

namespace walspout::sqlite {

class SqliteUserObjects : public MirrorTest {
 protected:
  Relation item_ =
      relation("public", "item", 7).column("id", oid::kInt4, primary).column("v", oid::kText);
  std::string ids() { return rows("SELECT id FROM item ORDER BY id"); }
};

TEST_F(SqliteUserObjects, AnAbortingTriggerIsPoisonWithItsMessage) {
  insert(item_, {"1", "a"});
  rows(
      "CREATE TRIGGER no BEFORE INSERT ON item WHEN new.id = 3 BEGIN SELECT RAISE(ABORT, 'not "
      "this one'); END");
  Txn good(next()), bad(next());
  good.insert(item_, {"2", "b"});
  ASSERT_TRUE(sink().deliver(good).ok());
  bad.insert(item_, {"4", "d"}).insert(item_, {"3", "c"});
  const Reply reply = sink().deliver(bad);
  EXPECT_EQ(reply.status, WALSPOUT_POISON);
  EXPECT_EQ(reply.commit_lsn, bad.commit_lsn());
  EXPECT_EQ(reply.ordinal, 1U);
  EXPECT_NE(reply.message.find("public.item: not this one"), std::string::npos) << reply.message;
  EXPECT_EQ(sink().flush().durable, good.end_lsn());
  EXPECT_EQ(ids(), "1\n2");
}

TEST_F(SqliteUserObjects, ATriggerThatRollsEverythingBackLosesNothing) {
  insert(item_, {"1", "a"});
  rows(
      "CREATE TRIGGER no BEFORE INSERT ON item WHEN new.id = 3 BEGIN SELECT RAISE(ROLLBACK, "
      "'all of it'); END");
  Txn good(next()), bad(next());
  good.insert(item_, {"2", "b"});
  ASSERT_TRUE(sink().deliver(good).ok());
  bad.insert(item_, {"4", "d"}).insert(item_, {"3", "c"});
  EXPECT_EQ(sink().deliver(bad).status, WALSPOUT_POISON);
  EXPECT_EQ(sink().flush().durable, good.end_lsn());
  EXPECT_EQ(ids(), "1\n2");
}

TEST_F(SqliteUserObjects, ATriggerWhoseExpressionFailsIsPoison) {
  insert(item_, {"1", "a"});
  rows("CREATE TRIGGER no AFTER INSERT ON item BEGIN SELECT json_extract(new.v, '$.x'); END");
  Txn bad(next());
  bad.insert(item_, {"2", "{"});
  const Reply reply = sink().deliver(bad);
  EXPECT_EQ(reply.status, WALSPOUT_POISON);
  EXPECT_NE(reply.message.find("malformed JSON"), std::string::npos) << reply.message;
}

TEST_F(SqliteUserObjects, ATriggerThatCannotRunStopsWithOneClearLine) {
  insert(item_, {"1", "a"});
  rows(
      "CREATE TABLE audit(id); CREATE TRIGGER watch AFTER INSERT ON item BEGIN INSERT INTO audit "
      "VALUES (new.id); END; DROP TABLE audit");
  Txn t(next());
  t.insert(item_, {"2", "b"});
  const Reply reply = sink().deliver(t);
  EXPECT_EQ(reply.status, WALSPOUT_CONFIG);
  EXPECT_NE(reply.message.find("no such table: main.audit"), std::string::npos) << reply.message;
  EXPECT_EQ(reply.message.find('\n'), std::string::npos);
}

TEST_F(SqliteUserObjects, AUsersUniqueIndexThatARowBreaksIsPoison) {
  insert(item_, {"1", "a"});
  rows("CREATE UNIQUE INDEX one ON item(v)");
  Txn t(next());
  t.insert(item_, {"2", "a"});
  const Reply reply = sink().deliver(t);
  EXPECT_EQ(reply.status, WALSPOUT_POISON);
  EXPECT_NE(reply.message.find("UNIQUE constraint failed: item.v"), std::string::npos);
}

TEST_F(SqliteUserObjects, AnIndexAndAViewMadeWhileItRunsDoNoHarm) {
  insert(item_, {"1", "a"});
  rows("CREATE INDEX mine ON item(v); CREATE VIEW seen AS SELECT count(*) AS n FROM item");
  insert(item_, {"2", "b"});
  EXPECT_EQ(rows("SELECT n FROM seen"), "2");
}

TEST_F(SqliteUserObjects, ABrokenViewSomewhereDoesNotStopCopiesOrShapes) {
  insert(item_, {"1", "a"});
  rows("CREATE TABLE gone(x); CREATE VIEW broken AS SELECT x FROM gone; DROP TABLE gone");
  Relation wider = relation("public", "item", 7).column("id", oid::kInt4, primary);
  wider.column("label", oid::kText).column("w", oid::kText);
  commit([&](Txn& t) { t.schema(item_, wider, {0, 1, -1}).insert(wider, {"2", "b", "c"}); });
  EXPECT_EQ(rows("SELECT id, label, w FROM item ORDER BY 1"), "1|'a'|null\n2|'b'|'c'");
  commit([&](Txn& t) {
    t.snapshot(1).copy_begin(wider).insert(wider, {"7", "x", "y"}).copy_end(wider);
  });
  EXPECT_EQ(ids(), "7");
}

TEST_F(SqliteUserObjects, AMirrorTheUserDroppedIsMadeAnewAndMarked) {
  insert(item_, {"1", "a"});
  rows("DROP TABLE item");
  insert(item_, {"2", "b"});
  EXPECT_EQ(ids(), "2");
  EXPECT_EQ(rows("SELECT state, reason FROM _walspout_tables"),
            "'failed'|'the table was dropped from the mirror'");
  EXPECT_TRUE(logged("was dropped from the mirror; it is created anew"));
}

TEST_F(SqliteUserObjects, AColumnTheUserDroppedComesBack) {
  insert(item_, {"1", "a"});
  rows("ALTER TABLE item DROP COLUMN v");
  insert(item_, {"2", "b"});
  EXPECT_EQ(rows("SELECT id, v FROM item ORDER BY 1"), "1|null\n2|'b'");
}

}  // namespace walspout::sqlite
