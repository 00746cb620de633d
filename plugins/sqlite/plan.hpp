// What has to be done to a table whose source changed its shape.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shape.hpp"

namespace walspout::sqlite {

// Per column of the relation: where it comes from, and its name from now on.
struct Shaper::Plan {
  std::vector<PhysicalColumn> present;  // the table as it is
  std::vector<PhysicalColumn> wanted;   // as it shall be, without extra
  std::vector<std::string> from;        // the present column; empty = new
  std::vector<std::string> names;
  // Of a column of numbers that becomes one of text: the decimals that its values are printed with.
  std::vector<std::optional<int>> scale;
  bool scale_unknown = false;
  std::vector<const walspout_value*> fill;  // what old rows have in a new column; null: NULL
  std::vector<Kind> kinds;
  std::vector<uint32_t> elements;     // walspout_column.element_type_oid
  std::vector<std::string> gone;      // present columns that the source has no more
  std::vector<PhysicalColumn> extra;  // columns of the user's own, or of a source long gone
  bool rebuild = false;               // a type or the key changed: ALTER TABLE cannot do it
  bool key_changed = false;
  bool unchanged = false;
};

// For each column of the relation the index of the record it continues, or -1 when it is new.
// A SCHEMA change's own mapping counts most, then attnum (a rename keeps it, a column dropped and
// added again under its name gets another), then the name.
std::vector<int> match_columns(const walspout_relation& relation,
                               const std::vector<ColumnRecord>& records,
                               const walspout_relation* old_relation, const int32_t* old_index,
                               bool same_source);

// Whether the records say already what they would be.
bool same_records(const walspout_relation& relation, const std::vector<ColumnRecord>& records,
                  const std::vector<std::string>& names);

}  // namespace walspout::sqlite
