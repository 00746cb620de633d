#include "route/key_list.hpp"

#include <cstring>

namespace walspout::route {
namespace {

void append(std::string& to, std::string_view value) {
  const auto size = static_cast<std::uint32_t>(value.size());
  to.append(reinterpret_cast<const char*>(&size), sizeof size);
  to.append(value);
}

bool append_key(std::string& to, const walspout_value* row, std::span<const std::uint32_t> key) {
  for (const std::uint32_t column : key) {
    const walspout_value& value = row[column];
    if (value.state != WALSPOUT_TEXT) return false;
    append(to, {static_cast<const char*>(value.data), value.size});
  }
  return true;
}

}  // namespace

std::optional<std::string> encode_key(const walspout_value* row,
                                      std::span<const std::uint32_t> key) {
  std::string encoded;
  if (row == nullptr || !append_key(encoded, row, key)) return std::nullopt;
  return encoded;
}

std::string encode_key(const std::vector<std::string>& values) {
  std::string encoded;
  for (const std::string& value : values) append(encoded, value);
  return encoded;
}

std::vector<std::string> decode_key(std::string_view encoded) {
  std::vector<std::string> values;
  while (encoded.size() >= sizeof(std::uint32_t)) {
    std::uint32_t size = 0;
    std::memcpy(&size, encoded.data(), sizeof size);
    encoded.remove_prefix(sizeof size);
    values.emplace_back(encoded.substr(0, size));
    encoded.remove_prefix(values.back().size());
  }
  return values;
}

void KeyList::add(const walspout_value* row, std::span<const std::uint32_t> key) {
  const std::size_t before = bytes_.size();
  if (append_key(bytes_, row, key)) {
    ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  } else {
    bytes_.resize(before);
  }
  index_.clear();
}

void KeyList::add(std::string_view encoded) {
  bytes_ += encoded;
  ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  index_.clear();
}

bool KeyList::contains(std::string_view encoded) const {
  if (index_.empty()) {
    std::uint32_t begin = 0;
    for (const std::uint32_t end : ends_) {
      index_.insert(std::string_view(bytes_).substr(begin, end - begin));
      begin = end;
    }
  }
  return index_.contains(encoded);
}

}  // namespace walspout::route
