// Keys of rows, as bytes, to ask whether one is among them: what a range of a copy contained.
// Filled per row without an allocation per row; searched seldom, so the index is made when it is
// first asked for. Threads: one at a time.
#pragma once

#include <walspout/abi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace walspout::route {

// The texts of the key columns, each with its length. Nothing when one is NULL or was not sent.
std::optional<std::string> encode_key(const walspout_value* row,
                                      std::span<const std::uint32_t> key);
std::string encode_key(const std::vector<std::string>& values);
std::vector<std::string> decode_key(std::string_view encoded);

class KeyList {
 public:
  void add(const walspout_value* row, std::span<const std::uint32_t> key);
  void add(std::string_view encoded);
  bool contains(std::string_view encoded) const;
  std::size_t size() const { return ends_.size(); }

 private:
  std::string bytes_;
  std::vector<std::uint32_t> ends_;
  mutable std::unordered_set<std::string_view> index_;  // into bytes_
};

}  // namespace walspout::route
