#include "transaction/relation.hpp"

#include <utility>

namespace walspout::transaction {
namespace {

walspout_str str(const std::string& text) { return {text.data(), text.size()}; }

}  // namespace

Relation::Relation(TableShape shape, std::uint64_t new_version)
    : walspout_relation{}, shape_(std::move(shape)) {
  column_store_.reserve(shape_.columns.size());
  for (const ColumnShape& from : shape_.columns) {
    walspout_column to{};
    to.struct_size = sizeof to;
    to.flags = from.flags;
    to.type_oid = from.type_oid;
    to.base_type_oid = from.base_type_oid;
    to.element_type_oid = from.element_type_oid;
    to.type_mod = from.type_mod;
    to.attnum = from.attnum;
    to.key_ordinal = from.key_ordinal;
    to.name = str(from.name);
    to.type_name = str(from.type_name);
    column_store_.push_back(to);
  }
  for (const walspout_column& column : column_store_) column_pointers_.push_back(&column);
  struct_size = sizeof(walspout_relation);
  oid = shape_.oid;
  version = new_version;
  schema = str(shape_.schema);
  name = str(shape_.name);
  column_count = static_cast<std::uint32_t>(column_store_.size());
  replica_identity = shape_.replica_identity;
  columns = column_pointers_.data();
}

RelationPtr RelationCache::intern(TableShape shape) {
  std::vector<RelationPtr>& known = versions_[shape.oid];
  for (const RelationPtr& relation : known) {
    if (relation->shape() == shape) return relation;
  }
  known.push_back(std::make_shared<Relation>(std::move(shape), next_version_++));
  return known.back();
}

}  // namespace walspout::transaction
