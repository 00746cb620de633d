// Reads the rows of one table under a snapshot, as text, ready for a sink.
//
//   const auto before = table_fingerprint(conn, oid, interrupt);
//   conn.exec("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
//   lock_table_name(conn, table, interrupt);                  // TableChanged: look again
//   const auto taken = take_table_snapshot(conn, oid, interrupt);   // compare the fingerprints
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

// Locks the table (and its partitions) in ACCESS SHARE mode, so that it keeps its shape until the
// transaction ends. Takes no snapshot. Waits for whoever holds it exclusively.
void lock_table_name(Connection& ordinary, const PublishedTable& table, const Interrupt& interrupt);

// Everything that a copy of the table depends on, as one text to compare: name, columns, keys,
// files, partitions. Empty when there is no such table.
std::string table_fingerprint(Connection& ordinary, std::uint32_t oid, const Interrupt& interrupt);

struct TableSnapshot {
  std::string xids;        // as pg_current_snapshot() prints it
  base::Lsn position = 0;  // what the snapshot sees has committed before it
  std::string fingerprint;
};

// The first query of a REPEATABLE READ transaction: what follows sees this snapshot.
TableSnapshot take_table_snapshot(Connection& ordinary, std::uint32_t oid,
                                  const Interrupt& interrupt);

// For begin_snapshot() of other connections, while this transaction lasts.
std::string export_snapshot(Connection& ordinary, const Interrupt& interrupt);

struct TableSize {
  std::uint64_t blocks = 0;  // of its own file
  std::uint64_t bytes = 0;   // with what is stored out of line
};

// As it is now, of a table that has a file.
TableSize table_size(Connection& ordinary, std::uint32_t oid, const Interrupt& interrupt);

struct CopyOptions {
  std::string where;        // SQL, in addition to the publication's row filter; empty = all rows
  std::string order_by;     // SQL; empty = any order
  std::uint64_t limit = 0;  // rows; 0 = all
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
