// Which transactions were dispatched lately, and which tables they changed. A copy's snapshot must
// see all of those that changed its table: their changes will not come again. It may miss one, as a
// transaction's commit reaches the stream before snapshots see it, with synchronous replication
// long before. Threads: one, the reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transaction/chunk.hpp"
#include "transaction/snapshot_xids.hpp"

namespace walspout {

class RecentChanges {
 public:
  void dispatched(const transaction::Chunk& chunk) {
    for (const transaction::Piece& piece : chunk.pieces()) {
      const walspout_relation* last = nullptr;
      for (std::uint32_t i = piece.begin; i < piece.end; ++i) {
        const walspout_relation* relation = chunk.changes()[i]->relation;
        if (relation == last || relation == nullptr) continue;
        last = relation;
        entries_[next_++ % entries_.size()] = {piece.txn.xid, relation->oid};
      }
    }
  }

  // False: take another snapshot, a little later.
  bool all_seen(std::uint32_t oid, const transaction::SnapshotXids& snapshot) const {
    for (const Entry& entry : entries_)
      if (entry.oid == oid && entry.xid != 0 && !snapshot.sees(entry.xid)) return false;
    return true;
  }

 private:
  struct Entry {
    std::uint32_t xid = 0;
    std::uint32_t oid = 0;
  };
  std::vector<Entry> entries_ = std::vector<Entry>(std::size_t{1} << 14);
  std::size_t next_ = 0;
};

}  // namespace walspout
