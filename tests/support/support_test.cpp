// The harness must see what it is there to see.
#include <gtest/gtest.h>
#include <signal.h>

#include "support/canonical.hpp"
#include "support/json_lines.hpp"
#include "support/postgres_server.hpp"
#include "support/table_compare.hpp"
#include "support/tcp_proxy.hpp"

namespace walspout::test {
namespace {

using Json = nlohmann::json;

Json event(const std::string& id) { return {{"id", id}, {"op", "insert"}}; }

TEST(OrderFault, SeesAnEventThatIsThereTwice) {
  const std::vector<Json> once = {event("000000000000000A-0"), event("000000000000000A-1")};
  EXPECT_EQ(order_fault(once), "");
  EXPECT_NE(order_fault({once[0], once[1], once[0]}), "");
}

TEST(OrderFault, SeesALaterCommitBeforeAnEarlierOne) {
  EXPECT_NE(order_fault({event("000000000000000B-0"), event("000000000000000A-0")}), "");
  EXPECT_NE(order_fault({event("000000000000000A-1"), event("000000000000000A-0")}), "");
}

TEST(JsonLines, TornLastLineIsAFault) {
  const TempDir dir;
  write_file(dir / "lines", "{\"a\":1}\n{\"b\"");
  EXPECT_THROW(read_json_lines(dir / "lines"), std::runtime_error);
  write_file(dir / "lines", "{\"a\":1}\nnothing\n");
  EXPECT_THROW(read_json_lines(dir / "lines"), std::runtime_error);
}

TEST(JsonLines, EmbeddedJsonMayHoldWhatNoDoubleAndNoStringCan) {
  const TempDir dir;
  write_file(dir / "lines", R"({"a":"\udbff","b":"\\ud83d","n":1E500,"m":-1e+400})"
                            "\n");
  const auto lines = read_json_lines(dir / "lines");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].at("b"), R"(\ud83d)");
}

TEST(Canonical, SameValueOfSourceAndMirrorHasOneForm) {
  const auto same = [](const ColumnType& type, const char* text, const SqlValue& value) {
    EXPECT_EQ(canonical_source(type, text), canonical_mirror(type, value)) << type.name;
  };
  same({"int8"}, "9007199254740993", std::int64_t{9007199254740993});
  same({"bool"}, "t", std::int64_t{1});
  same({"float8"}, "0.30000000000000004", 0.1 + 0.2);
  same({"float8"}, "-0", 0.0);
  same({"float8"}, "NaN", std::string("NaN"));
  same({"numeric", false, 12}, "12.00", std::int64_t{12});
  same({"numeric", false, 12}, "12.50", 12.5);
  same({"numeric"}, "12.50", std::string("12.50"));
  same({"bytea"}, "\\x00ff", Blob{std::string("\0\xff", 2)});
  same({"timestamptz"}, "2026-01-31 12:00:00.5+00", std::string("2026-01-31 12:00:00.5+00:00"));
  same({"timestamptz"}, "0001-01-01 00:00:00+00 BC", std::string("0001-01-01 00:00:00+00 BC"));
  same({"int4", true}, "{{1,NULL},{2,3}}", std::string("[[1,null],[2,3]]"));
  same({"text", true}, "[2:3]={\"a,\\\"b\",NULL}", std::string("[\"a,\\\"b\",null]"));
}

TEST(Canonical, OtherValuesHaveOtherForms) {
  const auto differ = [](const ColumnType& type, const char* text, const SqlValue& value) {
    EXPECT_NE(canonical_source(type, text), canonical_mirror(type, value)) << type.name;
  };
  differ({"int8"}, "9007199254740993", std::int64_t{9007199254740992});
  differ({"text"}, "", std::monostate());
  differ({"text"}, "1", std::int64_t{1});
  differ({"numeric"}, "12.50", std::string("12.5"));
  differ({"numeric"}, "12.50", 12.5);
  differ({"text", true}, "{\"NULL\"}", std::string("[null]"));
  differ({"bytea"}, "\\x5c78", std::string("\\x"));
}

TEST(TableCompare, SeesAMissingAnExtraAndAChangedRow) {
  PostgresServer& server = shared_server();
  server.sql("postgres",
             "create table t (id integer, v text); insert into t values (1, 'a'), "
             "(2, 'b'); create publication p for table t");
  const TempDir dir;
  write_file(dir / "m.db", "");
  SqliteFile file(dir / "m.db", SqliteFile::Mode::kWrite);
  file.exec("create table _walspout_tables (source_schema, source_table, mirror_table, state)");
  file.exec("create table _walspout_columns (mirror_table, source_column, mirror_column)");
  file.exec("insert into _walspout_tables values ('public', 't', 't', 'live')");
  file.exec("insert into _walspout_columns values ('t', 'id', 'id'), ('t', 'v', 'v')");
  file.exec("create table t (id integer, v text)");
  const auto compare = [&] { return mirror_difference(server, "postgres", "p", dir / "m.db"); };
  file.exec("insert into t values (1, 'a')");
  EXPECT_NE(compare(), "");
  file.exec("insert into t values (2, 'b')");
  EXPECT_EQ(compare(), "");
  file.exec("insert into t values (2, 'b')");
  EXPECT_NE(compare(), "") << "a row that is there twice";
  file.exec("delete from t where id = 2");
  file.exec("insert into t values (2, 'c')");
  EXPECT_NE(compare(), "");
  file.exec("update t set v = 'b' where id = 2");
  EXPECT_EQ(compare(), "");
  file.exec("update _walspout_tables set state = 'copying'");
  EXPECT_NE(compare(), "") << "a table that is not live";
}

TEST(PostgresServer, IsThereAgainAfterARestartOfEitherKind) {
  PostgresServer server;
  server.sql("postgres", "create table t (id integer)");
  server.restart(PostgresServer::How::kFast);
  server.sql("postgres", "insert into t values (1)");
  server.restart(PostgresServer::How::kImmediate);
  EXPECT_EQ(server.value("postgres", "select count(*) from t"), "1");
}

TEST(TcpProxy, CutsAfterSoManyBytes) {
  TcpProxy proxy(shared_server().socket_path());
  Session session(proxy.url("postgres"));
  EXPECT_EQ(session.value("select 1"), "1");
  proxy.cut_after(100'000);
  EXPECT_THROW(session.query("select repeat('x', 1000) from generate_series(1, 1000)"),
               std::runtime_error);
  EXPECT_TRUE(proxy.limit_reached());
  EXPECT_EQ(Session(proxy.url("postgres")).value("select 2"), "2");
  EXPECT_EQ(proxy.accepted(), 2);
}

TEST(Process, IsKilledWithItsObject) {
  const TempDir dir;
  pid_t pid = 0;
  {
    const Process process({{"sleep", "1000"}}, dir / "log");
    pid = process.pid();
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_NE(kill(pid, 0), 0);
}

}  // namespace
}  // namespace walspout::test
