// Reads the keys of one table of the tree into values, and collects what is wrong with them. A
// value that is wrong or missing leaves its target as it was.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/raw_option.hpp"
#include "config/tree.hpp"

namespace walspout::config {

// One string of a list.
struct Text {
  std::string value;
  std::string shown;  // for messages: see quoted()
  base::Location at;
};

template <class E>
struct Choice {
  std::string_view word;
  E value;
};

class Section {
 public:
  // `kind` is the table's name in the list of known keys ("sink"), `path` what messages call it
  // ("sink.mirror"). Reports keys that are not known there. A null table has no keys.
  Section(const Node* node, std::string_view kind, std::string path, base::Problems& problems);

  // Null when the key is not there.
  const Node* find(std::string_view key) const;
  // True if the key is there, or a misspelt one that was reported as meant for it.
  bool meant(std::string_view key) const;

  // Each returns true if the value was there and right, and sets `to`.
  bool text(std::string_view key, std::string& to);
  bool boolean(std::string_view key, bool& to);
  bool size(std::string_view key, std::uint64_t& to);
  bool texts(std::string_view key, std::vector<Text>& to);

  template <class E, std::size_t N>
  bool choice(std::string_view key, const std::array<Choice<E>, N>& choices, E& to) {
    std::array<std::string_view, N> words;
    for (std::size_t i = 0; i < N; ++i) words[i] = choices[i].word;
    std::size_t index = 0;
    if (!one_of(key, words, index)) return false;
    to = choices[index].value;
    return true;
  }

  // "source.slot"
  std::string path(std::string_view key) const;
  // A problem of a key's value: "source.slot " + text.
  void problem(std::string_view key, const std::string& text);

 private:
  bool one_of(std::string_view key, std::span<const std::string_view> words, std::size_t& index);
  void wrong_type(const Node& node, const std::string& wanted);
  void report_unknown(const Node& node);

  const Table* table_;
  std::string_view kind_;
  std::string path_;
  base::Problems& problems_;
  std::set<std::string, std::less<>> suggested_;
};

// A word of the file in double quotes, or "the value" if it may hold something secret.
std::string quoted(const Node& node);

}  // namespace walspout::config
