// Reads the rows of one table under a snapshot, as text, ready for a sink.
//
//   begin_snapshot(conn, name, interrupt);
//   lock_table(conn, table, interrupt);          // TableChanged: take a newer snapshot
//   CopyReader reader(conn, table, {}, interrupt);
//   std::span<walspout_value> row;
//   while (reader.next(arena, row)) { ... }
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/arena.hpp"
#include "postgres/catalogue.hpp"
#include "postgres/connection.hpp"
#include "walspout/abi.h"

namespace walspout::postgres {

// BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY, then SET TRANSACTION SNAPSHOT. Throws
// TableChanged when the snapshot is gone (its exporter moved on). An empty name takes a snapshot
// of its own.
void begin_snapshot(Connection& ordinary, const std::string& snapshot_name,
                    const Interrupt& interrupt);

// Within the snapshot: locks the table (and its partitions) in ACCESS SHARE mode, so that it keeps
// its shape until the transaction ends, and compares what is there now with what the snapshot
// sees. A table that was rewritten or emptied in between would be copied empty: TableChanged, and
// the transaction is of no more use. A lock_timeout of 0 waits for ever.
void lock_table(Connection& ordinary, const PublishedTable& table, const Interrupt& interrupt,
                std::chrono::milliseconds lock_timeout = std::chrono::milliseconds(0));

struct CopyOptions {
  std::string where;  // SQL, in addition to the publication's row filter; empty = all rows
};

class CopyReader {
 public:
  // Starts COPY ... TO STDOUT of the table's published columns, under its row filter. `connection`
  // and `interrupt` must outlive it and run nothing else until next() has returned false. Throws
  // Refused naming the table when rights are missing or row level security would hide rows.
  CopyReader(Connection& connection, const PublishedTable& table, const CopyOptions& options,
             const Interrupt& interrupt);
  CopyReader(const CopyReader&) = delete;
  CopyReader& operator=(const CopyReader&) = delete;
  // An unfinished copy is cancelled; the connection is usable again.
  ~CopyReader();

  // The next row, one value per column, NULL or text, bytes and values in the arena. False at the
  // end. Waits for the server, and throws as Connection::exec does.
  bool next(base::Arena& arena, std::span<walspout_value>& row);

  std::uint64_t rows() const { return rows_; }
  std::uint64_t bytes() const { return bytes_; }  // as received

 private:
  Connection& connection_;
  const Interrupt& interrupt_;
  std::string table_;
  std::size_t column_count_;
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;
  bool done_ = false;
};

// One line of COPY's text format (with or without its newline) to values: the bytes are copied once
// into the arena and unescaped there. Throws std::runtime_error when the number of columns is
// another. Source: documentation, COPY, "Text Format".
std::span<walspout_value> parse_copy_row(std::string_view line, std::size_t column_count,
                                         base::Arena& arena);

}  // namespace walspout::postgres
