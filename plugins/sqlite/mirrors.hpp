// Which SQLite table a change goes to: the mirror of its source table, or the shadow of a copy.
#pragma once

#include <walspout/abi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "catalog.hpp"
#include "mirror.hpp"
#include "reporter.hpp"
#include "shape.hpp"
#include "tables.hpp"

namespace walspout::sqlite {

class Mirrors {
 public:
  Mirrors(Database& db, Catalog& catalog, const Reporter& reporter, NumericMode mode)
      : db_(db),
        catalog_(catalog),
        reporter_(reporter),
        tables_(db, catalog, reporter),
        shaper_(db, catalog, reporter, mode) {}

  // The table for rows of this relation; copy_id 0 is the mirror itself. At the first sight of a
  // version the table is created or brought into its shape. Throws BadChange when the copy has no
  // shadow here. The reference is good until clear(), adapt() or a copy's begin or end.
  Mirror& get(const walspout_relation& relation, uint64_t copy_id);
  // Whether get() would find it without a statement.
  bool known(const walspout_relation& relation, uint64_t copy_id) const;

  // A WALSPOUT_SCHEMA change: the new shape, and its fill values in the old rows.
  void adapt(const walspout_change& change);

  // A copy: rows go to a shadow table until it ends, then the shadow becomes the mirror. It
  // outlives close and open.
  void begin_copy(const walspout_relation& relation, uint64_t copy_id);
  void end_copy(const walspout_relation& relation, uint64_t copy_id);
  // Empty reason: it is not wanted any more. copy_id 0: the table itself is given up.
  void fail_copy(const walspout_relation& relation, uint64_t copy_id, std::string_view reason);

  // Forgets what is known of the tables, statements included: after a rollback, or when someone
  // else changed the schema.
  void clear();

 private:
  using Key = std::pair<uint64_t, uint64_t>;  // relation version, copy id
  struct Hash {
    size_t operator()(const Key& k) const {
      return std::hash<uint64_t>()(k.first * 0x9e3779b97f4a7c15U ^ k.second);
    }
  };
  struct Target {
    std::string physical;
    bool same_source;  // it was made for this very table: attnums mean the same columns
  };

  Target prepare(const walspout_relation& relation, uint64_t copy_id, const ShapeHint& hint,
                 bool current);
  bool awaits_copy(const walspout_relation& relation);
  Target prepare_mirror(const walspout_relation& relation, const ShapeHint& hint, bool current);
  CopyRecord shadow_of(const walspout_relation& relation, uint64_t copy_id);
  void drop_shadow(const CopyRecord& copy);
  void keep_needed_columns(const std::string& mirror, const std::string& shadow, Notes& notes);
  void give_up(const walspout_relation& relation, std::string_view reason);
  void mark_failed(TableRecord record, std::string_view reason);
  uint64_t& newest(const walspout_relation& relation, uint64_t copy_id);
  void forget(const std::string& physical);

  Database& db_;
  Catalog& catalog_;
  const Reporter& reporter_;
  Tables tables_;
  Shaper shaper_;
  std::unordered_map<Key, std::unique_ptr<Mirror>, Hash> known_;
  Key last_key_ = {};
  Mirror* last_ = nullptr;  // of last_key_
  // The newest version seen of each table and shadow, kept over clear(): a change of an older shape
  // that comes late (from the dead letters, or to rows of a copy that were read earlier) must not
  // turn the table back.
  std::map<std::pair<std::string, uint64_t>, uint64_t> newest_;
};

}  // namespace walspout::sqlite
