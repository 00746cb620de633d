// A TOML document as a plain tree in the file's order. Its implementation is the only place that
// knows toml++.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/location.hpp"
#include "base/raw_option.hpp"

namespace walspout::config {

struct Node;

struct List {
  std::vector<Node> items;
};
struct Table {
  std::vector<Node> entries;
  const Node* find(std::string_view key) const;
};
struct DateOrTime {};  // TOML has them, this configuration has no use for them

struct Node {
  std::string key;        // empty in a list
  base::Location key_at;  // of the key; of the value in a list
  base::Location at;      // of the value; of its header for a table
  bool expanded = false;  // a ${...} was replaced in it: never print the value
  std::variant<std::string, bool, std::int64_t, double, DateOrTime, List, Table> value;

  const Table* table() const { return std::get_if<Table>(&value); }
  const List* list() const { return std::get_if<List>(&value); }
  const std::string* text() const { return std::get_if<std::string>(&value); }
  std::string_view type_name() const;  // "an integer"
};

struct ParseResult {
  std::optional<Node> root;
  base::Problems problems;  // at most one: what follows a syntax error cannot be trusted
};

// `file` is what places are named after. Accepts a UTF-8 byte order mark, CRLF and tabs.
ParseResult parse_toml(std::string_view text, const std::string& file);

}  // namespace walspout::config
