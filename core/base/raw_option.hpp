// One entry of a [sink.options] table as the configuration holds it, before the plugin's own option
// table has been asked what it means. The vocabulary between config/ (which reads TOML) and sink/
// (which knows plugins).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/location.hpp"

namespace walspout::base {

struct RawOption;

struct RawList {
  std::vector<RawOption> items;  // unnamed
};
struct RawTable {
  std::vector<RawOption> entries;
};

struct RawOption {
  std::string name;
  std::variant<std::string, bool, std::int64_t, double, RawList, RawTable> value;
  Location at;
};

// A mistake in a file the user wrote: "shop.toml:3:10: what is wrong; what to do".
struct Problem {
  Location at;
  std::string text;
};
using Problems = std::vector<Problem>;

}  // namespace walspout::base
