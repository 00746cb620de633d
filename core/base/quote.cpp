#include "base/quote.hpp"

namespace walspout::base {

std::string one_line(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  if (text.size() <= kLongest) return '\'' + one_line(text) + '\'';
  std::size_t size = kLongest;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;  // UTF-8
  return '\'' + one_line(text.substr(0, size)) + "...'";
}

}  // namespace walspout::base
