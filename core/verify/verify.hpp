// Compares a pipeline's source with the targets of its sinks, each pair at one position, while the
// stream goes on:
//
//   snapshot of the source at a point C     a temporary slot exports it
//   target as of its position Q >= C        its plugin's reader; waited for
//   overlay: what commits from C up to Q    read from the temporary slot
//   digests of both per bucket of rows      computed by the server, and here
//   rows of the buckets that differ, then values of the rows that do
//
// The target should hold the snapshot with the overlay laid over it, exactly: no difference is ever
// due to the stream. When no host runs and the target stands before C, what lies between is read
// from the pipeline's own slot, which keeps it, and the rows that it touches are left out.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/table_pattern.hpp"
#include "config/config.hpp"
#include "pipeline/sinks.hpp"
#include "postgres/interrupt.hpp"
#include "verify/compare.hpp"

namespace walspout::verify {

struct Options {
  base::TablePatterns tables;              // of the source
  std::chrono::milliseconds wait{30'000};  // for the target to come up to the source
  bool repair = false;
};

// How it went with one table.
struct TableResult {
  std::string table;  // "schema.table"
  std::string schema, name;
  std::vector<std::string> key;  // columns by which its rows are named; none: they cannot be
  bool compared = false;
  bool failed = false;  // the target has given it up
  std::string why;      // not compared
  Counts counts;
  std::uint64_t mended = 0;  // with repair
};

// Gets everything to be printed, as it is found.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void difference(const std::string& sink, const std::string& table,
                          const Difference& difference) = 0;
  virtual void finished(const std::string& sink, const TableResult& result) = 0;
  virtual void note(const std::string& text) = 0;
};

// Of a sink that can be read back. Throws what the source throws, TargetError, and
// std::runtime_error when the target does not come up to the source in time.
std::vector<TableResult> verify_sink(const config::Config& config, const PreparedSink& sink,
                                     const Options& options, Listener& listener,
                                     const postgres::Interrupt& interrupt);

// Why a sink cannot be compared with the source; nothing when it can.
std::optional<std::string> cannot_verify(const PreparedSink& sink);

}  // namespace walspout::verify
