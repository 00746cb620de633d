// Tables and sinks as commands take them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"

namespace walspout::cli {

// "orders" as "public.orders". Nothing, and the error printed, when one is no pattern.
std::optional<std::vector<std::string>> table_patterns(const std::vector<std::string>& tables);

// Whether the configuration has a sink of this name; else prints the error, with what the name was
// given as.
bool known_sink(const config::Config& config, const std::string& name, const char* what = "--sink");

}  // namespace walspout::cli
