// What walspout refuses, how it says so, and what it never says.
#include <algorithm>

#include "e2e/pipeline_test.hpp"

namespace walspout::test {
namespace {

class Refusal : public PipelineTest {
 protected:
  void make_table() { sql("create table k (id integer primary key, v text)"); }
  std::string objects() {
    return value(
        "select (select count(*) from pg_replication_slots) || ' slots, ' || "
        "(select count(*) from pg_publication) || ' publications'");
  }
};

// Each kind of mistake has its own test beside the configuration's reader; these are whole runs.
TEST_F(Refusal, MistakesInTheFileAreAllReportedBeforeAnyConnection) {
  TcpProxy proxy(server().socket_path());
  config().url = proxy.url(db());
  config().source = {"publicaton = \"x\"", "snapshot = \"sometimes\""};
  config().host = {"memory = \"64 parsecs\""};
  config().sinks.push_back(file_sink(dir() / "more.jsonl", "mirror"));
  for (const char* verb : {"check", "run"}) {
    const auto done = host().verb(verb);
    EXPECT_EQ(done.status, 2) << verb << ": " << done.output;
    for (const char* text :
         {"host.toml:", "publicaton", "publication", "sometimes", "parsecs", "mirror"})
      EXPECT_NE(done.output.find(text), std::string::npos)
          << verb << " lacks " << text << ": " << done.output;
    EXPECT_GE(std::count(done.output.begin(), done.output.end(), '\n'), 4) << done.output;
  }
  EXPECT_EQ(proxy.accepted(), 0);
}

struct BadPlugin {
  std::string name;
  std::string path;
  std::string said;  // a part of the message
};

TEST_F(Refusal, PluginsThatAreNoneAreRefusedBeforeAnyConnection) {
  TcpProxy proxy(server().socket_path());
  config().url = proxy.url(db());
  write_file(dir() / "text.so",
             "this is no shared object, but it is long enough for a header......");
  const std::string whole = read_file(WALSPOUT_BAD_PLUGINS "/no_entry.so");
  write_file(dir() / "cut.so", whole.substr(0, whole.size() / 2));
  for (const BadPlugin& bad :
       {BadPlugin{"text", dir() / "text.so", "ELF"}, BadPlugin{"cut", dir() / "cut.so", ""},
        BadPlugin{"missing", dir() / "nowhere.so", ""},
        BadPlugin{"no_entry", WALSPOUT_BAD_PLUGINS "/no_entry.so", "walspout_plugin_v1"},
        BadPlugin{"later_major", WALSPOUT_BAD_PLUGINS "/later_major.so", "walspout_plugin_v"},
        BadPlugin{"null_descriptor", WALSPOUT_BAD_PLUGINS "/null_descriptor.so", ""}}) {
    config().sinks = {{"bad", bad.path, {}}};
    HostProcess host(server(), dir() / bad.name, config());
    const auto done = host.verb("run");
    EXPECT_GT(done.status, 0) << bad.name << ": " << done.output;
    EXPECT_NE(done.output.find(bad.path), std::string::npos) << bad.name << ": " << done.output;
    EXPECT_NE(done.output.find(bad.said), std::string::npos) << bad.name << ": " << done.output;
  }
  EXPECT_EQ(proxy.accepted(), 0);
}

TEST_F(Refusal, CheckOfASoundPipelineNamesItsPartsAndMakesNothing) {
  make_table();
  const std::string before = objects();
  const auto done = host().verb("check");
  EXPECT_EQ(done.status, 0) << done.output;
  for (const std::string& text : {config().slot, config().publication, std::string("public.k"),
                                  std::string("mirror"), std::string("events")})
    EXPECT_NE(done.output.find(text), std::string::npos) << "lacks " << text << ": " << done.output;
  EXPECT_EQ(objects(), before);
  EXPECT_FALSE(std::filesystem::exists(mirror_path()));
}

TEST_F(Refusal, ExcludingAKeyColumnIsRefused) {
  make_table();
  config().sinks[0].more = {"exclude_columns = [\"public.k.id\"]"};
  host().start();
  EXPECT_EQ(host().wait_exit(), 2);
  EXPECT_TRUE(host().logged("public.k.id, a column of the key")) << host().log();
}

// From 16 on a standby can decode.
TEST_F(Refusal, AStandbyThatCannotDecodeIsRefusedInOneLine) {
  use_own_server({});
  if (server().version() >= 16) GTEST_SKIP() << "from 16 on a standby is a source";
  make_table();
  sql("create publication walspout for all tables");
  server().stop();
  server().stand_by_at_start();
  server().start();
  ASSERT_EQ(value("select pg_is_in_recovery()"), "t");
  for (const char* verb : {"run", "check"}) {
    const auto done = host().verb(verb);
    EXPECT_EQ(done.status, 3) << verb << ": " << done.output;
    const std::size_t said = done.output.find("is a standby");
    ASSERT_NE(said, std::string::npos) << verb << ": " << done.output;
    EXPECT_EQ(done.output.find("is a standby", said + 1), std::string::npos) << done.output;
    EXPECT_NE(done.output.find("target_session_attrs=read-write", said), std::string::npos)
        << verb << ": " << done.output;
    // `check` has what mends it on a line of its own.
    if (std::string(verb) == "run") {
      EXPECT_LT(done.output.find("target_session_attrs"), done.output.find('\n', said))
          << done.output;
    }
  }
}

TEST_F(Refusal, EveryRuleThatIsRefusedIsNamed) {
  make_table();
  for (auto& sink : config().sinks) sink.more = {"exclude_columns = [\"public.k.id\"]"};
  host().start();
  EXPECT_EQ(host().wait_exit(), 2);
  for (const auto& sink : config().sinks)
    EXPECT_TRUE(host().logged("sink " + sink.name + ": ")) << host().log();
}

TEST_F(Refusal, RulesThatMatchNothingAreWarnedOf) {
  make_table();
  config().sinks[0].more = {"tables = [\"public.k\", \"public.nope\"]",
                            "exclude_columns = [\"public.k.ID\"]"};
  host().start_streaming();
  EXPECT_TRUE(host().logged("no published table matches \"public.nope\"")) << host().log();
  EXPECT_TRUE(host().logged("\"public.k.ID\" matches no column")) << host().log();
}

TEST_F(Refusal, TwoKindsOfSinksWithOnePathAreRefused) {
  config().sinks[1] = file_sink(mirror_path());
  const auto done = host().verb("check");
  EXPECT_EQ(done.status, 2);
  EXPECT_NE(done.output.find("has the same path as sink mirror"), std::string::npos) << done.output;
}

TEST_F(Refusal, NothingIsMadeAtASourceThatASinkDoesNotBelongTo) {
  make_table();
  host().start_streaming();
  host().wait_caught_up();
  host().stop();
  server().sql("postgres", "create database " + db() + "_other");
  host().config().url = server().url(db() + "_other");
  host().config().slot = db() + "_s";
  host().start();
  EXPECT_EQ(host().wait_exit(), 3);
  EXPECT_EQ(server().value(db() + "_other", "select count(*) from pg_publication"), "0");
}

TEST_F(Refusal, APublicationThatIsGoneIsRefusedAtTheNextConnection) {
  make_table();
  host().start_streaming();
  sql("drop publication walspout");
  sql("select pg_terminate_backend(" + std::to_string(host().walsender_pid()) + ")");
  EXPECT_EQ(host().wait_exit(), 3);
  EXPECT_TRUE(host().logged("publication walspout does not exist any more")) << host().log();
}

class UnfitServer : public Refusal {
 protected:
  void SetUp() override { use_own_server({{"wal_level = replica"}, {}}); }
};

TEST_F(UnfitServer, CheckListsEveryProblemWithItsCureAndMakesNothing) {
  make_table();
  sql("create role weak login; create publication other for table k");
  config().url = server().url(db(), "weak");
  config().publication = "other";
  const std::string before = objects();
  const auto checked = host().verb("check");
  EXPECT_GT(checked.status, 0) << checked.output;
  for (const char* text : {"wal_level", "REPLICATION", "GRANT SELECT", "weak", "k"})
    EXPECT_NE(checked.output.find(text), std::string::npos)
        << "lacks " << text << ": " << checked.output;
  const auto run = host().verb("run");
  EXPECT_GT(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("weak"), std::string::npos) << run.output;
  EXPECT_EQ(objects(), before);
}

class Secrets : public Refusal {
 protected:
  void SetUp() override {
    use_own_server({{}, {"local all keeper scram-sha-256"}});
    sql("create role keeper login superuser replication password 'S3cr3tPw!'");
    make_table();
    sql("create publication walspout for table k");
    config().log_level = "trace";
  }

  static void expect_clean(const std::string& where, const std::string& text) {
    for (const char* secret : {"S3cr3tPw", "Wr0ngPw"})
      EXPECT_EQ(text.find(secret), std::string::npos) << where << " shows it: " << text;
  }
  void expect_clean_files(const std::string& except) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir().path()))
      if (entry.is_regular_file() && entry.path().filename() != except)
        expect_clean(entry.path(), read_file(entry.path()));
  }
};

TEST_F(Secrets, AreInNoOutputOfARunThatWorks) {
  const std::string place = "host=" + server().socket_directory() + " user=keeper dbname=" + db();
  for (const std::string& url :
       {place + " password='S3cr3tPw!'",
        "postgresql://keeper:S3cr3tPw%21@/" + db() + "?host=" + server().socket_directory()}) {
    config().url = url;
    HostProcess host(server(), dir() / "host", config());
    host.start_streaming();
    sql("insert into k select coalesce(max(id), 0) + 1, 'x' from k");
    host.wait_caught_up();
    expect_clean("the command line", read_file("/proc/" + std::to_string(host.pid()) + "/cmdline"));
    host.stop();
    expect_clean("check", host.verb("check").output);
    expect_clean("setup", host.verb("setup").output);
    expect_clean_files("host.toml");
  }
}

TEST_F(Secrets, AreInNoMessageAboutAFailure) {
  const std::string socket = server().socket_directory();
  for (const std::string& url :
       {"host=" + socket + " user=keeper dbname=" + db() + " password='Wr0ngPw!'",
        "postgresql://keeper:Wr0ngPw%21@/" + db() + "?host=" + socket,
        std::string("host=/nowhere user=keeper dbname=x password='S3cr3tPw!'"),
        std::string("postgresql://keeper:S3cr3tPw%21@nowhere.invalid/x?connect_timeout=2"),
        "host=" + socket + " user=keeper dbname=nowhere password='S3cr3tPw!'",
        "host=" + socket + " user=keeper password='S3cr3tPw!' sslmode=sometimes",
        "host=" + socket + " user=keeper password='S3cr3tPw!' hots=x",
        std::string("postgresql://keeper:S3cr3tPw%2@[/x")}) {
    config().url = url;
    HostProcess host(server(), dir() / "host", config());
    const auto checked = host.verb("check");
    EXPECT_GT(checked.status, 0) << checked.output;
    expect_clean("check", checked.output);
    host.start();  // may try for ever: a server that is away comes back
    eventually(Seconds(3), [&] { return !host.running() || host.log().size() > 200; });
    host.kill9();
    expect_clean("run", host.log());
    expect_clean_files("host.toml");
  }
}

TEST_F(Secrets, AreNotQuotedFromALineThatDoesNotParse) {
  const std::string path = dir() / "torn.toml";
  for (const char* line : {"url = \"host=x password=S3cr3tPw!", "url = \"host=x\" S3cr3tPw = ",
                           "password = \"S3cr3tPw!\"\nurl = 5", "url = \"\\q S3cr3tPw\""}) {
    write_file(path, std::string("[source]\n") + line + "\n");
    const auto done = run_to_end(walspout_command({"check", path}, dir().path()));
    EXPECT_EQ(done.status, 2) << done.output;
    EXPECT_NE(done.output.find("torn.toml:"), std::string::npos) << done.output;
    expect_clean("check", done.output);
  }
}

}  // namespace
}  // namespace walspout::test
