// What the router asks about tables that it meets in the stream. Called on the reader's thread, in
// the order of the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "transaction/relation.hpp"

namespace walspout::route {

// What a sink gets of a table's changes.
enum class TableMode {
  kLive,     // all of them
  kWaiting,  // none: a copy that will contain them is to come
  kStopped   // none, until somebody acts
};

// What rows of before have in a column that is new.
struct Fill {
  enum class Kind { kUnknown, kNull, kText } kind = Kind::kUnknown;
  std::string text;
};

// How the sink gets from one shape to the next.
struct ShapeStep {
  TableMode mode = TableMode::kLive;    // anything else: the change of shape is not delivered
  std::vector<std::int32_t> old_index;  // per column of the new shape; empty: not known
  std::vector<Fill> fill;               // per column of the new shape; empty: nothing is known
};

class TableWatcher {
 public:
  virtual ~TableWatcher() = default;
  // The sink was given nothing of this table yet in this process.
  virtual TableMode first_change(std::size_t sink, const transaction::Relation& relation) = 0;
  // The table's changes have another shape from here on, first in this transaction; without an xid
  // it is no transaction's, but the catalogue's. before: null when the sink has an older one that
  // is not known.
  virtual ShapeStep shape_changed(std::size_t sink, const transaction::Relation* before,
                                  const transaction::Relation& now, const walspout_txn& txn) = 0;
};

}  // namespace walspout::route
