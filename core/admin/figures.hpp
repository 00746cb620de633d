// What the admin server tells, gathered by whoever knows it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "control/status.hpp"
#include "sink/meters.hpp"

namespace walspout::admin {

struct SinkFigures {
  std::array<std::uint64_t, WALSPOUT_FATAL + 1> calls{};  // by status
  sink::Histogram::Figures flush, commit_to_durable;
  std::map<std::string, double> own;  // what the plugin counts, by its names
};

// A table that is copied, or was since the start.
struct CopyFigures {
  std::string table;  // "schema.table"
  std::uint64_t rows = 0;
  double ratio = 0;  // of what the server estimates; 1 = whole
};

struct Figures {
  control::Status status;
  std::uint64_t written = 0;       // the end of the source's WAL when it was seen last; 0 = not yet
  std::optional<double> lag_s;     // how long the oldest change has been here that is not confirmed
  std::uint64_t transactions = 0;  // received, with a change
  std::array<std::uint64_t, 7> changes{};  // received, by op: WALSPOUT_INSERT to WALSPOUT_MESSAGE
  std::vector<SinkFigures> sinks;          // in the order of status.sinks
  std::vector<CopyFigures> copies;
};

struct Health {
  bool alive = true;  // the reader goes on
  std::string why;    // not empty: not ready, for this reason
};

// Threads: any.
class Told {
 public:
  virtual ~Told() = default;
  virtual Figures figures() const = 0;
  virtual Health health() const = 0;
  virtual std::string status_json() const = 0;
};

}  // namespace walspout::admin
