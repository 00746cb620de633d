#include "mirror_test.hpp"

namespace walspout::sqlite {

class SqliteNames : public MirrorTest {
 protected:
  static Relation table(const std::string& schema, const std::string& name) {
    return relation(schema, name).column("id", oid::kInt4, primary);
  }
  std::string mirror_of(const std::string& schema, const std::string& name) {
    return rows("SELECT mirror_table FROM _walspout_tables WHERE source_schema = '" + schema +
                "' AND source_table = '" + name + "'");
  }
};

TEST_F(SqliteNames, PublicIsLeftOutAndOtherSchemasArePrefixes) {
  insert(table("public", "orders"), {"1"});
  insert(table("shop", "orders"), {"2"});
  EXPECT_EQ(rows("SELECT id FROM orders"), "1");
  EXPECT_EQ(rows("SELECT id FROM shop_orders"), "2");
  EXPECT_EQ(rows("SELECT source_schema, source_table, mirror_table, state, pipeline, sink FROM "
                 "_walspout_tables ORDER BY 1"),
            "'public'|'orders'|'orders'|'live'|'test'|'sink'\n"
            "'shop'|'orders'|'shop_orders'|'live'|'test'|'sink'");
}

TEST_F(SqliteNames, NamesThatDifferInCaseOnlyGetASuffix) {
  insert(table("public", "Orders"), {"1"});
  insert(table("public", "orders"), {"2"});
  insert(table("public", "ORDERS"), {"3"});
  EXPECT_EQ(mirror_of("public", "Orders"), "'Orders'");
  EXPECT_EQ(mirror_of("public", "orders"), "'orders_2'");
  EXPECT_EQ(mirror_of("public", "ORDERS"), "'ORDERS_3'");
  EXPECT_TRUE(logged("public.orders is mirrored as table orders_2"));
}

TEST_F(SqliteNames, ATableOfOneSchemaDoesNotTakeThatOfAnother) {
  insert(table("a", "b_c"), {"1"});
  insert(table("a_b", "c"), {"2"});
  EXPECT_EQ(mirror_of("a_b", "c"), "'a_b_c_2'");
  EXPECT_EQ(rows("SELECT id FROM a_b_c"), "1");
}

TEST_F(SqliteNames, ReservedTableNamesAreMirrored) {
  insert(table("public", "_walspout_position"), {"1"});
  insert(table("public", "sqlite_stat9"), {"2"});
  EXPECT_EQ(mirror_of("public", "_walspout_position"), "'_walspout_position_2'");
  EXPECT_EQ(rows("SELECT id FROM _walspout_position_2"), "1");
  EXPECT_EQ(mirror_of("public", "sqlite_stat9"), "'_sqlite_stat9'");
  EXPECT_EQ(rows("SELECT id FROM _sqlite_stat9"), "2");
}

TEST_F(SqliteNames, TheUsersOwnObjectsKeepTheirNames) {
  sink();
  rows(
      "CREATE TABLE orders(mine TEXT); INSERT INTO orders VALUES ('keep'); "
      "CREATE VIEW items AS SELECT 1 AS one; CREATE INDEX stock ON orders(mine)");
  for (const char* name : {"orders", "items", "stock"}) insert(table("public", name), {"1"});
  EXPECT_EQ(rows("SELECT * FROM orders"), "'keep'");
  EXPECT_EQ(rows("SELECT * FROM items"), "1");
  EXPECT_EQ(rows("SELECT id FROM orders_2"), "1");
  EXPECT_EQ(rows("SELECT id FROM items_2"), "1");
  EXPECT_EQ(rows("SELECT id FROM stock_2"), "1");
}

TEST_F(SqliteNames, AwkwardIdentifiersAreOnlyNames) {
  Relation r = relation("my.Schema", "Or\"der; drop table x;--");
  r.column("select", oid::kInt4, primary).column("a.b", oid::kText).column("UPPER", oid::kInt4);
  r.column("sp ace", oid::kText).column("\xc3\xa9\xf0\x9f\x98\x80", oid::kText);
  r.column("%s", oid::kText).column("quo'te", oid::kText).column("rowid", oid::kInt4);
  r.column("end\nline", oid::kText);
  insert(r, {"1", "a", "1", "b", "c", "d", "e", "42", "f"});
  commit([&](Txn& t) {
    t.update(r, {"1", "a", "1", "b", "c", "d", "it's \"q\"", "42", unchanged});
  });
  EXPECT_EQ(rows("SELECT * FROM \"my.Schema_Or\"\"der; drop table x;--\""),
            "1|'a'|1|'b'|'c'|'d'|'it's \"q\"'|42|'f'");
  EXPECT_EQ(rows("SELECT count(*) FROM _walspout_columns"), "9");
}

TEST_F(SqliteNames, ANameOf63BytesIsKept) {
  const std::string name(63, 'n');
  insert(table("public", name), {"1"});
  EXPECT_EQ(mirror_of("public", name), "'" + name + "'");
}

TEST_F(SqliteNames, ColumnsThatDifferInCaseOnlyGetASuffixThatIsFree) {
  Relation r = relation("public", "c").column("a", oid::kInt4, primary);
  r.column("A", oid::kText).column("a_2", oid::kText).column("_walspout_row", oid::kText);
  insert(r, {"1", "upper", "second", "row"});
  EXPECT_EQ(rows("SELECT source_column, mirror_column FROM _walspout_columns ORDER BY 1"),
            "'A'|'A_3'\n'_walspout_row'|'_walspout_row_2'\n'a'|'a'\n'a_2'|'a_2'");
  EXPECT_EQ(rows("SELECT a, A_3, a_2 FROM c"), "1|'upper'|'second'");
  EXPECT_TRUE(logged("column A is mirrored as A_3"));
}

TEST_F(SqliteNames, ALogLineIsNotBrokenByAName) {
  insert(table("public", "two\nlines"), {"1"});
  insert(table("public", "TWO\nlines"), {"1"});
  for (const auto& line : sink().host.lines)
    EXPECT_EQ(line.second.find('\n'), std::string::npos) << line.second;
  EXPECT_TRUE(logged("TWO lines_2"));
}

TEST_F(SqliteNames, TheMapNamesTypesAsThePostgresUserKnowsThem) {
  Relation r = relation("public", "t").column("id", oid::kInt8, primary);
  r.type_name("bigint");
  insert(r, {"1"});
  EXPECT_EQ(rows("SELECT mirror_table, source_column, mirror_column, source_type FROM "
                 "_walspout_columns"),
            "'t'|'id'|'id'|'bigint'");
}

TEST_F(SqliteNames, NamesSurviveARestart) {
  insert(table("public", "orders"), {"1"});
  const Relation upper = relation("public", "ORDERS", 4711).column("id", oid::kInt4, primary);
  insert(upper, {"2"});
  restart();
  insert(upper, {"3"});
  EXPECT_EQ(rows("SELECT id FROM ORDERS_2 ORDER BY 1"), "2\n3");
  EXPECT_EQ(rows("SELECT count(*) FROM _walspout_tables"), "2");
}

}  // namespace walspout::sqlite
