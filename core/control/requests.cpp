#include "control/requests.hpp"

#include <stdexcept>

#include "base/quote.hpp"

namespace walspout::control {
namespace {

// "schema.table", maybe with "!" in front, as [source] tables takes it.
bool is_pattern(const std::string& word) {
  const std::size_t begin = word.starts_with('!') ? 1 : 0;
  const std::size_t dot = word.find('.', begin);
  return dot != std::string::npos && dot != begin && dot + 1 != word.size();
}

}  // namespace

std::vector<std::string> to_words(const Resync& resync) {
  std::vector<std::string> words = {"resync"};
  if (!resync.sink.empty()) words.insert(words.end(), {"--sink", resync.sink});
  words.insert(words.end(), resync.patterns.begin(), resync.patterns.end());
  return words;
}

std::vector<std::string> to_words(const Repair& repair) {
  std::vector<std::string> words = {"repair", repair.sink, repair.schema, repair.table};
  for (const auto& [column, value] : repair.key) words.insert(words.end(), {column, value});
  return words;
}

Resync parse_resync(const std::vector<std::string>& words) {
  Resync resync;
  std::size_t at = 1;
  if (at < words.size() && words[at] == "--sink") {
    if (words.size() < 3 || words[2].empty())
      throw std::runtime_error("resync --sink has no name; give the sink's name after it");
    resync.sink = words[2];
    at = 3;
  }
  for (; at < words.size(); ++at) {
    if (!is_pattern(words[at]))
      throw std::runtime_error("resync " + base::quoted(words[at]) +
                               " is not a pattern; write schema.table, where * stands for any "
                               "characters");
    resync.patterns.push_back(words[at]);
  }
  return resync;
}

Repair parse_repair(const std::vector<std::string>& words) {
  if (words.size() < 6 || words.size() % 2 != 0)
    throw std::runtime_error(
        "repair takes SINK SCHEMA TABLE and then a COLUMN and its VALUE, once or more");
  Repair repair{words[1], words[2], words[3], {}};
  for (std::size_t at = 4; at < words.size(); at += 2)
    repair.key.emplace_back(words[at], words[at + 1]);
  return repair;
}

}  // namespace walspout::control
