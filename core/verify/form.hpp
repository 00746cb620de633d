// One column's values in a form in which source and target can be compared: on the host, and as SQL
// that the source computes. Both must give the same bytes for the same value; tests/verify checks
// that for every type.
//
// The text of a row, which its digest is taken of, is the concatenation of a piece per column:
//   TEXT|         types whose output is never empty and never holds a | outside of quotes
//   LENGTH:TEXT|  all others; the length in bytes of UTF-8
// where NULL is an empty TEXT, and an empty LENGTH too.
#pragma once

#include <walspout/abi.h>
#include <walspout/abi_reader.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/digest.hpp"

namespace walspout::verify {

// What a value is text of: the source's output, or what a reader gives back in the column's form.
enum class Origin { kSource, kTarget };

struct ColumnForm {
  std::uint8_t form = WALSPOUT_FORM_TEXT;
  std::uint32_t base_type_oid = 0;
  std::uint32_t element_type_oid = 0;
};

// The value in the one spelling that is compared.
std::string canonical(const ColumnForm& column, std::string_view text, Origin origin);

// Of a row's text, or a key's, as the server with this PieceSql gives it.
Digest digest_of(std::string_view text, bool convert);

void append_piece(std::string& out, const ColumnForm& column, std::optional<std::string_view> text,
                  Origin origin);

// How the server builds pieces. convert: its encoding is neither UTF8 nor SQL_ASCII, so what it
// digests has to be converted first; it can digest text only, so it is that of the bytes in hex.
class PieceSql {
 public:
  explicit PieceSql(bool convert) : convert_(convert) {}
  // column: an expression, as t."name". Appends the arguments of a concat().
  void append(std::vector<std::string>& arguments, const ColumnForm& column,
              const std::string& expression) const;
  // digest_of() of the concatenation.
  std::string digest(const std::vector<std::string>& arguments) const;

 private:
  std::string length(const ColumnForm& column, const std::string& expression) const;
  bool convert_;
};

inline std::optional<std::string_view> text_of(const walspout_value& value) {
  if (value.state != WALSPOUT_TEXT) return std::nullopt;
  return std::string_view(static_cast<const char*>(value.data), value.size);
}

}  // namespace walspout::verify
