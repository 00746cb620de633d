#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "postgres/copy_reader.hpp"

namespace walspout::postgres {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// What stands after a backslash, from `in`; moves it behind.
char escaped(const char*& in, const char* end) {
  const char c = *in++;
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case 'x': {
      int value = 0;
      int digits = 0;
      for (; digits < 2 && in < end && hex_digit(*in) >= 0; ++digits) {
        value = value * 16 + hex_digit(*in++);
      }
      return digits == 0 ? 'x' : static_cast<char>(value);
    }
    default:
      break;
  }
  if (c < '0' || c > '7') return c;
  int value = c - '0';
  for (int digits = 1; digits < 3 && in < end && *in >= '0' && *in <= '7'; ++digits) {
    value = value * 8 + (*in++ - '0');
  }
  return static_cast<char>(value);
}

// Unescapes a field where it stands; gives its end.
char* unescape(char* first_backslash, const char* end) {
  char* out = first_backslash;
  for (const char* in = first_backslash; in < end;) {
    const char c = *in++;
    *out++ = c == '\\' && in < end ? escaped(in, end) : c;
  }
  return out;
}

walspout_value field_value(char* start, char* end) {
  walspout_value value{};
  if (end - start == 2 && start[0] == '\\' && start[1] == 'N') {
    value.state = WALSPOUT_NULL;
    return value;
  }
  auto* backslash =
      static_cast<char*>(std::memchr(start, '\\', static_cast<std::size_t>(end - start)));
  if (backslash != nullptr) end = unescape(backslash, end);
  value.data = start;
  value.size = static_cast<std::uint32_t>(end - start);
  value.state = WALSPOUT_TEXT;
  return value;
}

[[noreturn]] void throw_wrong_count(std::size_t expected) {
  throw std::runtime_error(fmt::format("a copied row has not the {} columns expected", expected));
}

}  // namespace

std::span<walspout_value> parse_copy_row(std::string_view line, std::size_t column_count,
                                         base::Arena& arena) {
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  if (column_count == 0 && !line.empty()) throw_wrong_count(column_count);
  // One more byte, so that there is something to point at for an empty line.
  char* at = static_cast<char*>(arena.allocate(line.size() + 1, 1));
  std::memcpy(at, line.data(), line.size());
  char* const end = at + line.size();
  const auto row = arena.array<walspout_value>(column_count);
  for (std::size_t i = 0; i < column_count; ++i) {
    // A tab inside a value is escaped: a bare one always ends a field.
    auto* tab = static_cast<char*>(std::memchr(at, '\t', static_cast<std::size_t>(end - at)));
    const bool last = i + 1 == column_count;
    if (last != (tab == nullptr)) throw_wrong_count(column_count);
    row[i] = field_value(at, last ? end : tab);
    if (!last) at = tab + 1;
  }
  return row;
}

}  // namespace walspout::postgres
