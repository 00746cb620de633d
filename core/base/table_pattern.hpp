// Patterns for tables, as in `tables = ["public.*", "!public.audit_*"]`: "schema.table", where `*`
// stands for any characters and `?` for one. A leading `!` takes away what earlier patterns gave;
// the last pattern that matches decides. A list that starts with `!`, or is empty, starts from all
// tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace walspout::base {

// True if the whole text matches the pattern of `*` and `?`.
bool glob_match(std::string_view pattern, std::string_view text);

class TablePatterns {
 public:
  TablePatterns() = default;  // all tables
  explicit TablePatterns(std::vector<std::string> patterns);

  bool matches(std::string_view schema, std::string_view table) const;
  bool all() const { return patterns_.empty(); }
  const std::vector<std::string>& patterns() const { return patterns_; }

 private:
  std::vector<std::string> patterns_;
};

}  // namespace walspout::base
