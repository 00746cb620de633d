#include "verify/form.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <walspout/reader.hpp>

namespace walspout::verify {

namespace {

// A function takes at most 100 arguments.
constexpr std::size_t kMostArguments = 90;

// Its output is never empty, and holds no | but within quotes, as JSON does.
bool is_plain(const ColumnForm& column) {
  if (column.form != WALSPOUT_FORM_TEXT) return true;
  if (column.element_type_oid != 0) return false;
  switch (column.base_type_oid) {
    case oid::kBool:
    case oid::kBytea:
    case oid::kInt2:
    case oid::kInt4:
    case oid::kInt8:
    case oid::kOid:
    case oid::kFloat4:
    case oid::kFloat8:
    case oid::kNumeric:
    case oid::kDate:
    case oid::kTime:
    case oid::kTimetz:
    case oid::kTimestamp:
    case oid::kTimestamptz:
    case oid::kInterval:
    case oid::kInet:
    case oid::kJson:
    case oid::kJsonb:
    case oid::kUuid:
      return true;
    default:
      return false;
  }
}

// The bits of the double, as float8send() gives them: one NaN, and no negative zero.
std::string double_bits(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::string(text);
  if (number != number) return "7ff8000000000000";
  return fmt::format("{:016x}", std::bit_cast<std::uint64_t>(number + 0.0));
}

std::string elements_sql(std::uint32_t element, const std::string& x) {
  switch (element) {
    case oid::kBool:
    case oid::kInt2:
    case oid::kInt4:
    case oid::kInt8:
    case oid::kFloat4:
    case oid::kFloat8:
    case oid::kText:
    case oid::kVarchar:
      return fmt::format("array_to_json({})::text", x);
    case oid::kJson:
    case oid::kJsonb:
      return fmt::format("translate(array_to_json({})::text, chr(10) || chr(13), '  ')", x);
    case oid::kOid:
      return fmt::format("array_to_json({}::int8[])::text", x);
    case oid::kBox:  // the one type whose arrays have another delimiter; it has no cast to text
      return fmt::format("array_to_json({}::text[])::text", x);
    default:
      // By its output: a cast to text[] would give char(n) without its blanks, inet with a mask.
      return fmt::format("array_to_json({}::text::text[])::text", x);
  }
}

std::string double_sql(std::uint32_t type, const std::string& x) {
  if (type == oid::kFloat8) {
    return fmt::format(
        "encode(float8send(CASE WHEN {0} = 'NaN'::float8 THEN 'NaN'::float8 ELSE {0}::float8 + 0 "
        "END), 'hex')",
        x);
  }
  // A real becomes the double nearest to what it prints, not the one that it is.
  return fmt::format("encode(float8send({}::text::float8 + 0), 'hex')", x);
}

std::string concat(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return "''";
  if (arguments.size() <= kMostArguments)
    return fmt::format("concat({})", fmt::join(arguments, ", "));
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < arguments.size(); i += kMostArguments) {
    const auto begin = arguments.begin() + static_cast<std::ptrdiff_t>(i);
    const auto size = std::min(kMostArguments, arguments.size() - i);
    groups.push_back(concat({begin, begin + static_cast<std::ptrdiff_t>(size)}));
  }
  return concat(groups);
}

}  // namespace

Digest digest_of(std::string_view text, bool convert) {
  if (!convert) return digest(text);
  constexpr char kHex[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * text.size());
  for (const char c : text) {
    hex += kHex[static_cast<unsigned char>(c) >> 4];
    hex += kHex[static_cast<unsigned char>(c) & 15];
  }
  return digest(hex);
}

std::string canonical(const ColumnForm& column, std::string_view text, Origin origin) {
  if (column.form == WALSPOUT_FORM_FLOAT8) return double_bits(text);
  if (column.form == WALSPOUT_FORM_ELEMENTS && origin == Origin::kSource) {
    std::string json;
    append_elements(json, text, column.element_type_oid);
    return json;
  }
  return std::string(text);
}

void append_piece(std::string& out, const ColumnForm& column, std::optional<std::string_view> text,
                  Origin origin) {
  const bool plain = is_plain(column);
  if (!text) {
    out += plain ? "|" : ":|";
    return;
  }
  std::string changed;
  if (column.form != WALSPOUT_FORM_TEXT) {
    changed = canonical(column, *text, origin);
    text = changed;
  }
  if (!plain) {
    char length[24];
    const auto end = std::to_chars(length, length + sizeof length, text->size());
    out.append(length, end.ptr);
    out += ':';
  }
  out.append(*text);
  out += '|';
}

// In bytes of what the host will see. NULL for NULL, and that of the value, not of a row's fields.
std::string PieceSql::length(const ColumnForm& column, const std::string& expression) const {
  const bool text = column.base_type_oid == oid::kText || column.base_type_oid == oid::kVarchar;
  if (text || column.base_type_oid == oid::kBpchar) {
    if (!convert_) return fmt::format("octet_length({})", expression);
    // Not char(n): as text it would lose its blanks.
    if (text) return fmt::format("octet_length(convert_to({}, 'UTF8'))", expression);
  }
  const std::string output = convert_ ? fmt::format("convert_to(concat({}), 'UTF8')", expression)
                                      : fmt::format("concat({})", expression);
  return fmt::format("CASE WHEN {} IS DISTINCT FROM NULL THEN octet_length({}) END", expression,
                     output);
}

void PieceSql::append(std::vector<std::string>& arguments, const ColumnForm& column,
                      const std::string& expression) const {
  std::string printed = expression;
  if (column.form == WALSPOUT_FORM_FLOAT8) printed = double_sql(column.base_type_oid, expression);
  if (column.form == WALSPOUT_FORM_ELEMENTS)
    printed = elements_sql(column.element_type_oid, expression);
  if (!is_plain(column)) {
    arguments.push_back(length(column, expression));
    arguments.emplace_back("':'");
  }
  arguments.push_back(std::move(printed));
  arguments.emplace_back("'|'");
}

std::string PieceSql::digest(const std::vector<std::string>& arguments) const {
  std::string text = concat(arguments);
  if (convert_) text = fmt::format("encode(convert_to({}, 'UTF8'), 'hex')", text);
  return fmt::format("hashtextextended({} COLLATE \"C\", 0)", text);
}

}  // namespace walspout::verify
