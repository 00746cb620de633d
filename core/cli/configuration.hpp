// What every verb with a FILE starts with.
#pragma once

#include <optional>
#include <string>

#include "config/config.hpp"

namespace walspout::cli {

// Reads the file and has libpq read the url. Prints every problem and warning; nothing if there
// are problems.
std::optional<config::Config> load_configuration(const std::string& file);

}  // namespace walspout::cli
