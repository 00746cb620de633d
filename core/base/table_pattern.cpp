#include "base/table_pattern.hpp"

#include <utility>

namespace walspout::base {

bool glob_match(std::string_view pattern, std::string_view text) {
  // Greedy with one point to come back to: linear in practice, never exponential.
  std::size_t p = 0, t = 0, star = std::string_view::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

TablePatterns::TablePatterns(std::vector<std::string> patterns) : patterns_(std::move(patterns)) {}

bool TablePatterns::matches(std::string_view schema, std::string_view table) const {
  std::string name(schema);
  name += '.';
  name += table;
  bool taken = patterns_.empty() || patterns_.front().starts_with('!');
  for (std::string_view pattern : patterns_) {
    const bool take = !pattern.starts_with('!');
    if (!take) pattern.remove_prefix(1);
    if (glob_match(pattern, name)) taken = take;
  }
  return taken;
}

}  // namespace walspout::base
