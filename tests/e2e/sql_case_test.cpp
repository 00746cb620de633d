// Every case of cases/, in three modes: SQL in, mirrored rows out.
#include <algorithm>
#include <random>
#include <thread>

#include "e2e/pipeline_test.hpp"
#include "e2e/sql_case.hpp"

namespace walspout::test {
namespace {

struct Parameter {
  std::string name;
  std::string mode;  // live, snapshot or kill
};

std::ostream& operator<<(std::ostream& out, const Parameter& p) {
  return out << p.name << " " << p.mode;
}

std::vector<Parameter> all_parameters() {
  std::vector<Parameter> all;
  for (const auto& name : case_names(WALSPOUT_CASES))
    for (const char* mode : {"live", "snapshot", "kill"}) all.push_back({name, mode});
  return all;
}

std::string joined(const SqlRow& row) {
  std::string out;
  for (const auto& value : row) out += (out.empty() ? "" : " | ") + literal(value);
  return out;
}

class SqlCaseTest : public PipelineTest, public testing::WithParamInterface<Parameter> {
 protected:
  SqlCase case_ = read_case(WALSPOUT_CASES, GetParam().name);

  void SetUp() override {
    PipelineTest::SetUp();
    if (server().version() < case_.since)
      GTEST_SKIP() << "needs PostgreSQL " << case_.since << " or later";
    config().publication = case_.publication;
    config().sinks[0].options.push_back("numeric = " + toml(case_.numeric));
  }

  // kill -9 while the live part runs, at a moment that the case's name decides.
  void run_live_part_and_kill() {
    std::seed_seq seed(case_.name.begin(), case_.name.end());
    std::mt19937 random(seed);
    const auto moment = std::chrono::milliseconds(std::uniform_int_distribution(0, 80)(random));
    {
      const std::jthread killer([&] {
        std::this_thread::sleep_for(moment);
        host().signal(9);
      });
      server().script(db(), case_.live);
    }
    host().wait_exit();
    host().start_streaming();
  }

  std::string difference() {
    return mirror_difference(server(), db(), case_.publication, mirror_path(), case_.differs,
                             case_.numeric);
  }

  // A rewrite is found up to seconds after it was made, so a table may begin a copy at any moment.
  void expect_equal_in_the_end() {
    EXPECT_EQ(difference_in_the_end(Seconds(60), [&] { return difference(); }), "");
  }

  bool copying() {
    const Mirror mirror(mirror_path());
    const auto tables = published_tables(server(), db(), case_.publication);
    return std::any_of(tables.begin(), tables.end(), [&](const PublishedTable& table) {
      return mirror.state(table.schema, table.name) == "copying";
    });
  }

  // What a stop interrupts in the middle of its copy, the next start goes on with.
  void stop_when_nothing_is_copied() {
    host().stop();
    if (!copying()) return;
    host().start_streaming();
    expect_equal_in_the_end();
    host().stop();
  }

  void compare() {
    expect_equal_in_the_end();
    const Mirror mirror(mirror_path());
    for (const auto& query : case_.queries) {
      std::vector<std::string> rows;
      for (const auto& row : mirror.file().query(query.sql)) rows.push_back(joined(row));
      EXPECT_EQ(rows, query.rows) << query.sql;
    }
    EXPECT_EQ(order_fault(events()), "");
  }
};

TEST_P(SqlCaseTest, MirrorIsRight) {
  const std::string& mode = GetParam().mode;
  server().script(db(), case_.before + (mode == "snapshot" ? case_.live : ""));
  host().start_streaming();
  if (mode == "live") server().script(db(), case_.live);
  if (mode == "kill") run_live_part_and_kill();
  host().wait_caught_up();
  compare();
  stop_when_nothing_is_copied();
  compare();
}

INSTANTIATE_TEST_SUITE_P(Cases, SqlCaseTest, testing::ValuesIn(all_parameters()),
                         [](const auto& info) { return info.param.name + "_" + info.param.mode; });

}  // namespace
}  // namespace walspout::test
