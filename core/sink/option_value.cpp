#include "sink/option_value.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/quote.hpp"
#include "base/units.hpp"

namespace walspout::sink {
namespace {

// A literal of TOML inside a default. Only what defaults need: no dates, no nesting, no multi-line.
class LiteralParser {
 public:
  explicit LiteralParser(std::string_view text) : rest_(text) {}

  std::optional<base::RawOption> whole() {
    skip_blanks();
    auto value = rest_.starts_with('[') ? list() : scalar();
    skip_blanks();
    return rest_.empty() ? value : std::nullopt;
  }

 private:
  using Value = std::optional<base::RawOption>;

  template <class T>
  static Value made(T value) {
    base::RawOption option;
    option.value = std::move(value);
    return option;
  }

  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
      rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Value list() {
    base::RawList items;
    rest_.remove_prefix(1);
    while (!take(']')) {
      skip_blanks();
      auto item = scalar();
      if (!item) return std::nullopt;
      items.items.push_back(std::move(*item));
      if (take(',')) continue;
      if (!take(']')) return std::nullopt;
      break;
    }
    return made(std::move(items));
  }

  Value scalar() {
    if (rest_.starts_with('"')) return basic_string();
    if (rest_.starts_with('\'')) return literal_string();
    const std::string_view word = rest_.substr(0, rest_.find_first_of(",] \t"));
    rest_.remove_prefix(word.size());
    if (word == "true") return made(true);
    if (word == "false") return made(false);
    const char* const end = word.data() + word.size();
    std::int64_t integer = 0;
    if (auto r = std::from_chars(word.data(), end, integer); r.ec == std::errc{} && r.ptr == end)
      return made(integer);
    double number = 0;
    if (auto r = std::from_chars(word.data(), end, number); r.ec == std::errc{} && r.ptr == end)
      return made(number);
    return std::nullopt;
  }

  Value literal_string() {
    const std::size_t end = rest_.find('\'', 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return made(std::move(text));
  }

  Value basic_string() {
    std::string text;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      char c = rest_[i];
      if (c == '"') {
        rest_.remove_prefix(i + 1);
        return made(std::move(text));
      }
      if (c == '\\') {
        if (++i == rest_.size()) break;
        constexpr std::string_view kEscapes = "\"\\ntr", kMeanings = "\"\\\n\t\r";
        const std::size_t which = kEscapes.find(rest_[i]);
        if (which == std::string_view::npos) break;
        c = kMeanings[which];
      }
      text += c;
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

bool is_text_type(std::uint32_t type) {
  return type == WALSPOUT_STRING || type == WALSPOUT_PATH || type == WALSPOUT_DURATION_MS ||
         type == WALSPOUT_BYTES;
}

std::optional<Scalar> of_integer(std::optional<std::int64_t> integer, std::string text) {
  if (!integer) return std::nullopt;
  return Scalar{*integer, static_cast<double>(*integer), std::move(text)};
}

std::optional<Scalar> from_string(const std::string& text, std::uint32_t type) {
  switch (type) {
    case WALSPOUT_STRING:
      return Scalar{0, 0, text};
    case WALSPOUT_PATH:
      // Neither names a file: the empty path, and one that the system would cut at its NUL.
      if (text.empty() || text.find('\0') != std::string::npos) return std::nullopt;
      return Scalar{0, 0, text};
    case WALSPOUT_DURATION_MS:
      return of_integer(base::parse_duration_ms(text), text);
    case WALSPOUT_BYTES:
      return of_integer(base::parse_bytes(text), text);
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_known_type(std::uint32_t type) { return type >= WALSPOUT_STRING && type <= WALSPOUT_PATH; }

std::string_view type_name(std::uint32_t type) {
  constexpr std::string_view kNames[] = {"",      "string",   "boolean", "integer",
                                         "float", "duration", "size",    "path"};
  return is_known_type(type) ? kNames[type] : "unknown";
}

std::string_view type_form(std::uint32_t type) {
  constexpr std::string_view kForms[] = {"",
                                         "a string in quotes",
                                         "true or false",
                                         "a whole number",
                                         "a number",
                                         base::kDurationForm,
                                         base::kBytesForm,
                                         "the path of a file or folder, in quotes"};
  return is_known_type(type) ? kForms[type] : "of a type that this host does not know";
}

std::optional<Scalar> to_scalar(const base::RawOption& value, std::uint32_t type) {
  if (const auto* text = std::get_if<std::string>(&value.value)) return from_string(*text, type);
  if (const auto* flag = std::get_if<bool>(&value.value); flag != nullptr && type == WALSPOUT_BOOL)
    return of_integer(*flag ? 1 : 0, *flag ? "true" : "false");
  if (const auto* integer = std::get_if<std::int64_t>(&value.value)) {
    const bool fits = type == WALSPOUT_INT || (type == WALSPOUT_BYTES && *integer >= 0);
    if (fits) return of_integer(*integer, fmt::format("{}", *integer));
    if (type == WALSPOUT_FLOAT)
      return Scalar{0, static_cast<double>(*integer), fmt::format("{}", *integer)};
  }
  if (const auto* number = std::get_if<double>(&value.value);
      number != nullptr && type == WALSPOUT_FLOAT)
    return Scalar{0, *number, fmt::format("{}", *number)};
  return std::nullopt;
}

std::optional<base::RawOption> parse_default(const walspout_option& option) {
  const std::string_view text = option.def;
  base::RawOption bare;
  if ((option.flags & WALSPOUT_TABLE) != 0) {
    if (text != "{}") return std::nullopt;
    bare.value = base::RawTable{};
    return bare;
  }
  const bool quoted = text.starts_with('"') || text.starts_with('\'');
  if ((option.flags & WALSPOUT_LIST) == 0 && is_text_type(option.type) && !quoted) {
    bare.value = std::string(text);
    return bare;
  }
  return LiteralParser(text).whole();
}

std::optional<std::string> check_default(const walspout_option& option) {
  if (option.def == nullptr) return std::nullopt;
  const auto value = parse_default(option);
  bool fits = value.has_value();
  if (fits && (option.flags & WALSPOUT_TABLE) == 0) {
    const auto* list = std::get_if<base::RawList>(&value->value);
    if ((option.flags & WALSPOUT_LIST) == 0) {
      fits = to_scalar(*value, option.type).has_value();
    } else {
      fits = list != nullptr;
      for (std::size_t i = 0; fits && i < list->items.size(); ++i)
        fits = to_scalar(list->items[i], option.type).has_value();
    }
  }
  if (fits) return std::nullopt;
  return fmt::format("has the default {}, which is not {}{}", base::quoted(option.def),
                     (option.flags & WALSPOUT_LIST) != 0    ? "a list, each "
                     : (option.flags & WALSPOUT_TABLE) != 0 ? "{}, the only one of a table of "
                                                            : "",
                     type_form(option.type));
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace walspout::sink
