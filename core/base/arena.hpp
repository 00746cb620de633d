// Memory that is given out piece by piece and freed as a whole: the home of a chunk's bytes and
// rows. Not thread-safe; once filled it may be read from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace walspout::base {

class Arena {
 public:
  static constexpr std::size_t kBlockSize = 64 * 1024;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  // Aligned for any scalar, uninitialised. A piece larger than a block gets a block of its own.
  void* allocate(std::size_t size, std::size_t align = alignof(std::max_align_t)) {
    std::size_t start = (used_ + align - 1) & ~(align - 1);
    if (blocks_.empty() || start + size > capacity_) return allocate_block(size);
    used_ = start + size;
    return current_ + start;
  }

  // Uninitialised; only for types that need no destructor.
  template <class T>
  std::span<T> array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    return {static_cast<T*>(allocate(count * sizeof(T), alignof(T))), count};
  }

  template <class T>
  T* make(const T& value) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T(value);
  }

  std::span<std::byte> copy(std::span<const std::byte> bytes) {
    auto* to = static_cast<std::byte*>(allocate(bytes.size(), 1));
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    return {to, bytes.size()};
  }

  std::string_view copy(std::string_view text) {
    auto* to = static_cast<char*>(allocate(text.size(), 1));
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    return {to, text.size()};
  }

  // Bytes held from the system, whether given out or not.
  std::size_t footprint() const { return footprint_; }

 private:
  void* allocate_block(std::size_t size);

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* current_ = nullptr;
  std::size_t used_ = 0;
  std::size_t capacity_ = 0;
  std::size_t footprint_ = 0;
};

}  // namespace walspout::base
