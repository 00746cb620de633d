// A position in PostgreSQL's write-ahead log, as the server counts it: a 64-bit byte offset.
// Source: PostgreSQL documentation, "pg_lsn Type".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace walspout::base {

using Lsn = std::uint64_t;  // 0 = none

// "16/B374D848", as PostgreSQL prints it.
std::string format_lsn(Lsn lsn);

// The reverse; nothing when the text is not two hexadecimal halves of at most 8 digits.
std::optional<Lsn> parse_lsn(std::string_view text);

}  // namespace walspout::base
