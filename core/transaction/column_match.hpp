// Which column of a table's old shape is which of its new one.
//
// pgoutput lists columns in the order of their attnums without telling these, and an attnum is
// never used twice. So a rename looks like a drop and an add, and only the catalogue knows better;
// but the catalogue is that of another moment. What follows from both together is certain, all
// else is a guess by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transaction/relation.hpp"

namespace walspout::transaction {

// One row of pg_attribute.
struct AttributeNow {
  std::int16_t attnum = 0;
  std::string name;  // unless dropped
  std::uint32_t type_oid = 0;
  bool dropped = false;
  // As long as it lives it is published: it is not generated, and no column list chooses.
  bool always_sent = false;
  // The row is the same as in a catalogue that was read before the new shape came to be: then this
  // is what it was at that time, too.
  bool unchanged = false;
};

struct TableNow {
  std::vector<AttributeNow> attributes;  // all there ever were, dropped ones included, by attnum
  // The catalogue was read when the transaction that brought the new shape had committed, or later
  // (SnapshotXids::sees tells). With an older one nothing is certain: the same could be said of a
  // column that was dropped, and one added after the catalogue was read.
  bool current = false;
};

struct ColumnMatch {
  std::vector<std::int32_t> old_index;  // per new column its place in the old shape; -1 = added
  std::vector<std::int16_t> attnum;     // per new column; 0 = not sure
  bool certain = false;                 // of old_index: nothing else could have happened
};

// Pure. The old shape's attnums must be right where they are known; with one that is not (0)
// nothing is certain. Those of the new shape are not looked at. What is not certain is a guess that
// keeps columns of the same name.
ColumnMatch match_columns(const TableShape& old_shape, const TableShape& new_shape,
                          const TableNow& now);

}  // namespace walspout::transaction
