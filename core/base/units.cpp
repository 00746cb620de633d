#include "base/units.hpp"

#include <charconv>
#include <limits>
#include <span>

namespace walspout::base {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t factor;
};

constexpr Unit kDurations[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
constexpr Unit kSizes[] = {{"", 1},
                           {"B", 1},
                           {"KiB", std::int64_t{1} << 10},
                           {"MiB", std::int64_t{1} << 20},
                           {"GiB", std::int64_t{1} << 30},
                           {"TiB", std::int64_t{1} << 40}};

std::optional<std::int64_t> parse(std::string_view text, std::span<const Unit> units) {
  std::uint64_t number = 0;  // unsigned, so that a sign is no number
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    const auto max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (number > max / static_cast<std::uint64_t>(unit.factor)) return std::nullopt;
    return static_cast<std::int64_t>(number) * unit.factor;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_duration_ms(std::string_view text) {
  return parse(text, kDurations);
}

std::optional<std::int64_t> parse_bytes(std::string_view text) { return parse(text, kSizes); }

}  // namespace walspout::base
