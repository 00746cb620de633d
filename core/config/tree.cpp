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
  constexpr std::string_view kPrefix = "Error while parsing ";
  if (out.starts_with(kPrefix)) out.replace(0, kPrefix.size(), "wrong ");
  if (out.find("cannot redefine existing") != std::string::npos) return out;
  constexpr std::string_view kEscape = "unknown escape sequence";
  if (const auto at = out.find(kEscape); at != std::string::npos) out.resize(at + kEscape.size());
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

std::string_view advice(std::string_view what) {
  constexpr std::pair<std::string_view, std::string_view> kAdvice[] = {
      {"cannot ", "a key or table may be there once; remove one of the two"},
      {"control character", "close the quotes on the same line"},
      {"line break", "close the quotes on the same line"},
      {"escape sequence", "write \\\\ for a backslash, or put the text in single quotes"},
      {"value type", "put text in quotes"},
      {"utf-8", "save the file as UTF-8"},
      {"'='", "write key = value"},
      {"comment or whitespace", "end the line after the value, or put a # before the rest"}};
  for (const auto& [part, text] : kAdvice) {
    if (what.find(part) != std::string_view::npos) return text;
  }
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
    result.problems.push_back(
        {location(error.source(), file), what + "; " + std::string(advice(what))});
  }
  return result;
}

}  // namespace walspout::config
