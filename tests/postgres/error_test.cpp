#include "postgres/error.hpp"

#include <gtest/gtest.h>

namespace walspout::postgres {

TEST(Transient, StatesThatPassByThemselvesAreWorthAnotherTry) {
  for (const char* state : {"08006", "57P01", "57P03", "53300", "55006", "40001"}) {
    EXPECT_TRUE(is_transient(state)) << state;
  }
}

TEST(Transient, EverythingElseGoesToAPerson) {
  for (const char* state : {"42501", "42704", "28P01", "3D000", "55000", "XX000", "", "08"}) {
    EXPECT_FALSE(is_transient(state)) << state;
  }
}

TEST(Transient, ALostConnectionIsAndARefusalIsNot) {
  EXPECT_TRUE(is_transient(ConnectionLost("x")));
  EXPECT_TRUE(is_transient(SqlError("x", "55006")));
  EXPECT_FALSE(is_transient(Refused("x")));
  EXPECT_FALSE(is_transient(TableChanged("x")));
}

}  // namespace walspout::postgres
