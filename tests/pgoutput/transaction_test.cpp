// Begin, Commit, Origin and Message.
#include <limits>

#include "support.hpp"

namespace walspout::pgoutput {
namespace {

constexpr std::int64_t kEpoch2000 = 946'684'800'000'000;

using TransactionMessages = Decode;

TEST_F(TransactionMessages, BeginHasTheCommitsPositionAndTimeAndTheXid) {
  const auto begin = as<Begin>(Build('B').u64(0x1122334455667788).u64(1'500'000).u32(742));
  EXPECT_EQ(begin.commit_lsn, 0x1122334455667788U);
  EXPECT_EQ(begin.commit_time_us, kEpoch2000 + 1'500'000);
  EXPECT_EQ(begin.xid, 742U);
}

TEST_F(TransactionMessages, CommitHasThePositionBehindItsRecord) {
  const auto commit = as<Commit>(Build('C').u8(0).u64(0x10).u64(0x20).u64(0));
  EXPECT_EQ(commit.commit_lsn, 0x10U);
  EXPECT_EQ(commit.end_lsn, 0x20U);
  EXPECT_EQ(commit.commit_time_us, kEpoch2000);
}

TEST_F(TransactionMessages, ATimeBefore2000IsCountedBackwards) {
  const auto begin =
      as<Begin>(Build('B').u64(1).u64(static_cast<std::uint64_t>(-kEpoch2000 - 5)).u32(1));
  EXPECT_EQ(begin.commit_time_us, -5);
}

TEST_F(TransactionMessages, ATimeThatDoesNotFitIsTheLastOne) {
  constexpr auto kLast = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(as<Begin>(Build('B').u64(1).u64(kLast).u32(1)).commit_time_us, kLast);
  EXPECT_EQ(as<Begin>(Build('B').u64(1).u64(kLast - kEpoch2000).u32(1)).commit_time_us, kLast);
  EXPECT_EQ(as<Begin>(Build('B').u64(1).u64(kLast - kEpoch2000 - 1).u32(1)).commit_time_us,
            kLast - 1);
}

TEST_F(TransactionMessages, TheFirstTimeThereIsDoesNotOverflow) {
  constexpr auto kFirst = std::numeric_limits<std::int64_t>::min();
  const auto begin = as<Begin>(Build('B').u64(1).u64(static_cast<std::uint64_t>(kFirst)).u32(1));
  EXPECT_EQ(begin.commit_time_us, kFirst + kEpoch2000);
}

TEST_F(TransactionMessages, OriginHasItsPositionThereAndItsName) {
  const auto origin = as<Origin>(Build('O').u64(0xABCD1234).str("upstream"));
  EXPECT_EQ(origin.lsn, 0xABCD1234U);
  EXPECT_EQ(origin.name, "upstream");
}

TEST_F(TransactionMessages, OriginHasNoXidInsideOfAStreamedBlock) {
  context.in_stream = true;
  EXPECT_EQ(as<Origin>(Build('O').u64(5).str("upstream")).name, "upstream");
}

TEST_F(TransactionMessages, MessageKeepsBytesThatAreNoText) {
  const std::string content("\0\xff\0", 3);
  const auto message = as<LogicalMessage>(Build('M').u8(1).u64(9).str("raw").u32(3).raw(content));
  EXPECT_EQ(message.xid, 0U);
  EXPECT_TRUE(message.transactional);
  EXPECT_EQ(message.lsn, 9U);
  EXPECT_EQ(message.prefix, "raw");
  EXPECT_EQ(message.content, content);
}

TEST_F(TransactionMessages, MessageMayBeNotTransactionalAndEmpty) {
  const auto message = as<LogicalMessage>(Build('M').u8(0).u64(9).str("").u32(0));
  EXPECT_FALSE(message.transactional);
  EXPECT_EQ(message.prefix, "");
  EXPECT_EQ(message.content, "");
}

TEST_F(TransactionMessages, MessageCarriesAnXidInsideOfAStreamedBlock) {
  context.in_stream = true;
  const auto message = as<LogicalMessage>(Build('M').u32(77).u8(1).u64(9).str("p").u32(0));
  EXPECT_EQ(message.xid, 77U);
}

TEST_F(TransactionMessages, UnknownFlagsOfACommitAreMalformed) {
  EXPECT_EQ(malformed(Build('C').u8(1).u64(1).u64(2).u64(0)),
            "malformed pgoutput message Commit at byte 1 of 26: unknown flags 0x01");
}

TEST_F(TransactionMessages, UnknownFlagsOfAMessageAreMalformed) {
  EXPECT_EQ(malformed(Build('M').u8(2).u64(9).str("p").u32(0)),
            "malformed pgoutput message Message at byte 1 of 16: unknown flags 0x02");
}

TEST_F(TransactionMessages, AnOriginWithoutTheNulOfItsNameIsMalformed) {
  EXPECT_EQ(
      malformed(Build('O').u64(5).raw("upstream")),
      "malformed pgoutput message Origin at byte 9 of 17: a string without its terminating NUL");
}

TEST_F(TransactionMessages, AMessageWithoutTheNulOfItsPrefixIsMalformed) {
  EXPECT_THAT(malformed(Build('M').u8(1).u64(9).raw("prefix")),
              testing::HasSubstr("at byte 10 of 16: a string without its terminating NUL"));
}

TEST_F(TransactionMessages, AContentLargerThanItsMessageIsMalformed) {
  EXPECT_EQ(
      malformed(Build('M').u8(1).u64(9).str("p").u32(4).raw("abc")),
      "malformed pgoutput message Message at byte 12 of 19: a count or length of 4 does not fit "
      "into the 3 bytes left");
}

TEST_F(TransactionMessages, ANegativeLengthOfAContentIsMalformed) {
  EXPECT_EQ(malformed(Build('M').u8(1).u64(9).str("p").u32(0xFFFFFFFF).raw("abc")),
            "malformed pgoutput message Message at byte 12 of 19: a negative count or length, -1");
}

}  // namespace
}  // namespace walspout::pgoutput
