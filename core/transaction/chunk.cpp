#include "transaction/chunk.hpp"

namespace walspout::transaction {

void Chunk::account() {
  const std::size_t now = bytes();
  if (now > counted_) {
    budget_.take(now - counted_);
    counted_ = now;
  }
}

}  // namespace walspout::transaction
