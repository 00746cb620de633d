// The source as `check` and `setup` look at it before anything is created.
#pragma once

#include "config/config.hpp"
#include "pipeline/pipeline.hpp"
#include "postgres/preflight.hpp"

namespace walspout::cli {

// Creates nothing. Throws postgres::Interrupted when stop is requested.
postgres::Preflight look_at_source(const config::Config& config, StopSignal& stop);

// Every finding on a line, with what mends it on the next.
void print_findings(const std::vector<postgres::Finding>& findings);

}  // namespace walspout::cli
