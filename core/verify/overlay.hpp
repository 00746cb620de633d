// What transactions did to one table between the source's snapshot and the target's position: the
// source as the target should have it is the snapshot with this laid over it. Holds changed rows
// only.
#pragma once

#include <walspout/abi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "verify/plan.hpp"

namespace walspout::verify {

// Which way the transactions lie.
enum class Side {
  kAhead,   // the target has them, the snapshot does not
  kWaiting  // the snapshot has them, the target does not (yet)
};

class Overlay {
 public:
  // plan must outlive it.
  Overlay(const TablePlan& plan, Side side) : plan_(plan), side_(side) {}

  // The next change of the table, in commit order. Its memory is not kept.
  void apply(const walspout_change& change);

  // Set when rows cannot be told from the changes: the table was emptied or has another shape
  // since. Then nothing else counts.
  const std::string& spoilt() const { return spoilt_; }

  Side side() const { return side_; }
  std::size_t bytes() const { return bytes_; }  // about

  // A table with a key: what became of each row that was touched.
  struct KeyState {
    enum class What { kDeleted, kPresent, kUnknown } what = What::kDeleted;  // unknown: kWaiting
    Row key;  // its columns' values, in key order
    Row row;  // kPresent: all columns; those in `unchanged` are still to be filled in
    std::vector<std::uint32_t> unchanged;  // TOASTed values that no change brought
    std::string base;                      // the key under which the snapshot has them
    bool seen = false;                     // at the target
  };
  std::unordered_map<std::string, KeyState>& keys() { return keys_; }

  // A table without a key: by how much each row's number of copies has changed, seen from the
  // snapshot towards the target.
  struct Delta {
    std::int64_t count = 0;
    Row row;
  };
  const std::unordered_map<Digest, Delta>& deltas() const { return deltas_; }

 private:
  bool same_shape(const walspout_relation& relation);
  void apply_keyed(const walspout_change& change);
  void apply_keyless(const walspout_change& change);
  std::optional<Row> key_from(const walspout_value* row) const;
  KeyState& at(const Row& key);
  Row row_of(const walspout_value* values, const walspout_value* fallback,
             std::vector<std::uint32_t>& unchanged) const;
  void count(const Row& row, std::int64_t by);
  void spoil(const char* why);

  const TablePlan& plan_;
  Side side_;
  std::string spoilt_;
  std::uint64_t checked_version_ = 0;  // of a relation whose shape is the plan's
  std::unordered_map<std::string, KeyState> keys_;
  std::unordered_map<Digest, Delta> deltas_;
  std::size_t bytes_ = 0;
};

}  // namespace walspout::verify
