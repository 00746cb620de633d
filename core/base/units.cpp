#include "base/units.hpp"

#include <charconv>
#include <iterator>
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

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::string_view kUnits[] = {" B", " KiB", " MiB", " GiB", " TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  char digits[32];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), value,
                                 std::chars_format::fixed, unit == 0 ? 0 : 1)
                       .ptr;
  return std::string(digits, end).append(kUnits[unit]);
}

std::string format_seconds(std::int64_t seconds) {
  constexpr std::int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;
  if (seconds < kMinute) return std::to_string(seconds) + " s";
  if (seconds < kHour) return std::to_string(seconds / kMinute) + " min";
  const bool days = seconds >= kDay;
  std::string text = std::to_string(seconds / (days ? kDay : kHour)).append(days ? " d" : " h");
  const std::int64_t rest = days ? seconds % kDay / kHour : seconds % kHour / kMinute;
  if (rest != 0) text.append(" ").append(std::to_string(rest)).append(days ? " h" : " min");
  return text;
}

}  // namespace walspout::base
