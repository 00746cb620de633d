// Types and values of the storm: SQL expressions, decided by a seed.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "storm/catalogue.hpp"

namespace walspout::test::storm {

// The only source of chance of a storm.
class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}

  int between(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  bool percent(int chance) { return between(1, 100) <= chance; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from.at(static_cast<std::size_t>(between(0, static_cast<int>(from.size()) - 1)));
  }

 private:
  std::mt19937 random_;
};

// A type for a new column. Needs the enum "mood".
std::string any_type(Dice& dice);

// The labels are those of "mood".
class Values {
 public:
  Values(Dice& dice, std::vector<std::string> labels) : dice_(dice), labels_(std::move(labels)) {}

  // An expression of that type over `row`, an SQL integer; sometimes NULL if `null` allows it, and
  // sometimes larger than 8 kB and incompressible.
  std::string any(const std::string& type, const std::string& row, bool null);
  // One that differs for each row; the keys of a statement begin at `base`.
  std::string distinct(const std::string& type, const std::string& row, int base);
  // As a column's default: the same for all rows, or made for each.
  std::string constant(const std::string& type) {
    return any(type, std::to_string(dice_.between(1, 99)), false);
  }
  std::string made_for_each(const std::string& type);

 private:
  std::string plain(const std::string& type, const std::string& row);

  Dice& dice_;
  std::vector<std::string> labels_;
};

// Another type and its USING expression for a column of `type`.
struct Retype {
  std::string type, expression;
};
Retype another_type(Dice& dice, const Column& column);

}  // namespace walspout::test::storm
