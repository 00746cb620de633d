#include "pipeline/column_facts.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace walspout {

using postgres::AttributeFacts;
using postgres::TableFacts;
using transaction::ColumnShape;
using transaction::TableShape;

namespace {

// All columns were published from `before` to `now`, as no list ever chose among them.
bool always_whole(const TableFacts& before, const TableFacts& now) {
  if (before.column_list || now.column_list) return false;
  return std::any_of(now.memberships.begin(), now.memberships.end(), [&](auto membership) {
    return std::binary_search(before.memberships.begin(), before.memberships.end(), membership);
  });
}

bool same_files(const TableFacts& before, const TableFacts& now) {
  for (const auto& leaf : now.storage) {
    const auto old = std::find_if(before.storage.begin(), before.storage.end(),
                                  [&](const auto& other) { return other.oid == leaf.oid; });
    if (old != before.storage.end() && old->relfilenode != leaf.relfilenode) return false;
  }
  return true;
}

Fill fill_of(const AttributeFacts& attribute, const ColumnShape& column, const TableFacts* before,
             const TableFacts& now) {
  using What = Fill::What;
  if (attribute.dropped) return {What::kDropped, ""};
  if (attribute.type_oid != column.type_oid || attribute.missing_differs) return {};
  if (attribute.missing) return {What::kText, *attribute.missing};
  // Without such a value the old rows have NULL, unless the table was rewritten for the column.
  const bool added_since = before != nullptr && before->attribute(attribute.attnum) == nullptr;
  if (added_since && same_files(*before, now)) return {What::kNull, ""};
  return {};
}

// The same for all attributes that the column may be; nothing when they differ.
Fill fill_of_any(const ColumnShape& column, const TableShape& old_shape, const TableFacts* before,
                 const TableFacts& now) {
  std::optional<Fill> common;
  for (const AttributeFacts& one : now.attributes) {
    const bool was_old =
        std::any_of(old_shape.columns.begin(), old_shape.columns.end(),
                    [&](const ColumnShape& old) { return old.attnum == one.attnum; });
    const AttributeFacts* const earlier =
        before == nullptr ? nullptr : before->attribute(one.attnum);
    if (was_old || (earlier != nullptr && earlier->dropped)) continue;
    const Fill fill = fill_of(one, column, before, now);
    if (common && *common != fill) return {};
    common = fill;
  }
  return common.value_or(Fill());
}

}  // namespace

transaction::TableNow table_now(const TableFacts* before, const TableFacts& now,
                                bool sees_new_shape) {
  if (before != nullptr && before->oid != now.oid) before = nullptr;
  const bool whole = before != nullptr && always_whole(*before, now);
  transaction::TableNow table;
  table.current = sees_new_shape;
  for (const AttributeFacts& one : now.attributes) {
    const AttributeFacts* const earlier =
        before == nullptr ? nullptr : before->attribute(one.attnum);
    transaction::AttributeNow& row = table.attributes.emplace_back();
    row.attnum = one.attnum;
    row.name = one.name;
    row.type_oid = one.type_oid;
    row.dropped = one.dropped;
    row.always_sent = whole && one.generated == '-';
    row.unchanged = earlier != nullptr && earlier->xmin == one.xmin;
  }
  return table;
}

std::vector<Fill> fill_values(const TableShape& old_shape, const TableShape& new_shape,
                              const transaction::ColumnMatch& match, const TableFacts* before,
                              const TableFacts& now) {
  if (before != nullptr && before->oid != now.oid) before = nullptr;
  std::vector<Fill> fills;
  for (std::size_t i = 0; i < new_shape.columns.size(); ++i) {
    const ColumnShape& column = new_shape.columns[i];
    if (match.old_index[i] >= 0) {
      fills.push_back({Fill::What::kKept, ""});
    } else if (const auto* attribute = now.attribute(match.attnum[i])) {
      fills.push_back(fill_of(*attribute, column, before, now));
    } else if (match.certain) {
      fills.push_back(fill_of_any(column, old_shape, before, now));
    } else {
      fills.emplace_back();
    }
  }
  return fills;
}

}  // namespace walspout
