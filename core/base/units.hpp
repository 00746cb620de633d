// Durations and sizes as people write them in the configuration ("500ms", "30s", "5m", "64KiB"),
// and as they read them ("1.5 GiB", "3 h 20 min").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace walspout::base {

// A whole number and a unit: ms, s, m, h or d. Milliseconds, or nothing when the text is something
// else (no unit included: "30" could mean anything) or does not fit.
std::optional<std::int64_t> parse_duration_ms(std::string_view text);

// A whole number and a unit: B, KiB, MiB, GiB or TiB; without a unit it is bytes. Decimal units
// (KB, MB) are refused, as PostgreSQL and most tools disagree on what they mean.
std::optional<std::int64_t> parse_bytes(std::string_view text);

// Rounded for a reader: "17 B", "1.5 GiB"; "45 s", "12 min", "3 h 20 min", "2 d 4 h".
std::string format_bytes(std::uint64_t bytes);
std::string format_seconds(std::int64_t seconds);

// What to tell a user whose text was refused, to follow "must be ".
inline constexpr std::string_view kDurationForm = "a duration such as \"500ms\", \"30s\" or \"5m\"";
inline constexpr std::string_view kBytesForm = "a size such as \"64KiB\" or \"256MiB\"";

}  // namespace walspout::base
