#include "postgres/result.hpp"

#include <libpq-fe.h>

#include <charconv>
#include <stdexcept>

namespace walspout::postgres {

void Result::Clear::operator()(pg_result* result) const { PQclear(result); }

int Result::rows() const { return PQntuples(result_.get()); }

int Result::columns() const { return PQnfields(result_.get()); }

std::optional<std::string_view> Result::text(int row, int column) const {
  if (row < 0 || row >= rows() || column < 0 || column >= columns()) {
    throw std::out_of_range("the server's answer has fewer rows or columns than expected");
  }
  if (PQgetisnull(result_.get(), row, column) != 0) return std::nullopt;
  return std::string_view(PQgetvalue(result_.get(), row, column),
                          static_cast<std::size_t>(PQgetlength(result_.get(), row, column)));
}

std::string Result::string(int row, int column) const {
  const auto value = text(row, column);
  if (!value) throw std::runtime_error("the server's answer is NULL where a value is expected");
  return std::string(*value);
}

std::int64_t Result::integer(int row, int column) const {
  const std::string value = string(row, column);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) {
    throw std::runtime_error("the server's answer is no integer: " + value);
  }
  return number;
}

bool Result::boolean(int row, int column) const {
  const std::string value = string(row, column);
  if (value != "t" && value != "f") {
    throw std::runtime_error("the server's answer is no boolean: " + value);
  }
  return value == "t";
}

std::uint32_t Result::type_oid(int column) const { return PQftype(result_.get(), column); }

std::int32_t Result::type_mod(int column) const { return PQfmod(result_.get(), column); }

std::string Result::tag() const { return PQcmdStatus(result_.get()); }

bool Result::starts_copy() const {
  const auto status = PQresultStatus(result_.get());
  return status == PGRES_COPY_OUT || status == PGRES_COPY_IN || status == PGRES_COPY_BOTH;
}

}  // namespace walspout::postgres
