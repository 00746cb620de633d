// What the sinks' rules mean for the tables that are published: patterns that match nothing, and
// columns that must not be left out.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "postgres/catalogue.hpp"

namespace walspout {

struct RuleFinding {
  bool error = false;  // must not run; else a warning
  std::string text;    // one line: what, and what to do
};

std::vector<RuleFinding> check_rules(const config::Config& config,
                                     const std::vector<postgres::PublishedTable>& tables);

}  // namespace walspout
