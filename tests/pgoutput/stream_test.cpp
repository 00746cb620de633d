// Stream Start, Stop, Commit and Abort; what holds for every message.
#include "support.hpp"

namespace walspout::pgoutput {
namespace {

constexpr std::int64_t kEpoch2000 = 946'684'800'000'000;

using StreamMessages = Decode;

TEST_F(StreamMessages, StartTellsTheFirstBlockFromLaterOnes) {
  const auto first = as<StreamStart>(Build('S').u32(742).u8(1));
  EXPECT_EQ(first.xid, 742U);
  EXPECT_TRUE(first.first_segment);
  EXPECT_FALSE(as<StreamStart>(Build('S').u32(742).u8(0)).first_segment);
}

TEST_F(StreamMessages, StopIsEmpty) {
  context.in_stream = true;
  EXPECT_NO_THROW(as<StreamStop>(Build('E')));
}

TEST_F(StreamMessages, CommitHasItsPositions) {
  const auto commit = as<StreamCommit>(Build('c').u32(742).u8(0).u64(0x10).u64(0x20).u64(3));
  EXPECT_EQ(commit.xid, 742U);
  EXPECT_EQ(commit.commit_lsn, 0x10U);
  EXPECT_EQ(commit.end_lsn, 0x20U);
  EXPECT_EQ(commit.commit_time_us, kEpoch2000 + 3);
}

TEST_F(StreamMessages, AbortNamesTheSubtransaction) {
  const auto abort = as<StreamAbort>(Build('A').u32(742).u32(743));
  EXPECT_EQ(abort.xid, 742U);
  EXPECT_EQ(abort.subxid, 743U);
  EXPECT_EQ(abort.abort_lsn, 0U);
  EXPECT_EQ(abort.abort_time_us, 0);
}

TEST_F(StreamMessages, AbortHasPositionAndTimeUnderParallelStreaming) {
  context.parallel = true;
  const auto abort = as<StreamAbort>(Build('A').u32(742).u32(743).u64(0x30).u64(4));
  EXPECT_EQ(abort.subxid, 743U);
  EXPECT_EQ(abort.abort_lsn, 0x30U);
  EXPECT_EQ(abort.abort_time_us, kEpoch2000 + 4);
}

TEST_F(StreamMessages, UnknownFlagsOfACommitAreMalformed) {
  EXPECT_THAT(malformed(Build('c').u32(742).u8(9).u64(0x10).u64(0x20).u64(3)),
              testing::HasSubstr("Stream Commit at byte 5 of 30: unknown flags 0x09"));
}

TEST_F(StreamMessages, AFirstSegmentThatIsNeitherYesNorNoIsMalformed) {
  EXPECT_THAT(malformed(Build('S').u32(742).u8(2)),
              testing::HasSubstr("Stream Start at byte 5 of 6: unknown flags 0x02"));
}

TEST_F(StreamMessages, AnAbortWithPositionIsMalformedWithoutParallelStreaming) {
  EXPECT_THAT(malformed(Build('A').u32(742).u32(743).u64(0x30).u64(4)),
              testing::HasSubstr("Stream Abort at byte 9 of 25: 16 bytes are left over"));
}

TEST_F(StreamMessages, AnAbortWithoutPositionIsMalformedUnderParallelStreaming) {
  context.parallel = true;
  EXPECT_THAT(malformed(Build('A').u32(742).u32(743)),
              testing::HasSubstr("Stream Abort at byte 9 of 9: the message ends too early"));
}

using AnyMessage = Decode;

TEST_F(AnyMessage, ThatIsEmptyIsMalformed) {
  EXPECT_EQ(malformed(std::string_view()), "malformed pgoutput message: it is empty");
}

TEST_F(AnyMessage, OfAnUnknownTypeIsMalformed) {
  EXPECT_EQ(malformed("z1"),
            "malformed pgoutput message of type 0x7A ('z') at byte 0 of 2: no such message type in "
            "protocol 1 to 4");
}

TEST_F(AnyMessage, OfATypeThatCannotBePrintedIsNamedByItsByte) {
  EXPECT_THAT(malformed("\n"), testing::HasSubstr("of type 0x0A at byte 0"));
}

TEST_F(AnyMessage, WithBytesLeftOverIsMalformed) {
  EXPECT_EQ(malformed(Build('B').u64(1).u64(2).u32(3).raw("ab")),
            "malformed pgoutput message Begin at byte 21 of 23: 2 bytes are left over");
}

TEST_F(AnyMessage, ThatEndsTooEarlySaysWhere) {
  EXPECT_EQ(malformed(Build('B').u64(1).raw("abc")),
            "malformed pgoutput message Begin at byte 9 of 12: the message ends too early");
}

TEST_F(AnyMessage, CarriesDataOnlyIfItsViewsAreKept) {
  for (const char type : std::string_view("IUDTM")) {
    EXPECT_TRUE(carries_data(static_cast<std::byte>(type))) << type;
  }
  for (const char type : std::string_view("BCORYSEcAbPKrpz")) {
    EXPECT_FALSE(carries_data(static_cast<std::byte>(type))) << type;
  }
}

}  // namespace
}  // namespace walspout::pgoutput
