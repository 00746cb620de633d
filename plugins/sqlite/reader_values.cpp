// The inverse of values.cpp.
#include <charconv>
#include <cmath>

#include "reader.hpp"

namespace walspout::sqlite {

namespace {

walspout_value value_of(std::string_view text) {
  walspout_value value{};
  value.data = text.data() == nullptr ? "" : text.data();
  value.size = static_cast<uint32_t>(text.size());
  value.state = WALSPOUT_TEXT;
  return value;
}

template <class Number>
void print_number(std::string& out, Number number) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, number);
  out.assign(text, end.ptr);
}

void print_real(std::string& out, double number) {
  if (std::isinf(number)) {
    out = number < 0 ? "-Infinity" : "Infinity";
  } else {
    print_number(out, number);
  }
}

void print_hex(std::string& out, std::string_view bytes) {
  constexpr char kHex[] = "0123456789abcdef";
  out.resize(2 + 2 * bytes.size());
  char* to = out.data();
  *to++ = '\\';
  *to++ = 'x';
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    *to++ = kHex[byte >> 4];
    *to++ = kHex[byte & 15];
  }
}

// "...12:00:00.5+00:00" -> "...12:00:00.5+00"; what was stored as it was printed stays.
std::string_view short_offset(std::string_view text) {
  if (text.size() > 6 && text.substr(text.size() - 3) == ":00" &&
      (text[text.size() - 6] == '+' || text[text.size() - 6] == '-'))
    text.remove_suffix(3);
  return text;
}

const char* class_name(int type) {
  switch (type) {
    case SQLITE_INTEGER:
      return "integer";
    case SQLITE_FLOAT:
      return "real";
    case SQLITE_BLOB:
      return "blob";
    default:
      return "text";
  }
}

// Of another storage class than the sink stores: equal to no value of the source.
void print_odd(std::string& out, const Statement& row, int column, int type) {
  out.assign(1, '\0');
  out.append(class_name(type)).append(":");
  if (type == SQLITE_BLOB) {
    std::string hex;
    print_hex(hex, row.text(column));
    out += hex;
    return;
  }
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row.get(), column));
  out.append(text, static_cast<size_t>(sqlite3_column_bytes(row.get(), column)));
}

}  // namespace

uint8_t form_of(Kind kind) {
  switch (kind) {
    case Kind::kReal:
    case Kind::kNumeric:
      return WALSPOUT_FORM_FLOAT8;
    case Kind::kArray:
      return WALSPOUT_FORM_ELEMENTS;
    case Kind::kInteger:
    case Kind::kBoolean:
    case Kind::kText:
    case Kind::kBytes:
    case Kind::kTimestamptz:
      break;
  }
  return WALSPOUT_FORM_TEXT;
}

walspout_value read_value(const Statement& row, int column, Kind kind, uint32_t element_type_oid,
                          std::string& buffer) {
  const int type = sqlite3_column_type(row.get(), column);
  if (type == SQLITE_NULL) return {};
  switch (kind) {
    case Kind::kInteger:
      if (type != SQLITE_INTEGER) break;
      print_number(buffer, row.integer(column));
      return value_of(buffer);
    case Kind::kBoolean:
      if (type != SQLITE_INTEGER || row.integer(column) < 0 || row.integer(column) > 1) break;
      return value_of(row.integer(column) == 1 ? "t" : "f");
    case Kind::kReal:
    case Kind::kNumeric:
      if (type == SQLITE_TEXT && row.text(column) == "NaN") return value_of("NaN");
      if (type == SQLITE_INTEGER) {
        print_number(buffer, row.integer(column));
      } else if (type == SQLITE_FLOAT) {
        print_real(buffer, sqlite3_column_double(row.get(), column));
      } else {
        break;
      }
      return value_of(buffer);
    case Kind::kBytes:
      if (type != SQLITE_BLOB) break;
      print_hex(buffer, row.text(column));
      return value_of(buffer);
    case Kind::kText:
      if (type != SQLITE_TEXT) break;
      return value_of(row.text(column));
    case Kind::kTimestamptz:
      if (type != SQLITE_TEXT) break;
      return value_of(short_offset(row.text(column)));
    case Kind::kArray:
      if (type != SQLITE_TEXT) break;
      buffer.clear();
      append_elements_of_json(buffer, row.text(column), element_type_oid);
      return value_of(buffer);
  }
  print_odd(buffer, row, column, type);
  return value_of(buffer);
}

}  // namespace walspout::sqlite
