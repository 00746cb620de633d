// Begin Prepare, Prepare, Commit Prepared, Rollback Prepared and Stream Prepare.
#include "support.hpp"

namespace walspout::pgoutput {
namespace {

constexpr std::int64_t kEpoch2000 = 946'684'800'000'000;

using TwoPhaseMessages = Decode;

template <class T>
void expect_prepared(const T& message) {
  EXPECT_EQ(message.prepare_lsn, 0x10U);
  EXPECT_EQ(message.end_lsn, 0x20U);
  EXPECT_EQ(message.prepare_time_us, kEpoch2000 + 3);
  EXPECT_EQ(message.xid, 742U);
  EXPECT_EQ(message.gid, "gid");
}

TEST_F(TwoPhaseMessages, BeginPrepareHasNoFlags) {
  expect_prepared(as<BeginPrepare>(Build('b').u64(0x10).u64(0x20).u64(3).u32(742).str("gid")));
}

TEST_F(TwoPhaseMessages, PrepareNamesTheTransaction) {
  expect_prepared(as<Prepare>(Build('P').u8(0).u64(0x10).u64(0x20).u64(3).u32(742).str("gid")));
}

TEST_F(TwoPhaseMessages, StreamPrepareNamesTheTransaction) {
  expect_prepared(
      as<StreamPrepare>(Build('p').u8(0).u64(0x10).u64(0x20).u64(3).u32(742).str("gid")));
}

TEST_F(TwoPhaseMessages, CommitPreparedHasItsOwnPositions) {
  const auto commit =
      as<CommitPrepared>(Build('K').u8(0).u64(0x10).u64(0x20).u64(3).u32(742).str("gid"));
  EXPECT_EQ(commit.commit_lsn, 0x10U);
  EXPECT_EQ(commit.end_lsn, 0x20U);
  EXPECT_EQ(commit.commit_time_us, kEpoch2000 + 3);
  EXPECT_EQ(commit.xid, 742U);
  EXPECT_EQ(commit.gid, "gid");
}

TEST_F(TwoPhaseMessages, RollbackPreparedHasBothPositionsAndTimes) {
  const auto rollback =
      as<RollbackPrepared>(Build('r').u8(0).u64(0x10).u64(0x20).u64(3).u64(4).u32(742).str("gid"));
  EXPECT_EQ(rollback.prepare_end_lsn, 0x10U);
  EXPECT_EQ(rollback.rollback_end_lsn, 0x20U);
  EXPECT_EQ(rollback.prepare_time_us, kEpoch2000 + 3);
  EXPECT_EQ(rollback.rollback_time_us, kEpoch2000 + 4);
  EXPECT_EQ(rollback.xid, 742U);
  EXPECT_EQ(rollback.gid, "gid");
}

TEST_F(TwoPhaseMessages, UnknownFlagsOfAPrepareAreMalformed) {
  EXPECT_THAT(malformed(Build('P').u8(1).u64(1).u64(2).u64(3).u32(4).str("gid")),
              testing::HasSubstr(" Prepare at byte 1 of 34: unknown flags 0x01"));
}

TEST_F(TwoPhaseMessages, UnknownFlagsOfAStreamPrepareAreMalformed) {
  EXPECT_THAT(malformed(Build('p').u8(1).u64(1).u64(2).u64(3).u32(4).str("gid")),
              testing::HasSubstr("Stream Prepare at byte 1 of 34: unknown flags 0x01"));
}

TEST_F(TwoPhaseMessages, UnknownFlagsOfACommitPreparedAreMalformed) {
  EXPECT_THAT(malformed(Build('K').u8(1).u64(1).u64(2).u64(3).u32(4).str("gid")),
              testing::HasSubstr("Commit Prepared at byte 1 of 34: unknown flags 0x01"));
}

TEST_F(TwoPhaseMessages, UnknownFlagsOfARollbackPreparedAreMalformed) {
  EXPECT_THAT(malformed(Build('r').u8(1).u64(1).u64(2).u64(3).u64(3).u32(4).str("gid")),
              testing::HasSubstr("Rollback Prepared at byte 1 of 42: unknown flags 0x01"));
}

TEST_F(TwoPhaseMessages, AGidWithoutItsNulIsMalformed) {
  EXPECT_THAT(
      malformed(Build('b').u64(1).u64(2).u64(3).u32(4).raw("gid")),
      testing::HasSubstr("Begin Prepare at byte 29 of 32: a string without its terminating NUL"));
}

}  // namespace
}  // namespace walspout::pgoutput
