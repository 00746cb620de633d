// The file of JSON lines over crashes, torn ends and a full disk.
#include "e2e/pipeline_test.hpp"
#include "e2e/small_disk.hpp"

namespace walspout::test {
namespace {

class FileSink : public PipelineTest {
 protected:
  void SetUp() override {
    PipelineTest::SetUp();
    config().sinks = {file_sink(events_path())};
    sql("create table k (id integer primary key, v text)");
    sql("create publication walspout for table k");
  }
  void insert(int first, int last, int size) {
    sql("insert into k select g, repeat('x', " + std::to_string(size) + ") from generate_series(" +
        std::to_string(first) + ", " + std::to_string(last) + ") g");
  }
  void expect_inserts(std::size_t count, Seconds timeout = Seconds(60)) {
    host().wait_caught_up(timeout);
    EXPECT_EQ(order_fault(events()), "");
    EXPECT_EQ(count_events("insert", "k"), count);
  }

  // Stops the host, damages the file's end, writes one more row and starts again.
  void expect_repaired(const std::string& tail) {
    host().start_streaming();
    insert(1, 20, 100);
    expect_inserts(20);
    host().kill9();
    append_file(events_path(), tail);
    insert(21, 21, 100);
    host().start_streaming();
    expect_inserts(21);
  }
};

TEST_F(FileSink, KilledWhileItWritesBigEventsLosesAndDoublesNone) {
  host().start_streaming();
  int id = 0;
  for (int round = 1; round <= 12; ++round) {
    const std::size_t before = read_file(events_path()).size();
    for (int i = 0; i < 5; ++i, id += 4) insert(id + 1, id + 4, 100000);
    // Within the first, the second, ... of the five transactions.
    const std::size_t wanted = before + static_cast<std::size_t>(round % 5) * 400000 + 50000;
    host().wait("so much written", Seconds(20),
                [&] { return read_file(events_path()).size() >= wanted; });
    host().kill9();
    host().start_streaming();
  }
  expect_inserts(static_cast<std::size_t>(id));
}

TEST_F(FileSink, HalfALineAtTheEndIsCutOff) {
  expect_repaired(R"({"id":"0000000001A2B3C4-0","op)");
}

TEST_F(FileSink, WholeLineWithoutItsNewlineAtTheEndIsCutOff) {
  expect_repaired(R"({"id":"0000000001A2B3C4-0","op":"insert"})");
}

TEST_F(FileSink, ZeroBytesAtTheEndAreCutOff) { expect_repaired(std::string(5000, '\0')); }

TEST_F(FileSink, FileShorterThanConfirmedIsRefusedOrReported) {
  host().start_streaming();
  insert(1, 20, 100);
  expect_inserts(20);
  host().stop();
  const std::string all = read_file(events_path());
  write_file(events_path(), all.substr(0, all.size() - 30));  // a hand in the confirmed part
  insert(21, 21, 100);
  host().start();
  eventually(Seconds(20), [&] {
    return !host().running() || (host().streaming() && count_lines(events_path()) >= 20);
  });
  // The server no longer has the torn event: going on silently would lose it.
  EXPECT_TRUE(host().logged(events_path())) << "nothing is said about the damaged file";
  if (host().running()) read_json_lines(events_path());
}

TEST_F(FileSink, FullDiskHoldsThePositionAndGoesOnByItself) {
  std::filesystem::create_directory(dir() / "small");
  SmallDisk disk(dir() / "small", 8);
  if (!disk.mounted()) GTEST_SKIP() << "no right to mount a file system";
  const std::string path = dir() / "small/events.jsonl";
  config().sinks = {file_sink(path)};
  host().start_streaming();
  insert(1, 1000, 1000);
  host().wait_caught_up();
  disk.fill();
  insert(1001, 4000, 1000);
  const auto committed = server().wal_position();
  host().wait_logged("space", Seconds(20));
  EXPECT_TRUE(host().logged(path)) << "the message does not name the file";
  EXPECT_TRUE(holds_for(Seconds(2), [&] { return host().confirmed() < committed; }));
  disk.make_room();
  host().wait_caught_up(Seconds(60));
  const auto lines = read_json_lines(path);
  EXPECT_EQ(order_fault(lines), "");
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const auto& event) { return event.at("op") == "insert"; }),
            4000);
  host().stop();
}

}  // namespace
}  // namespace walspout::test
