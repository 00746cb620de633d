#include "control/words.hpp"

namespace walspout::control {
namespace {

constexpr std::string_view kPlain = "-._~*!";

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kPlain.find(c) != std::string_view::npos;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string encode_words(const std::vector<std::string>& words) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) line += ' ';
    for (const char c : words[i]) {
      const auto byte = static_cast<unsigned char>(c);
      if (is_plain(c)) {
        line += c;
      } else {
        line += {'%', kHex[byte >> 4], kHex[byte & 15]};
      }
    }
  }
  return line;
}

std::optional<std::vector<std::string>> decode_words(std::string_view line) {
  std::vector<std::string> words;
  if (line.empty()) return words;
  words.emplace_back();
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ' ') {
      words.emplace_back();
    } else if (c == '%') {
      if (line.size() - i < 3) return std::nullopt;
      const int high = digit(line[i + 1]);
      const int low = digit(line[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      words.back() += static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c > ' ' && c <= '~') {
      words.back() += c;
    } else {
      return std::nullopt;
    }
  }
  return words;
}

}  // namespace walspout::control
