// A table's shape as plain data, and one immutable version of it in the form that sinks see.
#pragma once

#include <walspout/abi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace walspout::transaction {

// The fields mean what those of walspout_column mean.
struct ColumnShape {
  std::string name;
  std::string type_name;
  std::uint32_t type_oid = 0;
  std::uint32_t base_type_oid = 0;
  std::uint32_t element_type_oid = 0;
  std::int32_t type_mod = -1;
  std::int16_t attnum = 0;
  std::int16_t key_ordinal = 0;
  std::uint32_t flags = 0;
  bool operator==(const ColumnShape&) const = default;
};

struct TableShape {
  std::uint32_t oid = 0;
  std::string schema;
  std::string name;
  char replica_identity = 'd';
  std::vector<ColumnShape> columns;
  bool operator==(const TableShape&) const = default;
};

// Derives from the ABI's struct, so that a change's relation leads back to it: of().
// Immutable; shared by every chunk whose changes point to it. Threads: any.
class Relation final : public walspout_relation {
 public:
  Relation(TableShape shape, std::uint64_t version);
  Relation(const Relation&) = delete;
  Relation& operator=(const Relation&) = delete;

  const TableShape& shape() const { return shape_; }
  // For a relation that the host made, which all are that it hands out.
  static const Relation& of(const walspout_relation& relation) {
    return static_cast<const Relation&>(relation);
  }

 private:
  TableShape shape_;
  std::vector<walspout_column> column_store_;
  std::vector<const walspout_column*> column_pointers_;
};

using RelationPtr = std::shared_ptr<const Relation>;

// Hands out one Relation per shape and numbers them from 1: a Relation message that repeats a known
// shape (each session sends them again) gives the same version, and sinks keep their statements.
class RelationCache {
 public:
  RelationPtr intern(TableShape shape);
  // The owner of a relation that this cache handed out.
  RelationPtr find(const walspout_relation& relation) const;

 private:
  // The versions of one table (by oid), newest last. A projection for one sink has its table's oid
  // too.
  std::unordered_map<std::uint32_t, std::vector<RelationPtr>> versions_;
  std::uint64_t next_version_ = 1;
};

}  // namespace walspout::transaction
