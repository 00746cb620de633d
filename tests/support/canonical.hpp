// One form for a value of the source and the same value in the mirror (contract "SQLite mirror:
// values"), written from the contract's table alone and sharing nothing with the plugin.
#pragma once

#include <optional>
#include <string>

#include "support/sqlite_file.hpp"

namespace walspout::test {

// What pg_catalog knows about a column, domains resolved.
struct ColumnType {
  std::string name;  // typname of the base type, of the element for an array: "int4", "text"
  bool array = false;
  int precision = -1;                   // of numeric(p,s); -1 for a bare numeric
  std::string numeric_option = "auto";  // the sink's option `numeric`
};

// `text` is what PostgreSQL prints with the pinned settings.
std::string canonical_source(const ColumnType& type, const std::optional<std::string>& text);
std::string canonical_mirror(const ColumnType& type, const SqlValue& value);

}  // namespace walspout::test
