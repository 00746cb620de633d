// `walspout status`: of a host that is well, of one in trouble, and without one.
#include "e2e/mirror_lock.hpp"
#include "e2e/pipeline_test.hpp"

namespace walspout::test {
namespace {

class StatusTest : public PipelineTest {
 protected:
  nlohmann::json status() {
    const Finished done = host().verb("status", {"--json"});
    status_ = done.status;
    return nlohmann::json::parse(done.output.substr(0, done.output.find('\n')));
  }
  static nlohmann::json sink(const nlohmann::json& status, const std::string& name) {
    for (const auto& one : status.at("sinks"))
      if (one.at("name") == name) return one;
    throw std::runtime_error("no sink " + name + " in " + status.dump());
  }
  void begin() {
    sql("create table k (id integer primary key, v text)");
    sql("insert into k values (1, 'a')");
    host().start_streaming();
    host().wait_caught_up();
  }

  int status_ = -1;
};

TEST_F(StatusTest, TellsOfTheHostTheSlotAndEachSink) {
  begin();
  const nlohmann::json now = status();
  EXPECT_EQ(status_, 0);
  EXPECT_TRUE(now.at("running").get<bool>());
  EXPECT_EQ(now.at("source"), "streaming");
  EXPECT_EQ(now.at("pid"), host().pid());
  EXPECT_TRUE(now.at("slot").at("active").get<bool>());
  EXPECT_EQ(now.at("slot").at("wal_status"), "reserved");
  ASSERT_EQ(now.at("sinks").size(), 2U);
  for (const auto& one : now.at("sinks")) {
    EXPECT_EQ(one.at("state"), "running");
    EXPECT_TRUE(one.at("last_error").is_null());
    EXPECT_NE(one.at("position"), "0/0");
    EXPECT_EQ(one.at("queue_bytes"), 0);
  }
  const Finished text = host().verb("status");
  EXPECT_EQ(text.status, 0) << text.output;
  for (const char* part : {": streaming, walspout ", ": reserved, ", "in use", "mirror", "running"})
    EXPECT_NE(text.output.find(part), std::string::npos) << part << " in\n" << text.output;
}

TEST_F(StatusTest, NamesTheSinkThatIsBehindAndWhy) {
  begin();
  {
    const MirrorLock lock(mirror_path());
    sql("insert into k values (2, 'b')");
    nlohmann::json mirror;
    ASSERT_TRUE(eventually(Seconds(30), [&] {
      mirror = sink(status(), "mirror");
      return mirror.at("state") == "retrying" && mirror.at("behind_seconds") > 1.0;
    })) << mirror.dump();
    EXPECT_NE(mirror.at("last_error").get<std::string>().find("locked"), std::string::npos)
        << mirror.dump();
    EXPECT_GT(mirror.at("behind_bytes"), 0);
    EXPECT_EQ(sink(status(), "events").at("state"), "running");
  }
  // It is told afterwards, too, but lasts no longer.
  EXPECT_TRUE(eventually(Seconds(30), [&] {
    const nlohmann::json mirror = sink(status(), "mirror");
    return mirror.at("state") == "running" && !mirror.at("last_error").is_null();
  }));
}

TEST_F(StatusTest, AnswersWhileTheSourceIsAway) {
  begin();
  server().stop();
  ASSERT_TRUE(eventually(Seconds(30), [&] { return status().at("source") == "connecting"; }));
  EXPECT_EQ(status_, 0);
  const nlohmann::json now = status();
  EXPECT_FALSE(now.at("slot").at("error").get<std::string>().empty());
  EXPECT_EQ(sink(now, "mirror").at("state"), "running");
  server().start();
  host().wait_streaming();
  EXPECT_EQ(status().at("source"), "streaming");
}

TEST_F(StatusTest, WithoutAHostSaysSoAndTellsOfTheSlot) {
  begin();
  host().stop();
  const nlohmann::json now = status();
  EXPECT_EQ(status_, 1);
  EXPECT_FALSE(now.at("running").get<bool>());
  EXPECT_FALSE(now.at("slot").at("active").get<bool>());
  const Finished text = host().verb("status");
  EXPECT_EQ(text.status, 1);
  EXPECT_NE(text.output.find("no host runs with "), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("not in use"), std::string::npos) << text.output;
}

}  // namespace
}  // namespace walspout::test
