// Verify while rows change, and on large tables.
#include "verify/load_fixture.hpp"

namespace walspout::test {
namespace {

TEST_F(VerifyLoad, NoFalseDifferenceWhileRowsChange) { expect_equal_under_load(6); }

TEST_F(VerifyLoad, PlantedDifferencesInAHundredThousandRows) { expect_planted_found(100'000); }

TEST_F(VerifyLoad, ALostRangeIsListedUpToALimitAndCounted) {
  sql("create table t (id int primary key, v text)");
  sql("insert into t select g, 'v' from generate_series(1, 30000) g");
  start_mirror();
  in_mirror("delete from t where id > 5000");
  verify();
  EXPECT_EQ(last_.status, 1);
  EXPECT_EQ(differences().size(), 10'000U);
  EXPECT_TRUE(printed("25000 of them differ")) << lines_of(last_.output).back();
}

TEST_F(VerifyLoad, ARowThatIsEqualAgainIsNoDifference) {
  sql("create table t (id int primary key, v text)");
  sql("insert into t values (1, 'v')");
  start_mirror();
  in_mirror("update t set v = 'x'");
  expect_differences({"public.t (id=1): differs in: v (source 'v', mirror 'x')"});
  sql("update t set v = 'x'");
  host().wait_caught_up();
  expect_equal();
}

}  // namespace
}  // namespace walspout::test
