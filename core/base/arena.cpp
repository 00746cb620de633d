#include "base/arena.hpp"

namespace walspout::base {

void* Arena::allocate_block(std::size_t size) {
  const std::size_t block = size > kBlockSize / 4 ? size : kBlockSize;
  std::unique_ptr<std::byte[]> memory(new std::byte[block]);  // new aligns for any scalar
  std::byte* start = memory.get();
  footprint_ += block;
  if (block == size && !blocks_.empty()) {
    // A piece of its own: the current block goes on being filled.
    blocks_.push_back(std::move(memory));
    return start;
  }
  blocks_.push_back(std::move(memory));
  current_ = start;
  capacity_ = block;
  used_ = size;
  return start;
}

}  // namespace walspout::base
