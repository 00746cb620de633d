// Durations and sizes as people write them in the configuration: "500ms", "30s", "5m", "64KiB".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace walspout::base {

// A whole number and a unit: ms, s, m, h or d. Milliseconds, or nothing when the text is something
// else (no unit included: "30" could mean anything) or does not fit.
std::optional<std::int64_t> parse_duration_ms(std::string_view text);

// A whole number and a unit: B, KiB, MiB, GiB or TiB; without a unit it is bytes. Decimal units
// (KB, MB) are refused, as PostgreSQL and most tools disagree on what they mean.
std::optional<std::int64_t> parse_bytes(std::string_view text);

// What to tell a user whose text was refused, to follow "must be ".
inline constexpr std::string_view kDurationForm = "a duration such as \"500ms\", \"30s\" or \"5m\"";
inline constexpr std::string_view kBytesForm = "a size such as \"64KiB\" or \"256MiB\"";

}  // namespace walspout::base
