#include "base/lsn.hpp"

#include <charconv>
#include <cstdio>

namespace walspout::base {
namespace {

std::optional<std::uint32_t> parse_half(std::string_view text) {
  if (text.empty() || text.size() > 8) return std::nullopt;
  std::uint32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string format_lsn(Lsn lsn) {
  char text[24];
  const int size = std::snprintf(text, sizeof text, "%X/%X", static_cast<unsigned>(lsn >> 32),
                                 static_cast<unsigned>(lsn & 0xffffffffU));
  return std::string(text, static_cast<std::size_t>(size));
}

std::optional<Lsn> parse_lsn(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto high = parse_half(text.substr(0, slash));
  const auto low = parse_half(text.substr(slash + 1));
  if (!high || !low) return std::nullopt;
  return (static_cast<Lsn>(*high) << 32) | *low;
}

}  // namespace walspout::base
