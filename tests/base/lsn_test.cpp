#include "base/lsn.hpp"

#include <gtest/gtest.h>

namespace walspout::base {
namespace {

TEST(Lsn, IsPrintedAsPostgresqlDoes) {
  EXPECT_EQ(format_lsn(0), "0/0");
  EXPECT_EQ(format_lsn(0x16b374d848ull), "16/B374D848");
  EXPECT_EQ(format_lsn(~0ull), "FFFFFFFF/FFFFFFFF");
}

TEST(Lsn, IsReadBackAsItWasPrinted) {
  for (const Lsn lsn : {Lsn{0}, Lsn{1}, Lsn{0x16b374d848}, Lsn{0x100000000}, ~Lsn{0}})
    EXPECT_EQ(parse_lsn(format_lsn(lsn)), lsn);
  EXPECT_EQ(parse_lsn("16/b374d848"), Lsn{0x16b374d848});
}

TEST(Lsn, AnythingElseIsNone) {
  for (const char* text : {"", "/", "1", "1/", "/1", "1/2/3", "g/1", "1/g", " 1/2", "1/2 ", "-1/2",
                           "+1/2", "0x1/2", "123456789/0", "0/123456789"})
    EXPECT_EQ(parse_lsn(text), std::nullopt) << text;
}

}  // namespace
}  // namespace walspout::base
