// Transactions that the host itself makes: the marks of a copy.
#pragma once

#include <cstdint>
#include <string>

#include "base/lsn.hpp"
#include "base/memory_budget.hpp"
#include "transaction/chunk.hpp"

namespace walspout {

// One change, WALSPOUT_COPY_* or the WALSPOUT_TRUNCATE in front of a copy. position: to be stored
// with it; 0 = none. content: of WALSPOUT_COPY_FAILED.
transaction::ChunkPtr copy_marker(base::MemoryBudget& budget,
                                  const transaction::RelationPtr& relation, std::uint16_t op,
                                  std::uint64_t copy_id, const std::string& content,
                                  base::Lsn position);

// A transaction of its own that asks the router to tell this shape.
transaction::ChunkPtr shape_marker(base::MemoryBudget& budget,
                                   const transaction::RelationPtr& relation, base::Lsn position,
                                   std::uint64_t ordinal);

// Closes a chunk of rows of a copy into one transaction.
transaction::ChunkPtr sealed_copy_rows(std::shared_ptr<transaction::Chunk> chunk,
                                       std::uint64_t copy_id, base::Lsn snapshot);

}  // namespace walspout
