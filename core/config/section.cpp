#include "config/section.hpp"

#include <algorithm>
#include <utility>

#include "config/keys.hpp"
#include "config/units.hpp"

namespace walspout::config {
namespace {

std::string join(std::span<const std::string_view> words, std::string_view quote,
                 std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? last : ", ";
    out.append(quote).append(words[i]).append(quote);
  }
  return out;
}

}  // namespace

std::string quoted(const Node& node) {
  constexpr std::size_t kLongest = 64;
  const std::string* text = node.text();
  const auto printable = [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7f'; };
  if (text == nullptr || node.expanded || text->size() > kLongest ||
      !std::all_of(text->begin(), text->end(), printable)) {
    return "the value";
  }
  return '"' + *text + '"';
}

Section::Section(const Node* node, std::string_view kind, std::string path,
                 base::Problems& problems)
    : table_(node == nullptr ? nullptr : node->table()),
      kind_(kind),
      path_(std::move(path)),
      problems_(problems) {
  if (table_ == nullptr) return;
  const auto known = known_keys(kind_);
  for (const Node& entry : table_->entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) report_unknown(entry);
  }
}

const Node* Section::find(std::string_view key) const {
  return table_ == nullptr ? nullptr : table_->find(key);
}

bool Section::meant(std::string_view key) const {
  return find(key) != nullptr || suggested_.find(key) != suggested_.end();
}

std::string Section::path(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + '.' + std::string(key);
}

void Section::problem(std::string_view key, const std::string& text) {
  const Node* node = find(key);
  problems_.push_back({node == nullptr ? base::Location{} : node->at, path(key) + ' ' + text});
}

void Section::report_unknown(const Node& node) {
  const auto known = known_keys(kind_);
  const std::optional<std::string_view> near = nearest(node.key, known);
  const std::vector<std::string> elsewhere = tables_with(node.key);
  const bool here = near && equal_ignoring_case(*near, node.key);

  const bool is_table = node.table() != nullptr && kind_.empty();
  std::string text =
      is_table ? "unknown table [" + node.key + "]; " : "unknown key " + path(node.key) + "; ";
  if (here) {
    suggested_.emplace(*near);
    text += "did you mean " + (kind_.empty() ? header(*near) : std::string(*near)) +
            "? Names are in lower case";
  } else if (!elsewhere.empty() && !is_table) {
    text += "it belongs under " + elsewhere.front();
    for (std::size_t i = 1; i < elsewhere.size(); ++i) text += " or " + elsewhere[i];
  } else if (near) {
    suggested_.emplace(*near);
    text += "did you mean " + (kind_.empty() ? header(*near) : std::string(*near)) + "?";
  } else if (kind_.empty()) {
    text += "the tables are [host], [source], [state], [admin], [log] and [[sink]]";
  } else if (kind_ == "sink") {
    text += "if it is an option of the plugin, it belongs under [sink.options]";
  } else {
    text += (known.size() == 1 ? "the only key of " : "the keys of ") + header(kind_) +
            (known.size() == 1 ? " is " : " are ") + join(known, "", " and ");
  }
  problems_.push_back({node.key_at, std::move(text)});
}

void Section::wrong_type(const Node& node, const std::string& wanted) {
  problems_.push_back(
      {node.at, path(node.key) + " is " + std::string(node.type_name()) + "; " + wanted});
}

bool Section::text(std::string_view key, std::string& to) {
  const Node* node = find(key);
  if (node == nullptr) return false;
  if (node->text() == nullptr) {
    wrong_type(*node, "write text in quotes");
    return false;
  }
  if (node->text()->empty()) {
    problem(key, "is empty; give a value, or leave the key out");
    return false;
  }
  to = *node->text();
  return true;
}

bool Section::boolean(std::string_view key, bool& to) {
  const Node* node = find(key);
  if (node == nullptr) return false;
  if (const bool* value = std::get_if<bool>(&node->value)) {
    to = *value;
    return true;
  }
  wrong_type(*node, "write true or false, without quotes");
  return false;
}

bool Section::size(std::string_view key, std::uint64_t& to) {
  const Node* node = find(key);
  if (node == nullptr) return false;
  if (node->text() == nullptr) {
    wrong_type(*node, "write a size in quotes, as in \"64MiB\"");
    return false;
  }
  const auto parsed = parse_size(*node->text());
  if (const auto* error = std::get_if<UnitError>(&parsed)) {
    problem(key, "= " + quoted(*node) + ' ' + error->what + "; " + error->todo);
    return false;
  }
  to = std::get<std::uint64_t>(parsed);
  return true;
}

bool Section::texts(std::string_view key, std::vector<Text>& to) {
  const Node* node = find(key);
  if (node == nullptr) return false;
  const List* list = node->list();
  if (list == nullptr) {
    wrong_type(*node, "write a list of strings in [ ]");
    return false;
  }
  bool right = true;
  std::vector<Text> read;
  for (const Node& item : list->items) {
    if (item.text() != nullptr && !item.text()->empty()) {
      read.push_back({*item.text(), quoted(item), item.at});
      continue;
    }
    right = false;
    const std::string what = item.text() == nullptr ? std::string(item.type_name()) : "empty text";
    problems_.push_back({item.at, path(key) + " holds " + what + "; write strings in quotes"});
  }
  if (right) to = std::move(read);
  return right;
}

bool Section::one_of(std::string_view key, std::span<const std::string_view> words,
                     std::size_t& index) {
  const Node* node = find(key);
  if (node == nullptr) return false;
  if (node->text() == nullptr) {
    wrong_type(*node, "write " + join(words, "\"", " or "));
    return false;
  }
  const auto found = std::find(words.begin(), words.end(), *node->text());
  if (found != words.end()) {
    index = static_cast<std::size_t>(found - words.begin());
    return true;
  }
  const std::optional<std::string_view> near = nearest(*node->text(), words);
  problem(key, "= " + quoted(*node) + " is not known; " +
                   (near ? "did you mean \"" + std::string(*near) + "\"?"
                         : "write " + join(words, "\"", " or ")));
  return false;
}

}  // namespace walspout::config
