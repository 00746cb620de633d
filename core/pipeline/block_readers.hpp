// Reads all rows of one large table under one snapshot over several connections, each of them one
// run of the table's blocks after the other (TID range scans; documentation, "System Columns",
// ctid, and "Snapshot Synchronization Functions"). ctids mean something only within one snapshot,
// so what breaks off begins anew.
//
// The connection that took the snapshot reads as well; a further one that cannot begin is left out.
// Threads: one of its own for each further connection.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/wake.hpp"
#include "config/config.hpp"
#include "pipeline/range_rows.hpp"
#include "postgres/catalogue.hpp"
#include "postgres/connection.hpp"
#include "postgres/interrupt.hpp"

namespace walspout {

// How much of a table is worth a further connection, and how much is read at a time.
struct BlockSizes {
  std::uint64_t per_reader = std::uint64_t{32} << 20;
  std::uint64_t per_run = std::uint64_t{8} << 20;
};

// A table's blocks, in runs that are given out one by one. Threads: any.
class BlockRuns {
 public:
  // bytes: of the whole table, with what is stored out of line.
  BlockRuns(std::uint64_t blocks, std::uint64_t bytes, const BlockSizes& sizes);

  std::size_t readers() const { return readers_; }  // in all
  // What the next run's rows meet, as SQL; nothing when all are given out.
  std::optional<std::string> next();

 private:
  std::uint64_t blocks_;
  std::uint64_t step_;
  std::size_t readers_;
  std::atomic<std::uint64_t> given_{0};
};

class BlockReaders {
 public:
  // connection: in a transaction that has taken its snapshot and holds a lock on the table.
  // Everything must outlive it.
  BlockReaders(const config::Config& config, postgres::Connection& connection,
               const postgres::PublishedTable& table, RangeRows& rows,
               const BlockSizes& sizes = {});
  ~BlockReaders();  // what still reads is stopped
  BlockReaders(const BlockReaders&) = delete;
  BlockReaders& operator=(const BlockReaders&) = delete;

  // False: the table is not worth it, or the server cannot. Nothing was read then.
  bool worth_it(const postgres::Interrupt& interrupt);
  // Reads all of it. Throws what ended the first reader that failed.
  void read(const postgres::Interrupt& interrupt);

 private:
  void run(const std::string& snapshot);
  void read_runs(postgres::Connection& connection, const postgres::Interrupt& interrupt);
  void stop();

  const config::Config& config_;
  postgres::Connection& connection_;
  const postgres::PublishedTable& table_;
  RangeRows& rows_;
  const BlockSizes sizes_;
  std::optional<BlockRuns> runs_;
  base::Wake stop_, begins_no_more_;
  std::mutex mutex_;
  std::exception_ptr failure_;  // of a further reader
  std::vector<std::thread> threads_;
};

}  // namespace walspout
