// The answer to one command, as text. Owns it; views are valid as long as it lives.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct pg_result;  // libpq's PGresult

namespace walspout::postgres {

class Result {
 public:
  explicit Result(pg_result* result) : result_(result) {}

  int rows() const;
  int columns() const;

  // Nothing for NULL. Row and column count from 0.
  std::optional<std::string_view> text(int row, int column) const;

  // The same, converted; throws std::runtime_error when the value is NULL or does not parse.
  std::string string(int row, int column) const;
  std::int64_t integer(int row, int column) const;
  bool boolean(int row, int column) const;

  std::uint32_t type_oid(int column) const;
  std::int32_t type_mod(int column) const;
  std::string tag() const;   // "INSERT 0 1", ...
  bool starts_copy() const;  // a copy or the replication stream is open now

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

}  // namespace walspout::postgres
