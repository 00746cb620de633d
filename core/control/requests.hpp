// The requests of control/protocol.hpp as structs: what a command sends or stores, and what the
// host makes of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace walspout::control {

struct Resync {
  std::string sink;                   // empty = every sink
  std::vector<std::string> patterns;  // as in `tables`; none = all tables
};

struct Repair {
  std::string sink;
  std::string schema, table;
  std::vector<std::pair<std::string, std::string>> key;  // column, value; at least one
};

// With the verb as the first word.
std::vector<std::string> to_words(const Resync& resync);
std::vector<std::string> to_words(const Repair& repair);

// The words with their verb in front, which must be the one that is meant. Throws
// std::runtime_error with one line when they do not have its form.
Resync parse_resync(const std::vector<std::string>& words);
Repair parse_repair(const std::vector<std::string>& words);

}  // namespace walspout::control
