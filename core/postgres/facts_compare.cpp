#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "postgres/table_facts.hpp"

namespace walspout::postgres {

namespace {

constexpr std::uint32_t kText = 25, kVarchar = 1043;  // print the same bytes

// Values of the one type print like values of the other that were not converted. Most types that
// PostgreSQL relabels without a rewrite do not: timestamp and timestamptz under UTC, integer and
// oid.
bool prints_alike(std::uint32_t a, std::uint32_t b) {
  return a == b || ((a == kText || a == kVarchar) && (b == kText || b == kVarchar));
}

const LeafFacts* find_leaf(const TableFacts& table, std::uint32_t oid) {
  const auto at = std::lower_bound(table.storage.begin(), table.storage.end(), oid,
                                   [](const LeafFacts& leaf, auto key) { return leaf.oid < key; });
  return at != table.storage.end() && at->oid == oid ? &*at : nullptr;
}

const AttributeFacts* find_published(const TableFacts& table, const std::string& name) {
  for (const AttributeFacts& one : table.attributes) {
    if (one.published && one.name == name) return &one;
  }
  return nullptr;
}

using Reason = std::string;  // "" = this changed no values

// Its place in the publication.
Reason publishing(const TableFacts& before, const TableFacts& now) {
  if (before.row_filter != now.row_filter) return "its row filter was changed";
  if (before.column_list != now.column_list) return "its column list was changed";
  for (const char operation : now.operations) {
    if (before.operations.find(operation) == std::string::npos) {
      return "the publication did not publish all of its operations before";
    }
  }
  std::vector<std::uint32_t> common;
  std::set_intersection(before.memberships.begin(), before.memberships.end(),
                        now.memberships.begin(), now.memberships.end(), std::back_inserter(common));
  if (common.empty()) return "it was taken out of the publication and added again";
  return "";
}

// Columns, one by one.
Reason columns(const TableFacts& before, const TableFacts& now) {
  for (const AttributeFacts& one : now.attributes) {
    if (!one.published) continue;
    const AttributeFacts* const old = before.attribute(one.attnum);
    if (old == nullptr) {
      if (one.missing_differs) {
        return "the partitions do not agree on what column " + one.name + " is in their old rows";
      }
      if (find_published(before, one.name) != nullptr) {
        return "column " + one.name + " was dropped and added again";
      }
      continue;
    }
    if (!old->published) return "column " + one.name + " was not published before";
    if (!prints_alike(old->base_type_oid, one.base_type_oid)) {
      return "column " + one.name + " has another type";
    }
  }
  return "";
}

// A published column that was added, or altered in whatever way: with a new file, this may have
// been ALTER TYPE ... USING, SET EXPRESSION or a default that differs from row to row.
bool columns_touched(const TableFacts& before, const TableFacts& now) {
  return std::any_of(now.attributes.begin(), now.attributes.end(), [&](const AttributeFacts& one) {
    const AttributeFacts* const old = before.attribute(one.attnum);
    return one.published && (old == nullptr || old->xmin != one.xmin);
  });
}

// An ordinary table has a new file after TRUNCATE, which the stream tells, and after VACUUM FULL,
// CLUSTER and their like, which change no value and touch no column.
Reason own_file(const TableFacts& before, const TableFacts& now) {
  const LeafFacts* const old = find_leaf(before, now.oid);
  const LeafFacts* const own = find_leaf(now, now.oid);
  if (old == nullptr || own == nullptr) return "it was not of the same kind before";
  if (old->relfilenode == own->relfilenode || !columns_touched(before, now)) return "";
  return "ALTER TABLE rewrote it";
}

Reason tree(const TableFacts& before, const TableFacts& now) {
  for (const LeafFacts& old : before.storage) {
    if (find_leaf(now, old.oid) == nullptr) {
      return "partition " + old.name + " was detached or dropped";
    }
  }
  for (const LeafFacts& leaf : now.storage) {
    const LeafFacts* const old = find_leaf(before, leaf.oid);
    if (old == nullptr) {
      if (leaf.unseen_rows.value_or(true)) {
        return "partition " + leaf.name + " was attached, perhaps with rows";
      }
    } else if (old->edges != leaf.edges) {
      return "partition " + leaf.name + " was detached and attached again";
    } else if (old->relfilenode != leaf.relfilenode) {
      // The stream tells only of the whole tree's TRUNCATE.
      return columns_touched(before, now)
                 ? "ALTER TABLE rewrote partition " + leaf.name
                 : "partition " + leaf.name + " was truncated or rewritten";
    }
  }
  return "";
}

// The upper half of an id in the catalogue is a guess.
bool same_xid(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint32_t>(a) == static_cast<std::uint32_t>(b);
}

// A label that is new in a type that was there is taken as added: whether it was renamed after rows
// had been given it as well cannot be told, and the price would be a copy for each ADD VALUE.
Reason labels(const TableFacts& before, const TableFacts& now) {
  for (const LabelFacts& label : now.labels) {
    const LabelFacts* was = nullptr;
    bool knows_type = false;
    for (const LabelFacts& old : before.labels) {
      if (old.oid == label.oid) was = &old;
      knows_type = knows_type || old.type_oid == label.type_oid;
    }
    // A known label that was touched was renamed, though it may have its old name again by now.
    if (was != nullptr ? !same_xid(was->touched, label.touched)
                       : !knows_type && label.touched != 0 && label.touched >= before.as_of) {
      return "a label of enum type " + label.type + " was renamed";
    }
  }
  return "";
}

Reason members(const TableFacts& before, const TableFacts& now) {
  const auto missing = [](const std::vector<MemberFacts>& from, const MemberFacts& in) {
    return std::none_of(from.begin(), from.end(), [&](const MemberFacts& other) {
      return other.type_oid == in.type_oid && other.attnum == in.attnum;
    });
  };
  const auto knows = [](const std::vector<MemberFacts>& list, const MemberFacts& of) {
    return std::any_of(list.begin(), list.end(),
                       [&](const MemberFacts& other) { return other.type_oid == of.type_oid; });
  };
  // A type that is in one of them only came or went with its column.
  for (const MemberFacts& member : now.members) {
    if (!knows(before.members, member) && member.touched != 0 && member.touched >= before.as_of) {
      return "composite type " + member.type + " was altered";
    }
    if (missing(before.members, member) && knows(before.members, member)) {
      return "composite type " + member.type + " got an attribute";
    }
  }
  for (const MemberFacts& member : before.members) {
    if (missing(now.members, member) && knows(now.members, member)) {
      return "composite type " + member.type + " lost an attribute";
    }
  }
  return "";
}

}  // namespace

ValuesVerdict compare_facts(const TableFacts& before, const TableFacts& now) {
  if (before.oid != now.oid) return {true, "it was dropped and created again"};
  if (before.relkind != now.relkind) return {true, "it was not of the same kind before"};
  for (const auto look :
       {publishing, columns, now.relkind == 'p' ? tree : own_file, labels, members}) {
    if (Reason reason = look(before, now); !reason.empty()) return {true, std::move(reason)};
  }
  return {};
}

}  // namespace walspout::postgres
