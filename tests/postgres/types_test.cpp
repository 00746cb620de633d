#include <algorithm>

#include "fixture.hpp"
#include "postgres/catalogue.hpp"

namespace walspout::postgres {

class Types : public WithDatabase {
 protected:
  Types() {
    sql("CREATE DOMAIN amount AS numeric(10,2); CREATE DOMAIN price AS amount CHECK (VALUE > 0);"
        "CREATE DOMAIN list AS price[]; CREATE TYPE pair AS (a int, b text);"
        "CREATE TYPE mood AS ENUM (); CREATE SCHEMA s; CREATE TYPE s.mood AS ENUM ('x')");
  }
  std::uint32_t oid(const std::string& type) {
    return static_cast<std::uint32_t>(std::stoul(value("SELECT '" + type + "'::regtype::oid")));
  }
  // Found one by one and among all, alike.
  TypeFacts facts(const std::string& type) {
    auto conn = connect();
    const auto one = load_type(conn, oid(type));
    const auto all = load_types(conn);
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const auto& each) { return each.oid == one->oid; });
    EXPECT_TRUE(one && same != all.end());
    EXPECT_EQ(one->name, same->name);
    EXPECT_EQ(one->base_oid, same->base_oid);
    EXPECT_EQ(one->base_type_mod, same->base_type_mod);
    EXPECT_EQ(one->element_oid, same->element_oid);
    return *one;
  }

  static constexpr std::uint32_t kInt4 = 23, kNumeric = 1700;
  static constexpr std::int32_t kNumeric10_2 = (10 << 16 | 2) + 4;
};

TEST_F(Types, ABuiltInTypeIsItsOwnBase) {
  const auto type = facts("timestamptz");
  EXPECT_EQ(type.name, "timestamp with time zone");
  EXPECT_EQ(type.base_oid, type.oid);
  EXPECT_EQ(type.base_type_mod, -1);
  EXPECT_EQ(type.element_oid, 0u);
  EXPECT_EQ(type.category, 'D');
}

TEST_F(Types, ADomainHasItsBaseWithItsModifier) {
  const auto type = facts("amount");
  EXPECT_EQ(type.kind, 'd');
  EXPECT_EQ(type.name, "public.amount");
  EXPECT_EQ(type.base_oid, kNumeric);
  EXPECT_EQ(type.base_type_mod, kNumeric10_2);
}

TEST_F(Types, ANestedDomainGoesDownToTheBase) {
  const auto type = facts("price");
  EXPECT_EQ(type.base_oid, kNumeric);
  EXPECT_EQ(type.base_type_mod, kNumeric10_2);
}

TEST_F(Types, AnArrayHasItsElement) { EXPECT_EQ(facts("int4[]").element_oid, kInt4); }

TEST_F(Types, AnArrayOfDomainsHasTheirBaseAsElement) {
  EXPECT_EQ(facts("price[]").element_oid, kNumeric);
}

TEST_F(Types, ADomainOverAnArrayOfDomainsIsAnArrayOfTheirBase) {
  const auto type = facts("list");
  EXPECT_EQ(type.base_oid, oid("price[]"));
  EXPECT_EQ(type.element_oid, kNumeric);
  EXPECT_EQ(type.category, 'A');
}

TEST_F(Types, AVectorThatPrintsWithoutBracesIsNoArray) {
  EXPECT_EQ(facts("int2vector").element_oid, 0u);
}

TEST_F(Types, ACompositeAndAnEnumWithoutLabelsAreTypes) {
  EXPECT_EQ(facts("pair").kind, 'c');
  EXPECT_EQ(facts("mood").kind, 'e');
  EXPECT_EQ(facts("s.mood").name, "s.mood");
}

TEST_F(Types, OneThatIsGoneIsNothing) {
  auto conn = connect();
  EXPECT_FALSE(load_type(conn, 4'000'000'000u));
}

}  // namespace walspout::postgres
