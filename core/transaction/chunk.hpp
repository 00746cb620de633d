// The unit in which committed changes travel: an immutable block of rows of one or more
// transactions, or of a part of a large one, shared by all sinks. All that its changes point to
// lives in its arena or in the relations that it holds.
#pragma once

#include <walspout/abi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "base/arena.hpp"
#include "base/lsn.hpp"
#include "base/memory_budget.hpp"
#include "transaction/relation.hpp"

namespace walspout::transaction {

// A run of changes of one transaction. flags are WALSPOUT_FIRST and WALSPOUT_LAST; without LAST the
// transaction goes on in the next chunk, and txn.end_lsn is 0.
struct Piece {
  walspout_txn txn;
  std::uint32_t flags;
  std::uint32_t begin;  // of its changes in the chunk's list
  std::uint32_t end;
};

// Filled by one thread, then sealed behind a shared_ptr<const Chunk>.
class Chunk {
 public:
  explicit Chunk(base::MemoryBudget& budget) : budget_(budget) {}
  ~Chunk() { budget_.give_back(counted_); }
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;

  base::Arena& arena() { return arena_; }
  void add(const walspout_change* change) { changes_.push_back(change); }
  void add(const Piece& piece) { pieces_.push_back(piece); }
  void keep(RelationPtr relation) { relations_.push_back(std::move(relation)); }
  // Makes the budget know what the chunk holds by now; at least once before it is sealed.
  void account();

  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::vector<const walspout_change*>& changes() const { return changes_; }
  std::size_t bytes() const {
    return arena_.footprint() + changes_.capacity() * sizeof(void*) +
           pieces_.size() * sizeof(Piece);
  }
  bool empty() const { return pieces_.empty(); }

 private:
  base::MemoryBudget& budget_;
  std::size_t counted_ = 0;
  base::Arena arena_;
  std::vector<Piece> pieces_;
  std::vector<const walspout_change*> changes_;
  std::vector<RelationPtr> relations_;
};

using ChunkPtr = std::shared_ptr<const Chunk>;

}  // namespace walspout::transaction
