// walspout/array.hpp - from PostgreSQL's text of a value to JSON: by type, and array literals.
// Functions append to a buffer of the caller's. Threads: any. Errors: none but std::bad_alloc; what
// does not look like its type becomes a JSON string, never a lost value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <walspout/json_text.hpp>
#include <walspout/oid.hpp>

namespace walspout {

// How a type's values are written in JSON.
enum class JsonKind : std::uint8_t {
  kString,   // all others: numeric, timestamps, uuid, enums, ranges, composites, ...
  kNumber,   // integers, oid, floats
  kBoolean,  // bool
  kJson,     // json, jsonb
  kBytes,    // bytea
  kArray     // any array
};

// By walspout_column.base_type_oid and element_type_oid.
inline JsonKind json_kind(std::uint32_t base_type_oid, std::uint32_t element_type_oid) {
  if (element_type_oid != 0) return JsonKind::kArray;
  switch (base_type_oid) {
    case oid::kInt2:
    case oid::kInt4:
    case oid::kInt8:
    case oid::kOid:
    case oid::kFloat4:
    case oid::kFloat8:
      return JsonKind::kNumber;
    case oid::kBool:
      return JsonKind::kBoolean;
    case oid::kJson:
    case oid::kJsonb:
      return JsonKind::kJson;
    case oid::kBytea:
      return JsonKind::kBytes;
    default:
      return JsonKind::kString;
  }
}

// One value that is no array (kArray is taken for a string here). Bytes become base64.
inline void append_scalar(std::string& out, JsonKind kind, std::string_view text) {
  switch (kind) {
    case JsonKind::kNumber:
      return append_number(out, text);
    case JsonKind::kBoolean:
      if (text == "t") {
        out += "true";
      } else if (text == "f") {
        out += "false";
      } else {
        append_string(out, text);
      }
      return;
    case JsonKind::kJson:
      if (text.empty()) return append_string(out, text);
      return append_json(out, text);
    case JsonKind::kBytes:
      if (!append_base64_of_hex(out, text)) append_string(out, text);
      return;
    case JsonKind::kString:
    case JsonKind::kArray:
      break;
  }
  append_string(out, text);
}

// An array literal as PostgreSQL prints it becomes a JSON array, one inside the other for more
// dimensions; the elements are written as values of element_type_oid (domains resolved). Other
// lower bounds ("[2:3]={a,b}") are dropped. Returns false when the text is no array literal (an
// int2vector's, say): then it was appended as a JSON string.
// Source: PostgreSQL documentation, section 8.15.6 "Array Input and Output Syntax".
inline bool append_array(std::string& out, std::string_view literal,
                         std::uint32_t element_type_oid);

namespace detail {

class ArrayParser {
 public:
  ArrayParser(std::string& out, std::string_view literal, std::uint32_t element_type_oid)
      : out_(out),
        p_(literal.data()),
        end_(p_ + literal.size()),
        kind_(json_kind(element_type_oid, 0)),
        // pg_type.typdelim: box is the only built-in type with another one
        delimiter_(element_type_oid == oid::kBox ? ';' : ',') {}

  // The whole literal. Not recursive: outside text decides on the depth.
  bool parse() {
    if (!skip_bounds()) return false;
    int depth = 0;
    do {
      if (p_ == end_) return false;
      if (*p_ == '{') {
        ++p_;
        ++depth;
        out_ += '[';
        if (p_ != end_ && *p_ == '}') {  // empty: "{}" is the only form
          if (!close(depth)) return false;
        }
        continue;
      }
      if (depth == 0 || !element() || !close(depth)) return false;
    } while (depth != 0);
    return p_ == end_;
  }

 private:
  // After an element or an inner array: closing braces, then the delimiter.
  bool close(int& depth) {
    while (p_ != end_ && *p_ == '}') {
      ++p_;
      out_ += ']';
      if (--depth == 0) return true;
    }
    if (p_ == end_ || *p_ != delimiter_) return false;
    ++p_;
    out_ += ',';
    return true;
  }

  bool skip_bounds() {
    if (p_ == end_ || *p_ != '[') return true;
    while (p_ != end_ && *p_ != '=') {
      if ((*p_ < '0' || *p_ > '9') && std::string_view("[]:-+").find(*p_) == std::string_view::npos)
        return false;
      ++p_;
    }
    if (p_ == end_) return false;
    ++p_;
    return true;
  }

  bool element() { return *p_ == '"' ? quoted() : bare(); }

  bool quoted() {
    const char* const from = ++p_;
    while (p_ != end_ && *p_ != '"' && *p_ != '\\') ++p_;
    if (p_ == end_) return false;
    if (*p_ == '"') {
      append_scalar(out_, kind_, {from, static_cast<std::size_t>(p_++ - from)});
      return true;
    }
    plain_.assign(from, p_);
    while (p_ != end_ && *p_ != '"') {
      if (*p_ == '\\' && ++p_ == end_) return false;
      plain_ += *p_++;
    }
    if (p_ == end_) return false;
    ++p_;
    append_scalar(out_, kind_, plain_);
    return true;
  }

  bool bare() {
    const char* const from = p_;
    while (p_ != end_ && *p_ != delimiter_ && *p_ != '}') {
      if (*p_ == '"' || *p_ == '{' || *p_ == '\\') return false;
      ++p_;
    }
    if (p_ == from || p_ == end_) return false;
    const std::string_view text(from, static_cast<std::size_t>(p_ - from));
    if (text == "NULL") {
      out_ += "null";
    } else {
      append_scalar(out_, kind_, text);
    }
    return true;
  }

  std::string& out_;
  const char* p_;
  const char* end_;
  JsonKind kind_;
  char delimiter_;
  std::string plain_;  // an element without its escapes
};

}  // namespace detail

inline bool append_array(std::string& out, std::string_view literal,
                         std::uint32_t element_type_oid) {
  const std::size_t start = out.size();
  if (detail::ArrayParser(out, literal, element_type_oid).parse()) return true;
  out.resize(start);
  append_string(out, literal);
  return false;
}

// One value of a column: arrays by append_array, all others by append_scalar. The states other than
// text are the caller's.
inline void append_value(std::string& out, JsonKind kind, std::uint32_t element_type_oid,
                         std::string_view text) {
  if (kind == JsonKind::kArray) {
    append_array(out, text, element_type_oid);
  } else {
    append_scalar(out, kind, text);
  }
}

}  // namespace walspout
