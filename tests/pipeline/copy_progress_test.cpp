#include "pipeline/copy_progress.hpp"

#include <gtest/gtest.h>

namespace walspout {
namespace {

TEST(CopyProgress, TellsRowsRateAndTimeLeft) {
  EXPECT_EQ((CopyFigures{500, 0, 5000, 2}.so_far()), "500 rows, 250 rows/s, about 10 %, 18 s left");
}

TEST(CopyProgress, RowsThatAnEarlierProcessReadMakeItNoFaster) {
  const CopyFigures resumed{500, 400, 5000, 2};
  EXPECT_EQ(resumed.so_far(), "500 rows, 50 rows/s, about 10 %, 90 s left");
  EXPECT_EQ(resumed.in_the_end(), "500 rows, 100 of them now, in 2.0 s, 50 rows/s");
}

TEST(CopyProgress, WithoutAnEstimateTheTimeLeftIsNotKnown) {
  EXPECT_EQ((CopyFigures{500, 0, -1, 2}.so_far()), "500 rows, 250 rows/s, time left not known");
  EXPECT_EQ((CopyFigures{500, 0, 400, 2}.so_far()), "500 rows, 250 rows/s, time left not known");
}

TEST(CopyProgress, IsNotAtItsEndBeforeItIs) {
  EXPECT_EQ((CopyFigures{4999, 0, 5000, 1}.so_far()),
            "4999 rows, 4999 rows/s, about 99 %, 0 s left");
}

TEST(CopyProgress, NothingWasReadInNoTime) {
  EXPECT_EQ((CopyFigures{0, 0, 5000, 0}.so_far()), "0 rows, 0 rows/s, about 0 %");
  EXPECT_EQ((CopyFigures{0, 0, 0, 0}.in_the_end()), "0 rows in 0.0 s, 0 rows/s");
}

}  // namespace
}  // namespace walspout
