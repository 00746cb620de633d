#include "values.hpp"

#include <charconv>
#include <limits>
#include <walspout/array.hpp>
#include <walspout/oid.hpp>

namespace walspout::sqlite {

namespace {

constexpr size_t kKeepBuffer = size_t{1} << 20;  // bytes; bigger buffers are given back

int64_t to_integer(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    throw BadValue("the value is no integer");
  return value;
}

// PostgreSQL prints the shortest decimal that reads back as the same float (extra_float_digits 1):
// the nearest double of that decimal is what is stored, so that a float4 0.1 is 0.1 here too.
double to_real(std::string_view text) {
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) throw BadValue("the value is no number");
  // Only a numeric under numeric = "real" can be out of a double's range.
  if (error == std::errc::result_out_of_range)
    throw BadValue("the number does not fit a double; use numeric = \"auto\" or \"text\"");
  if (error != std::errc()) throw BadValue("the value is no number");
  return value;
}

// A numeric of few digits: an integer when it is one, else the nearest double. Integers below 2^53
// divided by a power of ten up to 10^22 are rounded once, hence correctly.
void bind_numeric(Statement& s, int index, std::string_view text) {
  static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (text == "NaN") return s.bind(index, text);
  const bool negative = text.substr(0, 1) == "-";
  int64_t digits = 0;
  size_t count = 0, scale = 0;
  bool point = false, plain = true;
  for (const char c : text.substr(negative ? 1 : 0)) {
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9' && count < 18) {
      digits = digits * 10 + (c - '0');
      ++count;
      if (point) ++scale;
    } else {
      plain = false;
      break;
    }
  }
  if (plain && count > 0) {
    for (; scale > 0 && digits % 10 == 0; --scale) digits /= 10;
    if (negative) digits = -digits;
    if (scale == 0) return s.bind(index, digits);
    if (digits < (int64_t{1} << 53) && digits > -(int64_t{1} << 53))
      return s.bind(index, static_cast<double>(digits) / kPowers[scale]);
  }
  s.bind(index, to_real(text));
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// `\x6162` -> `ab`. Every connection pins bytea_output = hex.
void decode_hex(std::string& out, std::string_view text) {
  if (text.size() % 2 != 0 || text.substr(0, 2) != "\\x") throw BadValue("the bytea is not in hex");
  out.resize(text.size() / 2 - 1);
  for (size_t i = 0; i < out.size(); ++i) {
    const int high = hex_digit(text[2 * i + 2]), low = hex_digit(text[2 * i + 3]);
    if (high < 0 || low < 0) throw BadValue("the bytea is not in hex");
    out[i] = static_cast<char>(high << 4 | low);
  }
}

// "... 12:00:00.5+00" ends in an offset of hours only, which SQLite's date functions do not read.
// BC dates and infinity do not end so and stay as printed.
bool short_offset(std::string_view text) {
  const size_t n = text.size();
  return n > 3 && (text[n - 3] == '+' || text[n - 3] == '-') && text[n - 2] >= '0' &&
         text[n - 2] <= '9' && text[n - 1] >= '0' && text[n - 1] <= '9' && text[n - 4] != ' ';
}

// pg_attribute.atttypmod of numeric(p,s): ((p << 16) | s) + 4, s being 11 bits with a sign.
int scale_of(int32_t type_mod) {
  const int scale = (type_mod - 4) & 0x7ff;
  return scale > 0x3ff ? scale - 0x800 : scale;
}

bool fits_number(int32_t type_mod) {
  if (type_mod < 4) return false;
  const int precision = ((type_mod - 4) >> 16) & 0xffff;
  const int scale = scale_of(type_mod);
  // 15 digits fit a double. numeric(15,-20) or numeric(3,400) would not fit a number all the same.
  return precision <= 15 && precision - scale <= 18 && scale <= 300;
}

}  // namespace

std::optional<int> declared_scale(const walspout_column& column) {
  const uint32_t type = column.base_type_oid != 0 ? column.base_type_oid : column.type_oid;
  if (type != oid::kNumeric || column.type_mod < 4) return std::nullopt;
  return std::max(scale_of(column.type_mod), 0);
}

Kind kind_of(const walspout_column& column, NumericMode mode) {
  if (column.element_type_oid != 0) return Kind::kArray;
  const uint32_t type = column.base_type_oid != 0 ? column.base_type_oid : column.type_oid;
  switch (type) {
    case oid::kInt2:
    case oid::kInt4:
    case oid::kInt8:
    case oid::kOid:
      return Kind::kInteger;
    case oid::kBool:
      return Kind::kBoolean;
    case oid::kFloat4:
    case oid::kFloat8:
      return Kind::kReal;
    case oid::kBytea:
      return Kind::kBytes;
    case oid::kTimestamptz:
      return Kind::kTimestamptz;
    case oid::kNumeric:
      if (mode == NumericMode::kReal) return Kind::kReal;
      return mode == NumericMode::kAuto && fits_number(column.type_mod) ? Kind::kNumeric
                                                                        : Kind::kText;
    default:
      return Kind::kText;
  }
}

const char* declared_type(Kind kind) {
  switch (kind) {
    case Kind::kInteger:
      return "INTEGER";
    case Kind::kBoolean:
      return "BOOLEAN";
    case Kind::kReal:
      return "REAL";
    case Kind::kNumeric:
      return "NUMERIC";
    case Kind::kBytes:
      return "BLOB";
    case Kind::kText:
    case Kind::kTimestamptz:
    case Kind::kArray:
      break;
  }
  return "TEXT";
}

std::string& Binder::buffer(int index) {
  if (buffers_.size() <= static_cast<size_t>(index))
    buffers_.resize(static_cast<size_t>(index) + 1);
  std::string& b = buffers_[static_cast<size_t>(index)];
  b.clear();
  return b;
}

void Binder::bind(Statement& s, int index, Kind kind, uint32_t element_type_oid,
                  const walspout_value& value) {
  if (value.state == WALSPOUT_NULL) return s.bind_null(index);
  if (value.state != WALSPOUT_TEXT) throw BadValue("the value was not sent as text");
  const std::string_view text(static_cast<const char*>(value.data), value.size);
  if (text.size() > kKeepBuffer) big_ = true;
  switch (kind) {
    case Kind::kInteger:
      return s.bind(index, to_integer(text));
    case Kind::kBoolean:
      if (text != "t" && text != "f") throw BadValue("the value is neither t nor f");
      return s.bind(index, int64_t{text == "t"});
    case Kind::kReal:
      // SQLite stores a NaN double as NULL.
      return text == "NaN" ? s.bind(index, text) : s.bind(index, to_real(text));
    case Kind::kNumeric:
      return bind_numeric(s, index, text);
    case Kind::kText:
      return s.bind(index, text);
    case Kind::kBytes: {
      std::string& bytes = buffer(index);
      decode_hex(bytes, text);
      return s.bind_blob(index, bytes);
    }
    case Kind::kTimestamptz: {
      if (!short_offset(text)) return s.bind(index, text);
      std::string& full = buffer(index);
      full.append(text).append(":00");
      return s.bind(index, std::string_view(full));
    }
    case Kind::kArray: {
      std::string& json = buffer(index);
      append_array(json, text, element_type_oid);
      return s.bind(index, std::string_view(json));
    }
  }
}

void Binder::trim() {
  if (!big_) return;
  big_ = false;
  for (std::string& b : buffers_)
    if (b.capacity() > kKeepBuffer) std::string().swap(b);
}

}  // namespace walspout::sqlite
