#include "postgres/identify.hpp"

#include "fixture.hpp"

namespace walspout::postgres {

constexpr std::uint64_t kSegment = 16 * 1024 * 1024;

TEST(PageHeader, APositionJustBehindOneMeansThePagesStart) {
  EXPECT_EQ(without_page_header(8192 + 24, kSegment), 8192u);
  EXPECT_EQ(without_page_header(kSegment + 40, kSegment), kSegment);
}

TEST(PageHeader, OtherPositionsStay) {
  EXPECT_EQ(without_page_header(8192 + 32, kSegment), 8192u + 32);
  EXPECT_EQ(without_page_header(8192, kSegment), 8192u);
  EXPECT_EQ(without_page_header(kSegment + 24, kSegment), kSegment + 24);  // inside the long header
  EXPECT_EQ(without_page_header(kSegment + 8192 + 40, kSegment), kSegment + 8192 + 40);
}

TEST(TimelineHistory, ANameAPositionAndAReasonAreALine) {
  EXPECT_EQ(parse_timeline_history("1\t0/3000148\tno recovery target specified\n"
                                   "\n# a comment\n"
                                   "2\t1/A0\tbefore 2000-01-01 00:00:00+00"),
            (TimelineEnds{{1, 0x3000148}, {2, 0x1000000a0}}));
  EXPECT_EQ(parse_timeline_history(""), TimelineEnds{});
}

TEST(TimelineHistory, AnythingElseIsRefused) {
  for (const char* text : {"1", "1\t", "x\t0/1\t", "1x 0/1", "1 0", "1\t0/1\t\n2\n"})
    EXPECT_THROW(parse_timeline_history(text), std::runtime_error) << text;
}

using Identify = WithDatabase;

TEST_F(Identify, NamesTheClusterAndTheDatabase) {
  auto replication = replicate();
  const auto identity = identify_system(replication);
  EXPECT_EQ(identity.system_id, value("SELECT system_identifier FROM pg_control_system()"));
  EXPECT_EQ(identity.timeline, 1u);
  EXPECT_EQ(identity.database, db_);
  EXPECT_NE(identity.wal_flushed, 0u);
}

TEST_F(Identify, TheFirstTimelineHasNoHistory) {
  auto replication = replicate();
  EXPECT_EQ(timeline_history(replication, 1), TimelineEnds{});
  try {
    timeline_history(replication, 77);
    ADD_FAILURE() << "it has one";
  } catch (const SqlError& error) {
    EXPECT_EQ(error.sqlstate, "58P01") << error.what();
  }
}

TEST_F(Identify, ReadsTheSendersTimeout) {
  auto replication = replicate();
  replication.exec("SET wal_sender_timeout = '90s'");
  EXPECT_EQ(wal_sender_timeout(replication), 90s);
  replication.exec("SET wal_sender_timeout = 0");
  EXPECT_EQ(wal_sender_timeout(replication), 0s);
  replication.exec("SET wal_sender_timeout = '5min'");
  EXPECT_EQ(wal_sender_timeout(replication), 5min);
}

TEST_F(Identify, APrimaryIsNotInRecovery) {
  auto conn = connect();
  EXPECT_FALSE(is_in_recovery(conn));
  EXPECT_NE(current_wal_lsn(conn), 0u);
}

TEST_F(Identify, TheCommittedEndContainsAsynchronousCommits) {
  sql("CREATE TABLE t (x int)");
  auto conn = connect();
  conn.exec("SET synchronous_commit = off");
  for (int i = 0; i < 5; ++i) {
    conn.exec("INSERT INTO public.t VALUES (1)");
    const auto inserted = conn.exec("SELECT pg_current_wal_insert_lsn()").string(0, 0);
    EXPECT_GE(committed_end(conn),
              without_page_header(base::parse_lsn(inserted).value(), kSegment) - 64);
    const auto flushed = conn.exec("SELECT pg_current_wal_flush_lsn()").string(0, 0);
    EXPECT_LE(committed_end(conn), base::parse_lsn(flushed).value() + 4096);
  }
}

}  // namespace walspout::postgres
