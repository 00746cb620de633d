// Tables that cannot be copied: each is marked failed with its reason, and stops no other.
#include "e2e/late_table_test.hpp"

namespace walspout::test {
namespace {

class FailingTable : public LateTable {
 protected:
  void SetUp() override {
    LateTable::SetUp();
    role_ = "weak_" + db();
    sql("create role " + role_ + " login replication");
    sql("grant select on all tables in schema public to " + role_);
    sql("alter default privileges grant select on tables to " + role_);
    config().url = server().url(db(), role_);
  }
  void TearDown() override {
    const std::string drop = "drop owned by " + role_ + "; drop role " + role_;
    sql("alter default privileges revoke select on tables from " + role_);
    sql(drop);
    PipelineTest::TearDown();
  }
  void expect_failed_and_others_go_on(const std::string& table, const std::string& why) {
    EXPECT_TRUE(state_soon(table, "failed"))
        << "it is " << state(table) << " with " << mirrored(table) << " rows";
    EXPECT_NE(reason(table).find(why), std::string::npos) << reason(table);
    EXPECT_TRUE(host().logged("public." + table));
    sql("insert into first values (1000, 'goes on')");
    host().wait_caught_up();
    EXPECT_EQ(mirrored("first"), 101);
    host().stop();
    host().start_streaming();
    sql("insert into first values (1001, 'goes on')");
    host().wait_caught_up();
    EXPECT_EQ(mirrored("first"), 102);
  }
  const std::string& role() const { return role_; }

 private:
  std::string role_;
};

TEST_F(FailingTable, WithoutTheRightToReadItIsMarkedFailedAndStopsNoOther) {
  begin("for all tables");
  sql("begin; create table secret (id integer primary key, v text); revoke all on secret from " +
      role() + "; insert into secret values (1, 'x'); commit");
  expect_failed_and_others_go_on("secret", "permission denied");
  sql("grant select on secret to " + role());
  expect_resync({"public.secret"});
  expect_right_soon();
}

TEST_F(FailingTable, WithRowSecurityThatHidesRowsIsMarkedFailedAndStopsNoOther) {
  begin("for all tables");
  sql("begin; create table sec (id integer primary key, owner text);"
      " alter table sec enable row level security;"
      " create policy own on sec using (owner = current_user);"
      " insert into sec values (1, 'x'), (2, '" +
      role() + "'); commit");
  expect_failed_and_others_go_on("sec", "BYPASSRLS");
  EXPECT_EQ(mirrored("sec"), 0);
  sql("alter role " + role() + " bypassrls");
  expect_resync({"public.sec"});
  expect_right_soon();
}

TEST_F(FailingTable, WithAValueThatTheMirrorCannotHoldIsMarkedFailedAndStopsNoOther) {
  config().sinks = {sqlite_sink(mirror_path())};
  config().sinks[0].options.emplace_back("numeric = \"real\"");
  begin("for all tables");
  sql("begin; create table huge (id integer primary key, n numeric);"
      " insert into huge values (1, 1), (2, 1e400); commit");
  expect_failed_and_others_go_on("huge", "huge");
  sql("update huge set n = 2 where id = 2");
  expect_resync({"public.huge"});
  EXPECT_TRUE(state_soon("huge", "live"));
  EXPECT_EQ(mirrored("huge"), 2);
}

TEST_F(FailingTable, IsNamedAtTheEndOfARunThatWasToMakeEverythingDurable) {
  begin("for all tables");
  host().stop();
  sql("create table secret (id integer primary key); revoke all on secret from " + role() +
      "; insert into first values (1000, 'goes on')");
  host().start({"--until-caught-up"});
  EXPECT_EQ(host().wait_exit(Seconds(60)), 1) << host().log();
  EXPECT_TRUE(host().logged("sink mirror: public.secret is not whole")) << host().log();
  EXPECT_EQ(mirrored("first"), 101);
}

TEST_F(FailingTable, ThatIsLockedHoldsUpNoOther) {
  begin("for all tables");
  make("second", 10);
  expect_right_soon();
  Session holder = server().session(db());
  holder.sql("begin");
  holder.sql("lock table second in access exclusive mode");
  expect_resync({"public.second"});
  make("third", 10);
  sql("insert into first values (1000, 'goes on')");
  EXPECT_TRUE(state_soon("third", "live"));
  EXPECT_TRUE(eventually(Seconds(15), [&] { return mirrored("first") == 101; }));
  holder.sql("insert into second values (11, 'by the holder')");
  holder.sql("commit");
  expect_right_soon();
}

}  // namespace
}  // namespace walspout::test
