// What the sinks' rules mean for the tables that are published: patterns that match nothing,
// columns that must not be left out, and routes that can bring a sink what its plugin cannot take.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/config.hpp"
#include "pipeline/sinks.hpp"
#include "postgres/catalogue.hpp"
#include "postgres/connection.hpp"
#include "postgres/publication.hpp"

namespace walspout {

struct RuleFinding {
  bool error = false;  // must not run; else a warning
  std::string text;    // one line: what, and what to do
};

// One sink, as far as its rules are concerned.
struct RuledSink {
  const config::Sink* config = nullptr;
  std::string plugin;            // its name
  std::uint64_t caps = 0;        // WALSPOUT_CAP_..., WALSPOUT_NEEDS_...
  std::uint64_t takes = 0;       // WALSPOUT_TAKES_...
  std::uint32_t operations = 0;  // route::Operation bits that it gets
};

RuledSink ruled_sink(const PreparedSink& sink);
// All sinks of a run; config is theirs.
std::vector<RuledSink> ruled_sinks(const config::Config& config, const Sinks& sinks);

// What the rules are held against.
struct Published {
  postgres::PublicationInfo publication;
  std::vector<postgres::PublishedTable> tables;
  // By the table's oid: columns that an update may leave out when it does not change them, as their
  // values can be stored out of line in a table (or a partition of it) that does not send its whole
  // old rows. PostgreSQL documentation, "TOAST", "Replica Identity".
  std::unordered_map<std::uint32_t, std::vector<std::string>> left_out;
};

// Throws postgres::Refused when there is no such publication.
Published read_published(postgres::Connection& ordinary, const std::string& publication,
                         const postgres::Interrupt& interrupt = postgres::Interrupt());

// Those of the patterns ("schema.table", maybe with "!" in front) that match no table. Pure.
std::vector<std::string> unmatched(std::span<const std::string> patterns,
                                   std::span<const postgres::PublishedTable> tables);

// What to say of them, in one line; there is at least one.
std::string nothing_matches(std::span<const std::string> patterns);

// Sink by sink. Pure.
std::vector<RuleFinding> check_rules(std::span<const RuledSink> sinks, const Published& published);

}  // namespace walspout
