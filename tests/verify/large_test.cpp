// The same as load_test.cpp, for long.
#include "verify/load_fixture.hpp"

namespace walspout::test {
namespace {

TEST_F(VerifyLoad, NoFalseDifferenceInManyRounds) { expect_equal_under_load(60); }

TEST_F(VerifyLoad, PlantedDifferencesInAMillionRows) { expect_planted_found(1'000'000); }

}  // namespace
}  // namespace walspout::test
