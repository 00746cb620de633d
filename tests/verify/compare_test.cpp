// What verify finds, and that it finds nothing else.
#include "verify/fixture.hpp"
#include "verify/type_values.hpp"

namespace walspout::test {
namespace {

class Verify : public VerifyTest {};

TEST_F(Verify, ValuesOfEveryTypeAreEqualHoweverTheyCame) {
  sql(kTypes);
  std::string columns, copied, streamed;
  int number = 0;
  std::vector<std::string> inserts;
  for (const TypeValues& one : type_values(server().value("postgres", "show server_version_num"))) {
    const std::string column = "c" + std::to_string(++number);
    columns += ", " + column + " " + one.type;
    int row = 0;
    for (const std::string& value : one.values)
      inserts.push_back(filled("insert into {} (id, $1) values ($2, ($3)::$4)",
                               {column, std::to_string(number * 100 + ++row), value, one.type}));
  }
  const auto into = [&](const std::string& table) {
    std::vector<std::string> texts = inserts;
    for (std::string& text : texts) text.replace(text.find("{}"), 2, table);
    transactions(texts);
  };
  for (const char* table : {"copied", "streamed", "keyless"})
    sql("create table " + std::string(table) + " (id int" +
        (std::string(table) == "keyless" ? "" : " primary key") + columns + ")");
  sql("alter table keyless replica identity full");
  into("copied");
  start_mirror();
  into("streamed");
  into("keyless");
  host().wait_caught_up();
  expect_equal();
  EXPECT_TRUE(printed("public.streamed: " + std::to_string(inserts.size()) + " rows, equal"))
      << last_.output;
}

TEST_F(Verify, OptionNumericIsFollowed) {
  sql("create table t (id int primary key, a numeric, b numeric(10,2), c numeric(30,10)[])");
  sql("insert into t values (1, 0.1000, 12.50, '{1.5,NaN}'), (2, 'NaN', 'NaN', null),"
      " (3, 1e30, 0, '{}')");
  config().sinks[0].options.emplace_back("numeric = \"real\"");
  start_mirror();
  expect_equal();
  in_mirror("update t set a = 0.1 + 1e-18 where id = 1");  // the same double
  expect_equal();
  in_mirror("update t set a = 0.10000000000000002 where id = 1");
  expect_differences(
      {"public.t (id=1): differs in: a (source '0.1000', mirror '0.10000000000000002')"});
}

TEST_F(Verify, EachDifferingRowIsPrintedWithItsColumns) {
  sql("create table t (id int primary key, name text, tags text[], at timestamptz)");
  sql("insert into t select g, 'name ' || g, array['a' || g], '2026-01-31 12:00+00'"
      " from generate_series(1, 1000) g");
  start_mirror();
  expect_equal();
  in_mirror("update t set name = 'other', tags = '[\"b\"]' where id = 17");
  in_mirror("update t set name = null where id = 18");
  in_mirror("update t set at = '2026-01-31 12:00:01+00:00' where id = 19");
  in_mirror("delete from t where id = 500");
  in_mirror("insert into t (id, name) values (2000, 'x')");
  const std::string two =
      "name (source 'name 17', mirror 'other'), tags (source '{a17}', mirror '[\"b\"]')";
  const std::string time = "at (source '2026-01-31 12:00:00+00', mirror '2026-01-31 12:00:01+00')";
  expect_differences({"public.t (id=17): differs in: " + two,
                      "public.t (id=18): differs in: name (source 'name 18', mirror NULL)",
                      "public.t (id=19): differs in: " + time,
                      "public.t (id=500): missing in the mirror",
                      "public.t (id=2000): extra in the mirror"});
  EXPECT_TRUE(printed("public.t: 1000 rows, 5 of them differ")) << last_.output;
}

TEST_F(Verify, LongValuesAreCutAndControlCharactersShown) {
  sql("create table t (id text primary key, v text)");
  sql("insert into t values (E'a b\\nc', repeat('x', 5000))");
  start_mirror();
  in_mirror("update t set v = v || 'y'");
  const std::string x(60, 'x');
  expect_differences({"public.t (id='a b\\nc'): differs in: v (source '" + x +
                      "'... (5000 bytes), mirror '" + x + "'... (5001 bytes))"});
}

TEST_F(Verify, KeysOfAllKinds) {
  sql("create table pair (a text, b int, v text, primary key (b, a));"
      "create table num (n numeric(10,2) primary key, v text);"
      "create table id (u uuid primary key, v text);"
      "create table flag (f float8, t timestamptz, v text, primary key (f, t));"
      "create table list (k int[] primary key, v text);"
      "create table idx (id int primary key, mail text not null unique, v text);"
      "alter table idx replica identity using index idx_mail_key;"
      "create table whole (id int primary key, v text); alter table whole replica identity full");
  sql("insert into pair select 'k' || g % 7, g, 'v' from generate_series(1, 500) g;"
      "insert into num select g / 4.0, 'v' from generate_series(1, 500) g;"
      "insert into id select gen_random_uuid(), 'v' from generate_series(1, 500) g;"
      "insert into flag select g / 3.0, '2026-01-01', 'v' from generate_series(1, 500) g;"
      "insert into list select array[g, g + 1], 'v' from generate_series(1, 500) g;"
      "insert into idx select g, 'm' || g, 'v' from generate_series(1, 500) g;"
      "insert into whole select g, 'v' from generate_series(1, 500) g");
  start_mirror();
  expect_equal();
  in_mirror("update pair set v = 'x' where b = 8");
  in_mirror("delete from num where n = 2.5");
  in_mirror("update flag set v = 'x' where f = 1");
  in_mirror("update list set v = 'x' where k = '[3,4]'");
  in_mirror("delete from list where k = '[5,6]'");
  in_mirror("update idx set v = 'x' where id = 9");
  in_mirror("update whole set v = 'x' where id = 9");
  const std::string differs = "differs in: v (source 'v', mirror 'x')";
  expect_differences(
      {"public.pair (b=8, a=k1): " + differs, "public.num (n=2.50): missing in the mirror",
       "public.flag (f=1, t='2026-01-01 00:00:00+00'): " + differs,
       "public.list (k='{3,4}'): " + differs, "public.list (k='{5,6}'): missing in the mirror",
       "public.idx (mail=m9): " + differs, "public.whole (id=9): " + differs});
}

TEST_F(Verify, ATableWithoutKeyIsComparedAsAMultiset) {
  sql("create table t (a int, b text); alter table t replica identity full");
  sql("insert into t select g % 100, 'x' from generate_series(1, 1000) g");
  start_mirror();
  expect_equal();
  in_mirror("delete from t where rowid in (select rowid from t where a = 5 limit 3)");
  in_mirror("update t set b = 'y' where rowid = (select min(rowid) from t where a = 7)");
  in_mirror("insert into t values (1000, null)");
  expect_differences({"public.t (a=5, b=x): 3 times missing in the mirror",
                      "public.t (a=7, b=x): missing in the mirror",
                      "public.t (a=7, b=y): extra in the mirror",
                      "public.t (a=1000, b=NULL): extra in the mirror"});
}

TEST_F(Verify, FiltersListsPartitionsAndExcludedColumnsAreTheMirrorsOwn) {
  if (server().value("postgres", "show server_version_num") < "150000")
    GTEST_SKIP() << "no row filters and column lists before PostgreSQL 15";
  sql("create table filtered (id int primary key, v text);"
      "create table listed (id int primary key, v text, secret text);"
      "create table hidden (id int primary key, v text, secret text);"
      "create table root (id int, day date, v text, primary key (id, day)) partition by range "
      "(day);"
      "create table p1 partition of root for values from ('2026-01-01') to ('2026-02-01');"
      "create table p2 partition of root for values from ('2026-02-01') to ('2026-03-01');"
      "create table made (id int primary key, a int, b int generated always as (a + 1) stored);"
      "create schema other; create table other.t (id int primary key)");
  sql("insert into filtered select g, 'v' from generate_series(1, 100) g;"
      "insert into listed select g, 'v', 's' from generate_series(1, 100) g;"
      "insert into hidden select g, 'v', 's' from generate_series(1, 100) g;"
      "insert into root select g, '2026-01-01'::date + g % 50, 'v' from generate_series(1, 100) g;"
      "insert into made select g, g from generate_series(1, 100) g; insert into other.t values "
      "(1)");
  sql("create publication walspout for table filtered where (id > 10), listed (id, v), hidden, "
      "root,"
      " made, other.t with (publish_via_partition_root)");
  config().sinks[0].more = {"tables = [\"public.*\"]",
                            "exclude_columns = [\"public.hidden.secret\"]"};
  start_mirror();
  expect_equal();
  EXPECT_TRUE(printed("public.filtered: 90 rows, equal")) << last_.output;
  EXPECT_FALSE(printed("other.t")) << "the sink does not take it";
  in_mirror("update root set v = 'x' where id = 60");
  in_mirror("insert into filtered values (5, 'v')");
  expect_differences({"public.root (id=60, day=2026-01-11): differs in: v (source 'v', mirror 'x')",
                      "public.filtered (id=5): extra in the mirror"});
}

TEST_F(Verify, TablesThatTheMirrorHasNotWholeAreNamedAndNotEqual) {
  sql("create table good (id int primary key); create table bad (id int primary key);"
      "create table busy (id int primary key)");
  start_mirror();
  in_mirror(
      "update _walspout_tables set state = 'failed', reason = 'no rights' where "
      "source_table = 'bad'");
  in_mirror("update _walspout_tables set state = 'copying' where source_table = 'busy'");
  verify();
  EXPECT_EQ(last_.status, 1);
  EXPECT_TRUE(printed("public.good: 0 rows, equal")) << last_.output;
  EXPECT_TRUE(printed("public.bad: not compared: it has failed: no rights")) << last_.output;
  EXPECT_TRUE(printed("public.busy: not compared: it is being copied")) << last_.output;
  EXPECT_TRUE(printed("2 not compared")) << last_.output;
  expect_equal({"good"});
}

}  // namespace
}  // namespace walspout::test
