#include "config/tree.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace walspout::config {
namespace {

base::Location location(const toml::source_region& region, const std::string& file) {
  return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

bool before(const Node& a, const Node& b) {
  return std::tie(a.key_at.line, a.key_at.column) < std::tie(b.key_at.line, b.key_at.column);
}

Node convert(const toml::node& from, const std::string& file);

Table convert(const toml::table& from, const std::string& file) {
  Table to;
  for (const auto& [key, value] : from) {
    Node node = convert(value, file);
    node.key = std::string(key.str());
    // An array of tables has no key of its own but that of its first header.
    node.key_at = location(key.source(), file);
    if (node.key_at.line == 0) node.key_at = node.at;
    to.entries.push_back(std::move(node));
  }
  // toml++ keeps them by name; messages and options are to come in the file's order.
  std::stable_sort(to.entries.begin(), to.entries.end(), before);
  return to;
}

Node convert(const toml::node& from, const std::string& file) {
  Node to;
  to.at = location(from.source(), file);
  to.key_at = to.at;
  if (const auto* table = from.as_table()) {
    to.value = convert(*table, file);
  } else if (const auto* array = from.as_array()) {
    List list;
    for (const auto& item : *array) list.items.push_back(convert(item, file));
    to.value = std::move(list);
  } else if (const auto* text = from.as_string()) {
    to.value = text->get();
  } else if (const auto* boolean = from.as_boolean()) {
    to.value = boolean->get();
  } else if (const auto* integer = from.as_integer()) {
    to.value = integer->get();
  } else if (const auto* number = from.as_floating_point()) {
    to.value = number->get();
  } else {
    to.value = DateOrTime{};
  }
  return to;
}

// toml++ says what it expected and what it saw instead. What it saw, and any literal it quotes, is
// text of the line and may be part of a secret; names of keys that are there twice are kept.
std::string without_quotes(std::string_view text) {
  std::string out(text.substr(0, text.find(", saw '")));
  if (out.find("cannot redefine existing") != std::string::npos) return out;
  constexpr std::size_t kOneSign = 2;  // expected '=': punctuation of TOML, not of the line
  for (std::size_t open = out.find('\''); open != std::string::npos; open = out.find('\'', open)) {
    const std::size_t close = out.find('\'', open + 1);
    if (close == std::string::npos) break;
    if (close - open > kOneSign) {
      out.replace(open, close - open + 1, "the value");
    } else {
      open = close + 1;
    }
  }
  return out;
}

std::string advice(std::string_view description) {
  const auto has = [&](std::string_view part) {
    return description.find(part) != std::string_view::npos;
  };
  if (has("cannot redefine") || has("cannot insert")) {
    return "a key or table may be there once; remove one of the two";
  }
  if (has("unexpected control character") || has("line break")) {
    return "close the quotes on the same line, or use three of them";
  }
  if (has("could not determine value type") || has("value type")) {
    return "put text in quotes";
  }
  if (has("utf-8") || has("UTF-8")) return "save the file as UTF-8";
  return "correct the TOML here; text values need quotes";
}

}  // namespace

const Node* Table::find(std::string_view key) const {
  for (const Node& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

std::string_view Node::type_name() const {
  constexpr std::string_view kNames[] = {"a string", "a boolean", "an integer", "a number",
                                         "a date",   "a list",    "a table"};
  return kNames[value.index()];
}

ParseResult parse_toml(std::string_view text, const std::string& file) {
  ParseResult result;
  try {
    const toml::table root = toml::parse(text);
    Node node;
    node.at = {file, 1, 1};
    node.key_at = node.at;
    node.value = convert(root, file);
    result.root = std::move(node);
  } catch (const toml::parse_error& error) {
    const std::string what = without_quotes(error.description());
    result.problems.push_back({location(error.source(), file), what + "; " + advice(what)});
  }
  return result;
}

}  // namespace walspout::config
