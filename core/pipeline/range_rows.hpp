// The rows of one range on their way from the server to the stream's reader: chunks, numbered in
// the order in which they are handed over, whichever connection read them.
//
// Threads: any number of readers; hand_over is called by one of them at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/lsn.hpp"
#include "base/memory_budget.hpp"
#include "postgres/copy_reader.hpp"
#include "postgres/interrupt.hpp"
#include "route/key_list.hpp"
#include "transaction/chunk.hpp"

namespace walspout {

// A range of the table that was prepared.
struct RangeRequest {
  transaction::RelationPtr relation;
  std::uint64_t copy_id = 0;
  std::uint64_t first_ordinal = 0;
  base::Lsn position = 0;          // that the rows' transactions are given
  std::vector<std::uint32_t> key;  // columns; empty: all rows, in any order
  std::string after;               // encoded key; empty: from the first row on
  std::vector<std::string> keys;   // not empty: these rows and no others
  std::uint64_t limit = 0;         // rows, of a range with a key
  std::size_t max_bytes = 0;       // ends a range early
  bool keep_keys = false;          // tell the keys of its rows
  bool in_shadow = true;           // the rows' changes carry the copy_id
};

// Which rows these are, for the server.
postgres::CopyOptions range_of(const RangeRequest& request);

class RangeRows {
 public:
  using HandOver = std::function<void(transaction::ChunkPtr)>;
  using Wanted = std::function<bool()>;  // false: nobody needs the rows any more

  // Everything must outlive it.
  RangeRows(const RangeRequest& request, base::MemoryBudget& budget, Wanted wanted,
            HandOver hand_over);

  // Reads until there is nothing more, or as much as was asked for; waits for the sinks where the
  // memory is used up. True if all was read.
  bool read(postgres::CopyReader& rows, const postgres::Interrupt& interrupt);

  // Ends every read() before its next chunk.
  void stop() { stopped_.store(true); }
  bool stopped() const { return stopped_.load() || !wanted_(); }

  // ---- once all of them have ended ----
  std::uint64_t count() const { return next_ordinal_ - request_.first_ordinal; }
  std::uint64_t bytes() const { return bytes_; }
  route::KeyList& keys() { return keys_; }
  const std::string& last_key() const { return last_key_; }  // of one reader with a key; encoded

 private:
  struct Filled;
  void wait_for_room(const postgres::Interrupt& interrupt) const;
  void hand_over(Filled filled);

  const RangeRequest& request_;
  base::MemoryBudget& budget_;
  const Wanted wanted_;
  const HandOver hand_over_;
  std::atomic<bool> stopped_{false};

  std::mutex mutex_;
  std::uint64_t next_ordinal_;
  std::uint64_t bytes_ = 0;
  route::KeyList keys_;
  std::string last_key_;
};

}  // namespace walspout
