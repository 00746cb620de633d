// The [[sink]] tables.
#pragma once

#include "base/raw_option.hpp"
#include "config/config.hpp"
#include "config/section.hpp"
#include "config/tree.hpp"

namespace walspout::config {

// Fills config.sinks; config.directory is set. A file without a sink is a problem.
void read_sinks(const Node& root, const Section& top, Config& config, base::Problems& problems,
                base::Problems& warnings);

// A list of table patterns, each checked: "schema.table", with an optional ! in front.
void read_tables(Section& section, base::TablePatterns& to, base::Problems& problems);

}  // namespace walspout::config
