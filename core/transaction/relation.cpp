#include "transaction/relation.hpp"

#include <stdexcept>
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

namespace {

// What only the catalogue knows is missing where it describes another moment than the stream: that
// alone makes no new shape.
bool same_shape(const TableShape& known, const TableShape& asked) {
  if (known == asked) return true;
  if (known.name != asked.name || known.schema != asked.schema ||
      known.replica_identity != asked.replica_identity ||
      known.columns.size() != asked.columns.size())
    return false;
  for (std::size_t i = 0; i < known.columns.size(); ++i) {
    const ColumnShape& a = known.columns[i];
    ColumnShape b = asked.columns[i];
    if (b.attnum != 0 && a.attnum != 0) return false;
    b.attnum = a.attnum;
    constexpr std::uint32_t kFromCatalogue = WALSPOUT_COLUMN_NOT_NULL | WALSPOUT_COLUMN_GENERATED;
    b.flags = (b.flags & ~kFromCatalogue) | (a.flags & kFromCatalogue);
    if (a != b) return false;
  }
  return true;
}

}  // namespace

RelationPtr RelationCache::intern(TableShape shape) {
  std::vector<RelationPtr>& known = versions_[shape.oid];
  for (auto it = known.rbegin(); it != known.rend(); ++it)
    if (same_shape((*it)->shape(), shape)) return *it;
  known.push_back(std::make_shared<Relation>(std::move(shape), next_version_++));
  return known.back();
}

RelationPtr RelationCache::find(const walspout_relation& relation) const {
  for (const RelationPtr& known : versions_.at(relation.oid))
    if (known.get() == &relation) return known;
  throw std::logic_error("a relation that was not handed out here");
}

}  // namespace walspout::transaction
