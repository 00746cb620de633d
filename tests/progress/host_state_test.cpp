#include "progress/host_state.hpp"

#include <gmock/gmock.h>

namespace walspout::progress {
namespace {

using testing::HasSubstr;

const HostState kHere{"7301", 3, "walspout"};

SourceFacts facts(base::Lsn confirmed = 0x100, base::Lsn wal_end = 0x1000) {
  return {kHere, wal_end, confirmed};
}

// What is said of a sink at 0/500.
std::string said(const std::string& state, const SourceFacts& source, base::Lsn position = 0x500) {
  const auto text = refusal("mirror", position, state, source);
  if (!text) return "";
  EXPECT_EQ(text->find('\n'), std::string::npos);
  EXPECT_THAT(*text, HasSubstr("copy everything anew")) << "no way out is named";
  return *text;
}

TEST(HostState, IsReadBackAsItWasWritten) {
  EXPECT_EQ(format_host_state(kHere), "v1 system=7301 timeline=3 slot=walspout");
  const auto read = parse_host_state(format_host_state(kHere));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->system_id, "7301");
  EXPECT_EQ(read->timeline, 3u);
  EXPECT_EQ(read->slot, "walspout");
}

TEST(HostState, UnknownWordsAreOfALaterVersion) {
  const auto read = parse_host_state("v1 system=1 generation=7 timeline=2 slot=s copy=a,b");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->timeline, 2u);
  EXPECT_EQ(read->slot, "s");
}

TEST(HostState, AnythingElseIsNotUnderstood) {
  for (const char* text : {"", "v1", "v2 system=1", "system=1", "v1 system", "v1 timeline=x",
                           "v1 timeline=", "v1 timeline=1x", "v1 timeline=99999999999"})
    EXPECT_FALSE(parse_host_state(text)) << text;
}

TEST(Refusal, NoneForTheSameSourceWhoseSlotIsBehind) {
  EXPECT_EQ(refusal("mirror", 0x500, format_host_state(kHere), facts()), std::nullopt);
  EXPECT_EQ(refusal("mirror", 0x500, format_host_state(kHere), facts(0x500, 0x500)), std::nullopt);
}

TEST(Refusal, NoneForAPositionWithoutAState) {
  EXPECT_EQ(refusal("mirror", 0x500, "", facts()), std::nullopt);
}

TEST(Refusal, NoneAfterAPromotion) {
  EXPECT_EQ(refusal("mirror", 0x500, "v1 system=7301 timeline=2 slot=walspout", facts()),
            std::nullopt);
}

TEST(Refusal, OfAnotherCluster) {
  EXPECT_THAT(said("v1 system=99 timeline=3 slot=walspout", facts()),
              HasSubstr("sink mirror stands at 0/500 of the cluster with system identifier 99, but "
                        "the source is cluster 7301; point [source] url to the old cluster"));
}

TEST(Refusal, OfAnOlderCopyOfTheCluster) {
  EXPECT_THAT(said("v1 system=7301 timeline=4 slot=walspout", facts()),
              HasSubstr("on timeline 4, but the source is on 3"));
}

TEST(Refusal, OfAPositionBeyondTheServersWal) {
  EXPECT_THAT(said(format_host_state(kHere), facts(0x100, 0x4ff)),
              HasSubstr("has written only up to 0/4FF: it was restored from a backup"));
}

TEST(Refusal, OfASlotThatIsGone) {
  SourceFacts source = facts();
  source.slot_confirmed.reset();
  EXPECT_THAT(said(format_host_state(kHere), source),
              HasSubstr("slot walspout does not exist any more"));
}

TEST(Refusal, OfASlotThatHasMovedPastThePositionSaysHowMuchIsMissing) {
  EXPECT_THAT(said(format_host_state(kHere), facts(0x510)),
              HasSubstr("slot walspout has moved past it to 0/510: 16 bytes of WAL are missing"));
}

TEST(Refusal, OfAStateThatIsNotUnderstood) {
  EXPECT_THAT(said("v9 whatever", facts()), HasSubstr("a state that this version does not"));
}

}  // namespace
}  // namespace walspout::progress
