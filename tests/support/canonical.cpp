#include "support/canonical.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>

namespace walspout::test {
namespace {

using Json = nlohmann::json;

enum class Kind { kInteger, kBoolean, kReal, kNumber, kBytes, kTimestamptz, kText };

Kind kind_of(const ColumnType& type) {
  static const std::set<std::string> integers = {"int2", "int4", "int8", "oid"};
  if (integers.count(type.name)) return Kind::kInteger;
  if (type.name == "bool") return Kind::kBoolean;
  if (type.name == "float4" || type.name == "float8") return Kind::kReal;
  if (type.name == "bytea") return Kind::kBytes;
  if (type.name == "timestamptz") return Kind::kTimestamptz;
  const bool number = type.numeric_option == "real" ||
                      (type.numeric_option == "auto" && type.precision > 0 && type.precision <= 15);
  return type.name == "numeric" && number ? Kind::kNumber : Kind::kText;
}

// A double; the sign of zero is lost in SQLite, which stores whole reals as integers.
std::string real(double value) { return "real " + literal(SqlValue(value == 0 ? 0.0 : value)); }

std::string real(const std::string& text) {
  if (text == "NaN") return "text NaN";
  return real(std::strtod(text.c_str(), nullptr));
}

// Where PostgreSQL prints the offset UTC as +00, the mirror has +00:00; but not in dates BC, which
// SQLite's date functions cannot read either way.
std::string long_offset(const std::string& text) {
  static const std::regex offset(R"((\d\d:\d\d:\d\d(?:\.\d+)?)\+00(?![\d:]| BC))");
  return std::regex_replace(text, offset, "$1+00:00");
}

std::string from_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 2; i + 1 < text.size(); i += 2)
    bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

// PostgreSQL's array literal, "{a,NULL,{...}}" or "[2:3]={...}", read by its manual (8.15.6).
class ArrayReader {
 public:
  ArrayReader(const ColumnType& element, const std::string& text) : element_(element), text_(text) {
    if (!text.empty() && text[0] == '[') at_ = text.find('=') + 1;
  }

  Json read() {
    expect('{');
    Json out = Json::array();
    if (take('}')) return out;
    do {
      out.push_back(peek() == '{' ? read() : item());
    } while (take(','));
    expect('}');
    return out;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) { return peek() == c && ++at_; }
  void expect(char c) {
    if (!take(c)) throw std::runtime_error("not an array: " + text_);
  }

  Json item() {
    const bool quoted = take('"');
    std::string out;
    while (peek() && (quoted ? peek() != '"' : peek() != ',' && peek() != '}')) {
      if (peek() == '\\') ++at_;
      out += text_.at(at_++);
    }
    if (quoted) expect('"');
    return !quoted && out == "NULL" ? Json() : element(out);
  }

  Json element(const std::string& text) const {
    static const std::set<std::string> numbers = {"int2", "int4",   "int8",
                                                  "oid",  "float4", "float8"};
    if (element_.name == "bool") return text == "t";
    const bool word = text.find_first_of("NI") != std::string::npos;  // NaN, Infinity
    if (numbers.count(element_.name) && !word) return Json::parse(text);
    return long_offset(text);
  }

  const ColumnType& element_;
  const std::string& text_;
  std::size_t at_ = 0;
};

std::string canonical_array(Json value) {
  for (auto& part : value)
    if (part.is_string()) part = long_offset(part.get<std::string>());
  return "json " + value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string canonical_source(const ColumnType& type, const std::optional<std::string>& text) {
  if (!text) return "NULL";
  if (type.array) return canonical_array(ArrayReader(type, *text).read());
  switch (kind_of(type)) {
    case Kind::kInteger:
      return "integer " + *text;
    case Kind::kBoolean:
      return *text == "t" ? "integer 1" : "integer 0";
    case Kind::kReal:
    case Kind::kNumber:
      return real(*text);
    case Kind::kBytes:
      return "blob " + literal(SqlValue(Blob{from_hex(*text)}));
    case Kind::kTimestamptz:
      return "text " + long_offset(*text);
    case Kind::kText:
      break;
  }
  return "text " + *text;
}

std::string canonical_mirror(const ColumnType& type, const SqlValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return "NULL";
  const auto* text = std::get_if<std::string>(&value);
  if (type.array && text) {
    const Json parsed = Json::parse(*text, nullptr, false);
    return parsed.is_array() ? canonical_array(parsed) : "not a JSON array: " + *text;
  }
  const Kind kind = kind_of(type);
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    // The mirror's NUMERIC affinity keeps 12.00 as the integer 12.
    if (kind == Kind::kNumber || kind == Kind::kReal) return real(static_cast<double>(*number));
    return "integer " + std::to_string(*number);
  }
  if (const auto* number = std::get_if<double>(&value)) return real(*number);
  if (const auto* blob = std::get_if<Blob>(&value)) return "blob " + literal(SqlValue(*blob));
  return "text " + *text;
}

}  // namespace walspout::test
