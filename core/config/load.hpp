// Reads a configuration file. Every mistake is reported at once, each with its place and what to do
// about it; nothing is ignored silently.
#pragma once

#include <optional>
#include <string>

#include "base/raw_option.hpp"
#include "config/config.hpp"

namespace walspout::config {

struct LoadResult {
  std::optional<Config> config;  // nothing when there are problems
  base::Problems problems;       // in the file's order
  base::Problems warnings;       // accepted, but of no effect or doubtful
};

// No text of the file appears in a message except names of keys and values that are words of the
// configuration's own vocabulary: a line may hold a secret.
LoadResult load(const std::string& file);

// "shop.toml:3:1: unknown key source.slot_naem; did you mean slot?"
std::string to_string(const base::Problem& problem);

}  // namespace walspout::config
