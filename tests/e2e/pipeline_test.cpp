#include "e2e/pipeline_test.hpp"

#include <unistd.h>

#include <algorithm>

namespace walspout::test {
namespace {

std::string end_of(const std::string& text, std::size_t size) {
  return text.substr(text.size() - std::min(text.size(), size));
}

}  // namespace

PipelineTest::PipelineTest() {
  static int number = 0;
  db_ = "t" + std::to_string(getpid()) + "_" + std::to_string(++number);
  config_.slot = db_;
  config_.sinks = {sqlite_sink(mirror_path()), file_sink(events_path())};
}

void PipelineTest::use_own_server(const PostgresServer::Options& options) {
  own_server_ = std::make_unique<PostgresServer>(options);
  server_ = own_server_.get();
  server_->create_database(db_);
  config_.url = server_->url(db_);
}

void PipelineTest::SetUp() {
  if (server_) return;
  server_ = &shared_server();
  server_->create_database(db_);
  config_.url = server_->url(db_);
}

void PipelineTest::TearDown() {
  if (HasFailure()) {
    if (host_) std::cout << "---- host's log ends\n" << end_of(host_->log(), 6000);
    if (server_) std::cout << "---- server's log ends\n" << end_of(server_->log(), 3000);
  }
  host_.reset();
  if (!server_ || own_server_) return;
  const std::string of_db = " from pg_replication_slots where database = '" + db_ + "'";
  eventually(Seconds(10), [&] {  // a killed host's walsender takes a moment
    return server_->value("postgres", "select count(*)" + of_db + " and active") == "0";
  });
  server_->sql("postgres",
               "select pg_drop_replication_slot(slot_name)" + of_db + " and not active");
  // The server goes soon; only a long run must not fill the disk (and it costs a checkpoint).
  if (testing::UnitTest::GetInstance()->test_to_run_count() < 10) return;
  server_->sql("postgres", "drop database if exists \"" + db_ + "\" with (force)");
}

void PipelineTest::transactions(const std::vector<std::string>& texts) {
  Session session = server().session(db_);
  for (const auto& text : texts) session.sql(text);
}

HostProcess& PipelineTest::host() {
  if (!host_) host_ = std::make_unique<HostProcess>(server(), dir_ / "host", config_);
  return *host_;
}

std::unique_ptr<HostProcess> PipelineTest::another_host(const std::string& name,
                                                        HostConfig config) {
  return std::make_unique<HostProcess>(server(), dir_ / name, std::move(config));
}

std::size_t PipelineTest::count_events(const std::string& op, const std::string& table) const {
  const auto all = events();
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const auto& event) {
    return event.at("op") == op && event.value("table", "") == table;
  }));
}

void PipelineTest::expect_mirror_equals_source() {
  EXPECT_EQ(mirror_difference(server(), db_, config_.publication, mirror_path()), "");
}

void PipelineTest::expect_mirror_follows() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(15);
  std::string difference;
  while (std::chrono::steady_clock::now() < deadline) {
    difference = mirror_difference(server(), db_, config_.publication, mirror_path());
    if (difference.empty()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  ADD_FAILURE() << difference;
}

void PipelineTest::expect_everything_delivered(Seconds timeout) {
  host().wait_caught_up(timeout);
  expect_mirror_follows();
  EXPECT_EQ(order_fault(events()), "");
}

}  // namespace walspout::test
