// Reads big-endian (network order) numbers and NUL-terminated strings from a span of bytes. Every
// read is bounds-checked; a message that ends too early throws Truncated and leaves nothing read.
// Knows neither PostgreSQL nor sinks.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>

namespace walspout::base {

struct Truncated : std::runtime_error {
  Truncated() : std::runtime_error("the message ends too early") {}
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    static_assert(std::is_integral_v<T>);
    need(sizeof(T));
    std::make_unsigned_t<T> value = 0;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    if constexpr (std::endian::native == std::endian::little) value = swap(value);
    return static_cast<T>(value);
  }
  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint16_t u16() { return number<std::uint16_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  std::int16_t i16() { return number<std::int16_t>(); }
  std::int32_t i32() { return number<std::int32_t>(); }
  std::int64_t i64() { return number<std::int64_t>(); }

  std::span<const std::byte> bytes(std::size_t size) {
    need(size);
    const auto part = bytes_.subspan(at_, size);
    at_ += size;
    return part;
  }

  // Up to the NUL, which is consumed and not part of the result.
  std::string_view c_string() {
    const char* start = reinterpret_cast<const char*>(bytes_.data() + at_);
    const void* end = remaining() == 0 ? nullptr : std::memchr(start, 0, remaining());
    if (end == nullptr) throw Truncated();
    const auto size = static_cast<std::size_t>(static_cast<const char*>(end) - start);
    at_ += size + 1;
    return {start, size};
  }

  std::size_t remaining() const { return bytes_.size() - at_; }
  std::size_t offset() const { return at_; }

 private:
  template <class T>
  static T swap(T value) {
    if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
    if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
    if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
    return value;
  }
  void need(std::size_t size) const {
    if (size > remaining()) throw Truncated();
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

}  // namespace walspout::base
