#include "base/nearest.hpp"

#include <algorithm>
#include <vector>

namespace walspout::base {
namespace {

// Optimal string alignment distance: Levenshtein's, with a swap of two neighbours counted once.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view name,
                                        std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongest = 100;  // no option is; keeps a hostile name cheap
  if (name.size() > kLongest) return std::nullopt;
  std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::optional<std::string_view> found;
  for (const std::string_view candidate : candidates) {
    const std::size_t d = distance(name, candidate);
    if (d >= best) continue;
    best = d;
    found = candidate;
  }
  return found;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  if (candidates.empty()) return {};
  if (const auto guess = nearest(name, candidates)) {
    return "; did you mean '" + std::string(*guess) + "'?";
  }
  std::string text = "; known are ";
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (i != 0) text += ", ";
    text += candidates[i];
  }
  return text;
}

}  // namespace walspout::base
