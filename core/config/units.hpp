// Sizes ("64KiB", "256MiB") and rates ("100/10m") of the configuration, with a sentence about what
// is wrong. The values themselves are read by base/units.hpp, as those of plugins' options are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "config/config.hpp"

namespace walspout::config {

// A value that could not be read: what is wrong and what to do, without the name of the key.
struct UnitError {
  std::string what;  // "is not a size"
  std::string todo;  // "write a whole number and a unit, as in \"64MiB\""
};

std::variant<std::uint64_t, UnitError> parse_size(std::string_view text);
std::variant<DeadLetterLimit, UnitError> parse_dead_letter_limit(std::string_view text);

}  // namespace walspout::config
