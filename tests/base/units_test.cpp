#include "base/units.hpp"

#include <gtest/gtest.h>

namespace walspout::base {
namespace {

TEST(Units, SizesAreRoundedForAReader) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(std::uint64_t{3} << 30), "3.0 GiB");
  EXPECT_EQ(format_bytes(~std::uint64_t{0}), "16777216.0 TiB");
}

TEST(Units, TimesAreRoundedForAReader) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(59), "59 s");
  EXPECT_EQ(format_seconds(60), "1 min");
  EXPECT_EQ(format_seconds(3599), "59 min");
  EXPECT_EQ(format_seconds(3600), "1 h");
  EXPECT_EQ(format_seconds(12'000), "3 h 20 min");
  EXPECT_EQ(format_seconds(86'400), "1 d");
  EXPECT_EQ(format_seconds(190'000), "2 d 4 h");
}

}  // namespace
}  // namespace walspout::base
