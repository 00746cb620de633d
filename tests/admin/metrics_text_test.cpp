#include "admin/metrics_text.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

namespace walspout::admin {
namespace {

using testing::HasSubstr;
using testing::Not;

Figures example() {
  Figures figures;
  figures.status.version = "1.2.3";
  figures.status.streaming = true;
  figures.status.received = 900;
  figures.status.confirmed = 700;
  figures.status.memory_used = 4096;
  figures.written = 1000;
  figures.lag_s = 1.5;
  figures.transactions = 5;
  figures.changes[WALSPOUT_INSERT] = 3;
  figures.changes[WALSPOUT_DELETE] = 2;
  control::SlotStatus slot;
  slot.retained_bytes = 64;
  slot.safe_bytes = 32;
  slot.growth = 8;
  figures.status.slot = slot;
  figures.status.sinks.resize(2);
  figures.status.sinks[0].name = "mirror";
  figures.status.sinks[0].state = "running";
  figures.status.sinks[1].name = "hook \"a\\b\"\n";
  figures.status.sinks[1].state = "failed";
  figures.status.sinks[1].behind_bytes = 17;
  figures.status.sinks[1].behind_ms = 250;
  figures.sinks.resize(2);
  figures.sinks[0].calls[WALSPOUT_OK] = 11;
  figures.sinks[0].calls[WALSPOUT_RETRY] = 1;
  figures.sinks[0].own["rows-written"] = 12;
  figures.sinks[1].own["rows-written"] = 2.5;
  return figures;
}

// Each sample by its name with labels; fails on a line of no known form, on a sample outside of its
// family, and on one that comes twice.
std::map<std::string, std::string> samples(const std::string& text) {
  std::map<std::string, std::string> all;
  std::set<std::string> families;
  std::string family;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# HELP ")) continue;
    if (line.starts_with("# TYPE ")) {
      family = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(families.insert(family).second) << family << " comes twice";
      continue;
    }
    EXPECT_TRUE(line.starts_with(family)) << line << " under " << family;
    const std::size_t space = line.rfind(' ');
    EXPECT_TRUE(all.emplace(line.substr(0, space), line.substr(space + 1)).second) << line;
  }
  EXPECT_TRUE(text.ends_with('\n'));
  return all;
}

TEST(MetricsText, TellsOfTheSource) {
  auto all = samples(metrics_text(example()));
  EXPECT_EQ(all["walspout_build_info{version=\"1.2.3\",abi=\"1.0\"}"], "1");
  EXPECT_EQ(all["walspout_source_streaming"], "1");
  EXPECT_EQ(all["walspout_source_lag_bytes{stage=\"received\"}"], "100");
  EXPECT_EQ(all["walspout_source_lag_bytes{stage=\"flushed\"}"], "300");
  EXPECT_EQ(all["walspout_source_lag_seconds"], "1.5");
  EXPECT_EQ(all["walspout_slot_retained_wal_bytes"], "64");
  EXPECT_EQ(all["walspout_slot_safe_wal_bytes"], "32");
  EXPECT_EQ(all["walspout_transactions_total"], "5");
  EXPECT_EQ(all["walspout_changes_total{op=\"insert\"}"], "3");
  EXPECT_EQ(all["walspout_changes_total{op=\"update\"}"], "0");
  EXPECT_EQ(all["walspout_changes_total{op=\"delete\"}"], "2");
}

TEST(MetricsText, WhatIsNotKnownIsLeftOut) {
  Figures figures = example();
  figures.written = 0;
  figures.status.slot->safe_bytes.reset();
  EXPECT_THAT(metrics_text(figures), Not(HasSubstr("walspout_source_lag_bytes")));
  EXPECT_THAT(metrics_text(figures), Not(HasSubstr("safe_wal")));
  figures.status.slot.reset();
  EXPECT_THAT(metrics_text(figures), Not(HasSubstr("walspout_slot_")));
}

TEST(MetricsText, TellsOfEachSink) {
  auto all = samples(metrics_text(example()));
  const std::string hook = R"(sink="hook \"a\\b\"\n")";
  EXPECT_EQ(all["walspout_sink_state{sink=\"mirror\",state=\"running\"}"], "1");
  EXPECT_EQ(all["walspout_sink_state{sink=\"mirror\",state=\"failed\"}"], "0");
  EXPECT_EQ(all["walspout_sink_state{" + hook + ",state=\"failed\"}"], "1");
  EXPECT_EQ(all["walspout_sink_lag_bytes{" + hook + "}"], "17");
  EXPECT_EQ(all["walspout_sink_lag_seconds{" + hook + "}"], "0.25");
  EXPECT_EQ(all["walspout_sink_calls_total{sink=\"mirror\",result=\"ok\"}"], "11");
  EXPECT_EQ(all["walspout_sink_calls_total{sink=\"mirror\",result=\"retry\"}"], "1");
  EXPECT_EQ(all["walspout_plugin_rows_written{sink=\"mirror\"}"], "12");
  EXPECT_EQ(all["walspout_plugin_rows_written{" + hook + "}"], "2.5");
}

TEST(MetricsText, HistogramsAddUp) {
  sink::Histogram histogram;
  histogram.observe(std::chrono::microseconds(500));
  histogram.observe(std::chrono::milliseconds(1));
  histogram.observe(std::chrono::milliseconds(30));
  histogram.observe(std::chrono::minutes(5));
  Figures figures = example();
  figures.sinks[0].flush = histogram.figures();
  auto all = samples(metrics_text(figures));
  const std::string bucket = "walspout_sink_flush_seconds_bucket{sink=\"mirror\",le=";
  EXPECT_EQ(all[bucket + "\"0.001\"}"], "2");
  EXPECT_EQ(all[bucket + "\"0.025\"}"], "2");
  EXPECT_EQ(all[bucket + "\"0.05\"}"], "3");
  EXPECT_EQ(all[bucket + "\"60\"}"], "3");
  EXPECT_EQ(all[bucket + "\"+Inf\"}"], "4");
  EXPECT_EQ(all["walspout_sink_flush_seconds_count{sink=\"mirror\"}"], "4");
  EXPECT_EQ(all["walspout_sink_flush_seconds_sum{sink=\"mirror\"}"], "300.0315");
}

TEST(MetricsText, TellsOfCopies) {
  Figures figures = example();
  EXPECT_THAT(metrics_text(figures), Not(HasSubstr("walspout_snapshot")));
  figures.copies.push_back({"public.t", 500, 0.25});
  auto all = samples(metrics_text(figures));
  EXPECT_EQ(all["walspout_snapshot_rows_total{table=\"public.t\"}"], "500");
  EXPECT_EQ(all["walspout_snapshot_progress_ratio{table=\"public.t\"}"], "0.25");
}

}  // namespace
}  // namespace walspout::admin
