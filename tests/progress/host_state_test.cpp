#include "progress/host_state.hpp"

#include <gmock/gmock.h>

namespace walspout::progress {
namespace {

using testing::HasSubstr;

const HostState kHere{"7301", 3, "walspout", {}, {}, {}};

SourceFacts facts(base::Lsn confirmed = 0x100, base::Lsn wal_end = 0x1000) {
  return {kHere, wal_end, confirmed};
}

// What is said of a sink at 0/500.
std::string said(const std::string& state, const SourceFacts& source, base::Lsn position = 0x500) {
  const auto text = refusal("mirror", position, state, source);
  if (!text) return "";
  EXPECT_EQ(text->find('\n'), std::string::npos);
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

TEST(HostState, TablesAndCopiesAreReadBack) {
  HostState state = kHere;
  EXPECT_EQ(parse_host_state(format_host_state(state)), state);
  state.tables.emplace();
  EXPECT_EQ(parse_host_state(format_host_state(state)), state);
  (*state.tables)[16384] = 0xfedcba9876543210;
  (*state.tables)[16390] = 0;
  state.copies[16400] = {1700000000000001, 5000, 0xab, std::string("\0\1k \n:=", 7), {"x", "y"}};
  state.copies[16401] = {5, 0, 0, "", {}};
  state.stopped = {3, 4};
  EXPECT_EQ(parse_host_state(format_host_state(state)), state);
  EXPECT_EQ(format_host_state(state).find('\n'), std::string::npos);
}

TEST(HostState, UnknownWordsAreOfALaterVersion) {
  const auto read = parse_host_state("v1 system=1 generation=7 timeline=2 slot=s later=a,b");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->timeline, 2u);
  EXPECT_EQ(read->slot, "s");
}

TEST(HostState, AnythingElseIsNotUnderstood) {
  for (const char* text :
       {"", "v1", "v2 system=1", "system=1", "v1 system", "v1 timeline=x",
        "v1 timeline=", "v1 timeline=1x", "v1 timeline=99999999999", "v1 tables=1", "v1 tables=x:1",
        "v1 copy=1:2:3", "v1 copy=1:2:3:4:0g", "v1 copy=1:2:3:4:0", "v1 stopped=a"})
    EXPECT_FALSE(parse_host_state(text)) << text;
}

TEST(Refusal, NoneForTheSameSourceWhoseSlotIsBehind) {
  EXPECT_EQ(refusal("mirror", 0x500, format_host_state(kHere), facts()), std::nullopt);
  EXPECT_EQ(refusal("mirror", 0x500, format_host_state(kHere), facts(0x500, 0x500)), std::nullopt);
}

TEST(Refusal, NoneForAPositionWithoutAState) {
  EXPECT_EQ(refusal("mirror", 0x500, "", facts()), std::nullopt);
}

// Timeline 3 left 2 at 0/600, which had left 1 at 0/300.
SourceFacts promoted_twice() {
  SourceFacts source = facts();
  source.timeline_ends = {{1, 0x300}, {2, 0x600}};
  return source;
}

TEST(Refusal, NoneAfterAPromotionThatLacksNothing) {
  const std::string on_two = "v1 system=7301 timeline=2 slot=walspout";
  EXPECT_EQ(refusal("mirror", 0x500, on_two, promoted_twice()), std::nullopt);
  EXPECT_EQ(refusal("mirror", 0x600, on_two, promoted_twice()), std::nullopt);
}

TEST(Refusal, OfAPositionThatThePromotedServerLacks) {
  EXPECT_THAT(said("v1 system=7301 timeline=2 slot=walspout", promoted_twice(), 0x601),
              HasSubstr("sink mirror stands at 0/601 on timeline 2, but the source left timeline 2 "
                        "at 0/600 for timeline 3: it is a copy of the cluster"));
  EXPECT_THAT(said("v1 system=7301 timeline=1 slot=walspout", promoted_twice()),
              HasSubstr("left timeline 1 at 0/300 for timeline 3"));
}

TEST(Refusal, NoneWhenATimelineIsNotKnown) {
  EXPECT_EQ(refusal("mirror", 0x500, "v1 system=7301 timeline=0 slot=walspout", promoted_twice()),
            std::nullopt);
}

TEST(Refusal, OfAnotherCluster) {
  EXPECT_THAT(said("v1 system=99 timeline=3 slot=walspout", facts()),
              HasSubstr("sink mirror stands at 0/500 of the cluster with system identifier 99, but "
                        "the source is cluster 7301; point [source] url to the old cluster"));
}

TEST(Refusal, OfATimelineThatIsNotInTheSourcesHistory) {
  EXPECT_THAT(said("v1 system=7301 timeline=4 slot=walspout", promoted_twice()),
              HasSubstr("on timeline 4, but the source is on timeline 3, whose history does not "
                        "contain timeline 4"));
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
