// The hash of a row's text, as PostgreSQL's hashtextextended(text, 0) gives it too. Sums of it,
// modulo 2^64, do not depend on the order of the rows. It guards against mistakes, and not against
// someone who makes rows collide.
//
// Hash partitions on disk depend on this function, so that it stays what it is from release to
// release; Session asks the server for a sample all the same. It is Bob Jenkins' lookup3 with
// PostgreSQL's start values (src/common/hashfn.c, hash_bytes_extended), on little-endian machines.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace walspout::verify {

using Digest = std::uint64_t;

Digest digest(std::string_view text);

// A whole number of any length with an optional sign, modulo 2^64: what sum(bigint) prints.
std::optional<std::uint64_t> parse_modulo(std::string_view number);

}  // namespace walspout::verify
