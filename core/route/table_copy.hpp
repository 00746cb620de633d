// One table's copy for one sink, as the stream sees it: which of the table's changes the copied
// rows contain already, and which go on top of them.
//
// A copy is read in ranges of its key, each under a snapshot of its own. What the first snapshot
// sees, all of them contain. A later range's snapshot sees more: a change that it sees is skipped
// if its key is one of the range's rows, as the row is newer; else it belongs to another range. A
// change of a part that was not read yet is applied early, and replaced by that part's rows.
//
// Threads: one, the reader.
#pragma once

#include <walspout/abi.h>

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/lsn.hpp"
#include "route/key_list.hpp"
#include "transaction/relation.hpp"
#include "transaction/snapshot_xids.hpp"

namespace walspout::route {

class TableCopy {
 public:
  enum class Verdict {
    kSkip,    // the rows contain it, or will
    kApply,   // as it is
    kDelete,  // of an update only the removal of the old row
    kInsert   // of an update only the new row
  };

  // relation: as it is copied. key: its columns; empty when the table is read in one piece.
  // shadow: the sink keeps the copy apart until it is whole. live: its table is in step and is kept
  // so in the meantime.
  TableCopy(std::uint64_t id, transaction::RelationPtr relation, std::vector<std::uint32_t> key,
            bool shadow, bool live);

  // Only some rows are read again, into the table itself, which goes on to get all else.
  static TableCopy repair(std::uint64_t id, transaction::RelationPtr relation,
                          std::vector<std::uint32_t> key);

  std::uint64_t id() const { return id_; }
  const transaction::RelationPtr& relation() const { return relation_; }
  std::span<const std::uint32_t> key() const { return key_; }
  bool shadow() const { return shadow_; }
  bool live() const { return live_; }
  bool is_repair() const { return repair_; }

  // The first range's snapshot. A copy that was begun by an earlier process, and whose ranges the
  // stream has passed, has none: all that comes goes on top.
  void set_first(const transaction::SnapshotXids& snapshot) { first_ = snapshot; }
  // A later range: its rows' keys, and those that it was to find.
  void add_range(const transaction::SnapshotXids& snapshot, base::Lsn end, KeyList keys);
  // The stream has passed this position: ranges whose snapshots end there need no more care.
  void passed(base::Lsn position);

  // In the order of the stream, of the table's changes in transaction xid.
  Verdict judge(const walspout_change& change, std::uint32_t xid);

  // Why the copy has to begin anew; empty while it need not.
  const std::string& broken() const { return broken_; }
  // Rows whose base is missing, as an update moved them without sending all of their values: to be
  // read again, by their keys. What came since the last call.
  std::vector<std::string> take_rereads();

 private:
  Verdict judge_update(const walspout_change& change, std::uint32_t xid);
  bool contained(const std::string& key, std::uint32_t xid) const;
  Verdict give_up(const char* why);

  struct Range {
    transaction::SnapshotXids snapshot;
    base::Lsn end;
    KeyList keys;
  };

  std::uint64_t id_;
  transaction::RelationPtr relation_;
  std::vector<std::uint32_t> key_;
  bool shadow_;
  bool live_;
  bool repair_ = false;
  std::optional<transaction::SnapshotXids> first_;
  std::deque<Range> ranges_;
  std::string broken_;
  std::vector<std::string> rereads_;
};

}  // namespace walspout::route
