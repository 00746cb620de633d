#include "transaction/relation.hpp"

#include <gtest/gtest.h>

namespace walspout::transaction {
namespace {

TableShape shape(std::uint32_t oid = 5, const std::string& second = "v") {
  TableShape made;
  made.oid = oid;
  made.schema = "public";
  made.name = "t";
  ColumnShape id;
  id.name = "id";
  id.type_name = "integer";
  id.type_oid = id.base_type_oid = 23;
  id.attnum = 1;
  id.key_ordinal = 1;
  id.flags = WALSPOUT_COLUMN_KEY | WALSPOUT_COLUMN_PRIMARY;
  ColumnShape v;
  v.name = second;
  v.type_name = "numeric";
  v.type_oid = v.base_type_oid = 1700;
  v.type_mod = 655366;
  made.columns = {id, v};
  return made;
}

TEST(Relation, ShowsItsShapeInTheFormOfTheContract) {
  const Relation relation(shape(), 9);
  const walspout_relation& abi = relation;
  EXPECT_EQ(abi.struct_size, sizeof(walspout_relation));
  EXPECT_EQ(abi.oid, 5u);
  EXPECT_EQ(abi.version, 9u);
  EXPECT_EQ(std::string_view(abi.schema.data, abi.schema.size), "public");
  EXPECT_EQ(std::string_view(abi.name.data, abi.name.size), "t");
  EXPECT_EQ(abi.replica_identity, 'd');
  ASSERT_EQ(abi.column_count, 2u);
  EXPECT_EQ(abi.columns[0]->struct_size, sizeof(walspout_column));
  EXPECT_EQ(abi.columns[0]->flags, 3u);
  EXPECT_EQ(abi.columns[0]->key_ordinal, 1);
  EXPECT_EQ(abi.columns[1]->type_mod, 655366);
  const walspout_str name = abi.columns[1]->type_name;
  EXPECT_EQ(std::string_view(name.data, name.size), "numeric");
  EXPECT_EQ(&Relation::of(abi), &relation);
}

TEST(Relation, TableWithoutColumnsIsOne) {
  TableShape empty = shape();
  empty.columns.clear();
  EXPECT_EQ(Relation(empty, 1).column_count, 0u);
}

TEST(RelationCache, SameShapeIsTheSameVersion) {
  RelationCache cache;
  const RelationPtr one = cache.intern(shape());
  const RelationPtr other = cache.intern(shape(5, "w"));
  EXPECT_EQ(cache.intern(shape()), one);
  EXPECT_EQ(cache.intern(shape(5, "w")), other);
  EXPECT_NE(one->version, other->version);
}

TEST(RelationCache, VersionsAreUniqueOverAllTables) {
  RelationCache cache;
  EXPECT_EQ(cache.intern(shape(5))->version, 1u);
  EXPECT_EQ(cache.intern(shape(6))->version, 2u);
  EXPECT_EQ(cache.intern(shape(5, "w"))->version, 3u);
}

TEST(RelationCache, EveryPartOfAShapeCounts) {
  RelationCache cache;
  const RelationPtr one = cache.intern(shape());
  std::vector<TableShape> others(7, shape());
  others[0].name = "u";
  others[1].replica_identity = 'f';
  others[2].columns[1].type_mod = -1;
  others[3].columns[0].flags = WALSPOUT_COLUMN_KEY;
  others[4].columns.pop_back();
  others[5].columns[1].attnum = 7;
  others[6].schema = "s";
  for (const TableShape& other : others) EXPECT_NE(cache.intern(other), one);
}

}  // namespace
}  // namespace walspout::transaction
