// "did you mean": the known name that is nearest to one a user mistyped.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace walspout::base {

// The candidate with the fewest insertions, deletions, replacements and swaps of neighbours (the
// first of equals), if that is few enough to be a slip of the finger: a third of the name, 1 at
// least. Views into candidates.
std::optional<std::string_view> nearest(std::string_view name,
                                        std::span<const std::string_view> candidates);

// "; did you mean 'x'?", or "; known are a, b, c", or nothing when there are no candidates: the end
// of a message about an unknown name.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace walspout::base
