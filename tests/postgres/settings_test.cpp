// Whatever the server, the database, the role or the environment set: values print alike.
#include <cstdlib>

#include "fixture.hpp"

namespace walspout::postgres {

class Settings : public WithDatabase {
 protected:
  Settings() {
    sql("DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'hostile') THEN "
        "CREATE ROLE hostile LOGIN SUPERUSER; END IF; END $$");
    for (const char* setting :
         {"DateStyle = 'SQL, DMY'", "IntervalStyle = 'sql_standard'", "TimeZone = 'Asia/Kathmandu'",
          "bytea_output = 'escape'", "extra_float_digits = -5", "client_encoding = 'LATIN1'",
          "search_path = 'public'", "statement_timeout = '50ms'", "lock_timeout = '50ms'",
          "idle_in_transaction_session_timeout = '50ms'", "row_security = on",
          "quote_all_identifiers = on"}) {
      sql("ALTER ROLE hostile IN DATABASE " + db_ + " SET " + setting);
    }
  }

  static void expect_pinned(Connection& conn) {
    const auto shown = [&](const std::string& name) {
      return conn.exec("SHOW " + name).string(0, 0);
    };
    EXPECT_EQ(shown("DateStyle"), "ISO, DMY");
    EXPECT_EQ(shown("IntervalStyle"), "postgres");
    EXPECT_EQ(shown("TimeZone"), "UTC");
    EXPECT_EQ(shown("bytea_output"), "hex");
    EXPECT_EQ(shown("extra_float_digits"), "3");
    EXPECT_EQ(shown("client_encoding"), "UTF8");
    EXPECT_EQ(shown("search_path"), "");
    EXPECT_EQ(shown("statement_timeout"), "0");
    EXPECT_EQ(shown("lock_timeout"), "0");
    EXPECT_EQ(shown("idle_in_transaction_session_timeout"), "0");
    EXPECT_EQ(shown("row_security"), "off");
    EXPECT_EQ(shown("quote_all_identifiers"), "off");
  }
};

TEST_F(Settings, AnOrdinaryConnectionIsPinned) {
  Connection conn = connect("hostile");
  expect_pinned(conn);
}

TEST_F(Settings, AReplicationConnectionIsPinned) {
  Connection conn = replicate("hostile");
  expect_pinned(conn);
}

TEST_F(Settings, TheEnvironmentDoesNotWin) {
  ::setenv("PGTZ", "Asia/Kathmandu", 1);
  ::setenv("PGDATESTYLE", "German", 1);
  ::setenv("PGOPTIONS", "-c extra_float_digits=0", 1);
  Connection conn = replicate("hostile");
  ::unsetenv("PGTZ");
  ::unsetenv("PGDATESTYLE");
  ::unsetenv("PGOPTIONS");
  EXPECT_EQ(conn.exec("SHOW TimeZone").string(0, 0), "UTC");
  EXPECT_EQ(conn.exec("SHOW DateStyle").string(0, 0).substr(0, 3), "ISO");
  EXPECT_EQ(conn.exec("SHOW extra_float_digits").string(0, 0), "3");
}

TEST_F(Settings, OptionsOfTheUrlAreKeptBesideThePins) {
  ConnectOptions wanted = options();
  wanted.url += " options='-c work_mem=7MB -c TimeZone=Asia/Tokyo'";
  wanted.replication = true;
  Connection conn(wanted, Interrupt());
  EXPECT_EQ(conn.exec("SHOW work_mem").string(0, 0), "7MB");
  EXPECT_EQ(conn.exec("SHOW TimeZone").string(0, 0), "UTC");
}

TEST_F(Settings, ASqlAsciiDatabaseGivesItsBytesAsTheyAre) {
  sql("CREATE DATABASE bytes_" + db_ + " TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'");
  ConnectOptions wanted;
  wanted.url = shared_server().url("bytes_" + db_);
  Connection conn(wanted, Interrupt());
  EXPECT_EQ(conn.server_encoding(), "SQL_ASCII");
  conn.exec("CREATE TABLE public.t (x text)");
  conn.exec("INSERT INTO public.t VALUES (convert_from('\\xff41', 'SQL_ASCII'))");
  EXPECT_EQ(conn.exec("SELECT x FROM public.t").string(0, 0), "\xff\x41");
}

TEST_F(Settings, ALatin1DatabaseGivesUtf8) {
  sql("CREATE DATABASE latin_" + db_ + " TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
  ConnectOptions wanted;
  wanted.url = shared_server().url("latin_" + db_);
  EXPECT_EQ(Connection(wanted, Interrupt()).exec("SELECT chr(228)").string(0, 0), "\xc3\xa4");
}

}  // namespace walspout::postgres
