#include "config/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/units.hpp"
#include "config/keys.hpp"

namespace walspout::config {
namespace {

constexpr std::string_view kSizeHelp =
    "write a whole number and B, KiB, MiB, GiB or TiB, as in \"64MiB\"";
constexpr std::string_view kDurationHelp =
    "write a whole number and ms, s, m, h or d, as in \"10m\"";

bool digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "64MB" and "64mib" as "64MiB"; nothing if that is not what it looks like.
std::optional<std::string> meant_size(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  if (end == 0 || end == std::string_view::npos) return std::nullopt;
  for (const std::string_view unit : {"KiB", "MiB", "GiB", "TiB"}) {
    const std::string decimal = {unit[0], 'B'};
    const std::string letter = {unit[0]};
    const std::string_view written = text.substr(end);
    if (equal_ignoring_case(written, unit) || equal_ignoring_case(written, decimal) ||
        equal_ignoring_case(written, letter)) {
      return std::string(text.substr(0, end)).append(unit);
    }
  }
  return std::nullopt;
}

}  // namespace

std::variant<std::uint64_t, UnitError> parse_size(std::string_view text) {
  if (const auto bytes = base::parse_bytes(text)) return static_cast<std::uint64_t>(*bytes);
  const std::string help(kSizeHelp);
  if (text.starts_with('-')) return UnitError{"is negative", help};
  if (const auto meant = meant_size(text)) {
    if (*meant != text) return UnitError{"is not a size", "did you mean \"" + *meant + "\"?"};
    return UnitError{"is too large", "write a smaller size"};
  }
  return UnitError{"is not a size", help};
}

std::variant<DeadLetterLimit, UnitError> parse_dead_letter_limit(std::string_view text) {
  const UnitError wrong{"is not a limit", "write a count and a duration, as in \"100/10m\""};
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || !digits(text.substr(0, slash))) return wrong;
  DeadLetterLimit limit;
  const auto [end, error] = std::from_chars(text.data(), text.data() + slash, limit.count);
  if (error != std::errc{} || end != text.data() + slash) return wrong;
  const auto window = base::parse_duration_ms(text.substr(slash + 1));
  if (!window || *window == 0) {
    return UnitError{"has no duration behind the slash", std::string(kDurationHelp)};
  }
  limit.window = std::chrono::milliseconds(*window);
  return limit;
}

}  // namespace walspout::config
