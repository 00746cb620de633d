// Which lane a change takes, so that those of one key stay in order.
#pragma once

#include <walspout/abi.h>
#include <cstdint>
#include <optional>
#include <string_view>

namespace walspout::webhook {

// FNV-1a, 64 bits: the same in every build, as identities and lanes hang on it.
inline constexpr std::uint64_t kHashStart = 0xCBF29CE484222325;
inline std::uint64_t hash(std::string_view bytes, std::uint64_t start = kHashStart) {
  for (const char c : bytes) start = (start ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return start;
}

// A hash of the table and the row's key: the primary key, else the replica identity, else the table
// alone. nullopt when the change concerns more than one key or an unknown one: a truncate, a
// message, a change of the shape or of a key, a key that was not sent.
std::optional<std::uint64_t> key_hash(const walspout_change& change);

}  // namespace walspout::webhook
