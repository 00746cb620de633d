// Relation and Type.
#include "support.hpp"

namespace walspout::pgoutput {
namespace {

using RelationMessages = Decode;

Build two_columns() { return Build('R').u32(16384).str("public").str("item").raw("d").u16(2); }

TEST_F(RelationMessages, RelationHasItsColumnsInOrder) {
  const auto relation = as<Relation>(two_columns()
                                         .u8(1)
                                         .str("id")
                                         .u32(23)
                                         .u32(0xFFFFFFFF)
                                         .u8(0)
                                         .str("price")
                                         .u32(1700)
                                         .u32(655366));
  EXPECT_EQ(relation.xid, 0U);
  EXPECT_EQ(relation.oid, 16384U);
  EXPECT_EQ(relation.schema, "public");
  EXPECT_EQ(relation.name, "item");
  EXPECT_EQ(relation.replica_identity, 'd');
  ASSERT_EQ(relation.columns.size(), 2U);
  EXPECT_TRUE(relation.columns[0].key);
  EXPECT_EQ(relation.columns[0].name, "id");
  EXPECT_EQ(relation.columns[0].type_oid, 23U);
  EXPECT_EQ(relation.columns[0].type_mod, -1);
  EXPECT_FALSE(relation.columns[1].key);
  EXPECT_EQ(relation.columns[1].name, "price");
  EXPECT_EQ(relation.columns[1].type_mod, 655366);
}

TEST_F(RelationMessages, AnEmptySchemaIsPgCatalog) {
  EXPECT_EQ(as<Relation>(Build('R').u32(1).str("").str("t").raw("n").u16(0)).schema, "pg_catalog");
  EXPECT_EQ(as<Type>(Build('Y').u32(1).str("").str("t")).schema, "pg_catalog");
}

TEST_F(RelationMessages, ARelationMayHaveNoColumns) {
  EXPECT_TRUE(as<Relation>(Build('R').u32(1).str("s").str("t").raw("f").u16(0)).columns.empty());
}

TEST_F(RelationMessages, EachReplicaIdentityIsKept) {
  for (const char identity : {'d', 'n', 'f', 'i'}) {
    const auto relation = as<Relation>(
        Build('R').u32(1).str("s").str("t").u8(static_cast<std::uint8_t>(identity)).u16(0));
    EXPECT_EQ(relation.replica_identity, identity);
  }
}

TEST_F(RelationMessages, TypeHasItsName) {
  const auto type = as<Type>(Build('Y').u32(16386).str("public").str("mood"));
  EXPECT_EQ(type.xid, 0U);
  EXPECT_EQ(type.oid, 16386U);
  EXPECT_EQ(type.schema, "public");
  EXPECT_EQ(type.name, "mood");
}

TEST_F(RelationMessages, BothCarryAnXidInsideOfAStreamedBlock) {
  context.in_stream = true;
  EXPECT_EQ(as<Relation>(Build('R').u32(77).u32(1).str("s").str("t").raw("d").u16(0)).xid, 77U);
  const auto type = as<Type>(Build('Y').u32(78).u32(2).str("s").str("t"));
  EXPECT_EQ(type.xid, 78U);
  EXPECT_EQ(type.oid, 2U);
}

TEST_F(RelationMessages, AnUnknownReplicaIdentityIsMalformed) {
  EXPECT_EQ(
      malformed(Build('R').u32(1).str("s").str("t").raw("x").u16(0)),
      "malformed pgoutput message Relation at byte 9 of 12: unknown replica identity 0x78 ('x')");
}

TEST_F(RelationMessages, UnknownFlagsOfAColumnAreMalformed) {
  EXPECT_THAT(malformed(Build('R').u32(1).str("s").str("t").raw("d").u16(1).u8(3).str("c").u64(0)),
              testing::HasSubstr("at byte 12 of 23: unknown flags 0x03"));
}

TEST_F(RelationMessages, MoreColumnsThanTheBytesLeftCanHoldAreRefusedBeforeMemoryIsTaken) {
  EXPECT_THAT(
      malformed(Build('R').u32(1).str("s").str("t").raw("d").u16(30000).u8(1).str("c").u64(0)),
      testing::HasSubstr("a count or length of 30000 does not fit into the 11 bytes left"));
  EXPECT_EQ(arena.footprint(), 0U);
}

TEST_F(RelationMessages, ANegativeNumberOfColumnsIsMalformed) {
  EXPECT_THAT(malformed(Build('R').u32(1).str("s").str("t").raw("d").u16(0xFFFF)),
              testing::HasSubstr("at byte 10 of 12: a negative count or length, -1"));
}

TEST_F(RelationMessages, AColumnWithoutTheNulOfItsNameIsMalformed) {
  EXPECT_THAT(
      malformed(Build('R').u32(1).str("s").str("t").raw("d").u16(1).u8(1).raw("abcdefghijkl")),
      testing::HasSubstr("at byte 13 of 25: a string without its terminating NUL"));
}

TEST_F(RelationMessages, ARelationWithoutTheNulOfItsSchemaIsMalformed) {
  EXPECT_THAT(malformed(Build('R').u32(1).raw("public")),
              testing::HasSubstr("Relation at byte 5 of 11: a string without its terminating NUL"));
}

TEST_F(RelationMessages, ATypeWithoutTheNulOfItsNameIsMalformed) {
  EXPECT_THAT(malformed(Build('Y').u32(1).str("s").raw("mood")),
              testing::HasSubstr("Type at byte 7 of 11: a string without its terminating NUL"));
}

TEST_F(RelationMessages, AColumnThatEndsInItsTypeIsMalformed) {
  EXPECT_THAT(
      malformed(Build('R').u32(1).str("s").str("t").raw("d").u16(1).u8(1).str("long_name").u32(23)),
      testing::HasSubstr("the message ends too early"));
}

}  // namespace
}  // namespace walspout::pgoutput
