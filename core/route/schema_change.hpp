// The change that tells a sink of a table's new shape, in the columns that this sink sees.
#pragma once

#include <walspout/abi.h>

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "route/table_watcher.hpp"
#include "transaction/relation.hpp"

namespace walspout::route {

// A shape as one sink sees it: columns say where each of relation's comes from; empty = all are
// those of the table, in order.
struct SinkShape {
  const transaction::Relation* relation = nullptr;
  std::span<const std::uint32_t> columns;
};

// before.relation may be null. next: the change in front of which this one stands. In the arena.
walspout_change* make_schema_change(const walspout_change& next, const SinkShape& before,
                                    const SinkShape& now, const ShapeStep& step,
                                    base::Arena& arena);

}  // namespace walspout::route
