// The small text helpers that settings and configuration share.
#include <gtest/gtest.h>

#include "base/nearest.hpp"
#include "base/quote.hpp"
#include "base/units.hpp"

namespace walspout::base {
namespace {

TEST(Units, ReadDurations) {
  EXPECT_EQ(parse_duration_ms("500ms"), 500);
  EXPECT_EQ(parse_duration_ms("30s"), 30'000);
  EXPECT_EQ(parse_duration_ms("5m"), 300'000);
  EXPECT_EQ(parse_duration_ms("1h"), 3'600'000);
  EXPECT_EQ(parse_duration_ms("2d"), 172'800'000);
  EXPECT_EQ(parse_duration_ms("0s"), 0);
}

TEST(Units, RefuseWhatIsNoDuration) {
  for (const char* text : {"", "s", "30", "30 s", " 30s", "-1s", "+1s", "1.5s", "30S", "1m30s",
                           "99999999999999999999s", "9223372036854775807h"})
    EXPECT_EQ(parse_duration_ms(text), std::nullopt) << text;
}

TEST(Units, ReadSizes) {
  EXPECT_EQ(parse_bytes("0"), 0);
  EXPECT_EQ(parse_bytes("1500"), 1500);
  EXPECT_EQ(parse_bytes("1500B"), 1500);
  EXPECT_EQ(parse_bytes("64KiB"), 65536);
  EXPECT_EQ(parse_bytes("256MiB"), std::int64_t{256} << 20);
  EXPECT_EQ(parse_bytes("10GiB"), std::int64_t{10} << 30);
  EXPECT_EQ(parse_bytes("1TiB"), std::int64_t{1} << 40);
}

TEST(Units, RefuseWhatIsNoSize) {
  for (const char* text :
       {"", "KiB", "64KB", "64kib", "64 KiB", "-1", "1.5GiB", "9223372036854775808", "8388608TiB"})
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
}

TEST(Nearest, FindsASlipOfTheFinger) {
  constexpr std::string_view kNames[] = {"timeout", "path", "tables"};
  EXPECT_EQ(nearest("tiemout", kNames), "timeout");
  EXPECT_EQ(nearest("timeot", kNames), "timeout");
  EXPECT_EQ(nearest("table", kNames), "tables");
  EXPECT_EQ(nearest("pth", kNames), "path");
}

TEST(Nearest, FindsNothingForWhatIsFarAway) {
  constexpr std::string_view kNames[] = {"timeout", "path"};
  EXPECT_EQ(nearest("compression", kNames), std::nullopt);
  EXPECT_EQ(nearest("", kNames), std::nullopt);
  EXPECT_EQ(nearest(std::string(100'000, 'x'), kNames), std::nullopt);
}

TEST(Nearest, SaysWhatIsKnownWhenNothingIsNear) {
  constexpr std::string_view kNames[] = {"timeout", "path"};
  EXPECT_EQ(did_you_mean("pat", kNames), "; did you mean 'path'?");
  EXPECT_EQ(did_you_mean("zzzzzz", kNames), "; known are timeout, path");
  EXPECT_EQ(did_you_mean("zzzzzz", {}), "");
}

TEST(Quote, KeepsAMessageOnOneLine) {
  EXPECT_EQ(base::quoted("a\nb\tc\x1b[0m"), "'a\\nb\\tc\\x1b[0m'");
  EXPECT_EQ(one_line("caf\xc3\xa9"), "caf\xc3\xa9");
}

TEST(Quote, CutsBetweenCharacters) {
  const std::string text = std::string(199, 'x') + "\xc3\xa9" + "tail";
  EXPECT_EQ(base::quoted(text), '\'' + std::string(199, 'x') + "...'");
}

}  // namespace
}  // namespace walspout::base
