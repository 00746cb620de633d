#include "fixture.hpp"
#include "postgres/quote.hpp"
#include "support/tcp_proxy.hpp"

namespace walspout::postgres {

using ::testing::HasSubstr;
using ::testing::Not;

class Connect : public WithDatabase {
 protected:
  static ConnectOptions to(const std::string& url) {
    ConnectOptions options;
    options.url = url;
    return options;
  }
  static Connection open(const std::string& url) { return Connection(to(url), Interrupt()); }
};

TEST_F(Connect, AnUnknownDatabaseIsRefusedByName) {
  const std::string text = message_of<Refused>([&] { open(shared_server().url("nowhere")); });
  EXPECT_THAT(text, HasSubstr("database \"nowhere\" does not exist (SQLSTATE 3D000)"));
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_THAT(text, Not(HasSubstr("LOCATION")));
}

TEST_F(Connect, AnUnknownHostIsTriedAgainAndItsPasswordIsNotShown) {
  const std::string text = message_of<ConnectionLost>(
      [&] { open("postgresql://repl:S3cr3tPw%21@no-such-host.invalid/shop"); });
  EXPECT_THAT(text, HasSubstr("host no-such-host.invalid port 5432, database shop, user repl"));
  EXPECT_THAT(text, Not(HasSubstr("S3cr3tPw")));
}

TEST_F(Connect, AClosedPortIsTriedAgain) {
  EXPECT_THAT(message_of<ConnectionLost>([&] { open("host=127.0.0.1 port=1 password=S3cr3tPw"); }),
              HasSubstr("Connection refused"));
}

TEST_F(Connect, AWrongPasswordIsRefusedAndNotShown) {
  test::PostgresServer::Options options;
  options.hba = {"local all locked scram-sha-256"};
  test::PostgresServer server(options);
  server.sql("postgres", "CREATE ROLE locked LOGIN PASSWORD 'right'");
  const std::string url = server.url("postgres", "locked");
  const std::string text = message_of<Refused>([&] { open(url + " password=S3cr3tPw!"); });
  EXPECT_THAT(text, HasSubstr("password authentication failed for user \"locked\""));
  EXPECT_THAT(text, Not(HasSubstr("S3cr3tPw")));
  EXPECT_THAT(message_of<Refused>([&] { open(url); }), HasSubstr("give a password"));
  EXPECT_NO_THROW(open(url + " password=right"));
}

TEST_F(Connect, ARoleWithoutReplicationIsRefusedTheStream) {
  sql("CREATE ROLE plain LOGIN");
  EXPECT_THAT(message_of<Refused>([&] { replicate("plain"); }), HasSubstr("SQLSTATE 42501"));
}

TEST_F(Connect, TheSecondHostIsUsedWhenTheFirstIsDown) {
  const Connection conn = open("host=127.0.0.1," + shared_server().socket_directory() +
                               " port=1,5432 user=postgres dbname=" + db_);
  EXPECT_THAT(conn.where(), HasSubstr(shared_server().socket_directory()));
}

TEST_F(Connect, AHostThatNeverAnswersIsLeftAfterTheTimeoutForTheNext) {
  test::TcpProxy proxy(shared_server().socket_path());
  proxy.freeze();
  ConnectOptions options = to("host=127.0.0.1," + shared_server().socket_directory() + " port=" +
                              std::to_string(proxy.port()) + ",5432 user=postgres dbname=" + db_);
  options.connect_timeout = 300ms;
  EXPECT_THAT(Connection(options, Interrupt()).where(),
              HasSubstr(shared_server().socket_directory()));
}

TEST_F(Connect, TheUrlsOwnTimeoutWins) {
  test::TcpProxy proxy(shared_server().socket_path());
  proxy.freeze();
  const double start = test::now();
  EXPECT_THAT(message_of<ConnectionLost>([&] { open(proxy.url(db_) + " connect_timeout=1"); }),
              HasSubstr("connect_timeout"));
  EXPECT_LT(test::now() - start, 5 * test::patience());
}

TEST_F(Connect, EveryHostIsNamedWhenNoneAnswers) {
  const std::string text =
      message_of<ConnectionLost>([&] { open("host=127.0.0.1,127.0.0.2 port=1 user=u dbname=d"); });
  EXPECT_THAT(text, HasSubstr("host 127.0.0.1 port 1"));
  EXPECT_THAT(text, HasSubstr("host 127.0.0.2 port 1"));
}

TEST_F(Connect, ABackendThatIsEndedIsALostConnection) {
  Connection conn = connect();
  sql("SELECT pg_terminate_backend(" + std::to_string(conn.backend_pid()) + ")");
  EXPECT_THAT(message_of<ConnectionLost>([&] { conn.exec("SELECT 1"); }),
              HasSubstr("terminating connection due to administrator command"));
}

TEST_F(Connect, AnErrorOfTheServerHasItsStateAndLeavesTheConnectionUsable) {
  Connection conn = connect();
  try {
    conn.exec("SELECT * FROM nothing_here");
    FAIL();
  } catch (const SqlError& error) {
    EXPECT_EQ(error.sqlstate, "42P01");
    EXPECT_THAT(error.what(), HasSubstr("nothing_here"));
  }
  EXPECT_EQ(conn.exec("SELECT 1").integer(0, 0), 1);
}

TEST_F(Connect, AClosedConnectionSaysSo) {
  Connection conn = connect();
  conn.close();
  EXPECT_THROW(conn.exec("SELECT 1"), ConnectionLost);
}

}  // namespace walspout::postgres
