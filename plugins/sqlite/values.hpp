// PostgreSQL's text of a value -> what SQLite stores (README, section Values). One canonical form:
// the same value binds the same way whether it is stored or searched for.
#pragma once

#include <walspout/abi.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "database.hpp"

namespace walspout::sqlite {

// The plugin's option numeric.
enum class NumericMode : uint8_t { kAuto, kText, kReal };

// How a column's values are stored.
enum class Kind : uint8_t {
  kInteger,      // smallint, integer, bigint, oid
  kBoolean,      // 0, 1
  kReal,         // float4, float8, numeric under numeric = "real"; NaN as text
  kNumeric,      // numeric whose values all fit a number
  kText,         // as PostgreSQL prints it
  kBytes,        // BLOB
  kTimestamptz,  // text with +00:00
  kArray         // text, a JSON array
};

Kind kind_of(const walspout_column& column, NumericMode mode);

// The decimals that PostgreSQL prints of a numeric that is declared with them.
std::optional<int> declared_scale(const walspout_column& column);

// The declared type, by which SQLite decides on the affinity.
const char* declared_type(Kind kind);

// A value that is not of its type's form. The message does not repeat the value.
class BadValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Binds values without a copy where it can. Converted ones live in a buffer per parameter, which
// keeps its capacity: after the first rows nothing is allocated. Valid until the next bind of the
// same parameter.
class Binder {
 public:
  // state is WALSPOUT_NULL or WALSPOUT_TEXT. Throws BadValue or SqliteError.
  void bind(Statement& statement, int index, Kind kind, uint32_t element_type_oid,
            const walspout_value& value);
  // Gives back the buffers of big values.
  void trim();

 private:
  std::string& buffer(int index);
  std::deque<std::string> buffers_;  // bound text points into the strings: they never move
  bool big_ = false;
};

}  // namespace walspout::sqlite
