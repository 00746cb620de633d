// The status as JSON, one object on one line: what `walspout status --json` prints and the admin
// server answers at /status. Names are those of the text, sizes in bytes, times in seconds, an
// instant in UTC as "2026-01-31T12:00:00Z".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "control/status.hpp"

namespace walspout::control {

// slot_name and slot_error: of a slot that could not be looked at. host: nothing while none runs.
std::string to_json(std::string_view pipeline, const std::optional<Status>& host,
                    const std::optional<SlotStatus>& slot, std::string_view slot_name,
                    std::string_view slot_error);

std::string format_time(std::int64_t unix_seconds);

}  // namespace walspout::control
