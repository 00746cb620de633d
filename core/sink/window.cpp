#include "sink/window.hpp"

#include <utility>

namespace walspout::sink {

void Window::add(route::Delivery delivery, std::optional<HostStateVersion> state) {
  if (!complete_) return;
  bytes_ += delivery.chunk->bytes();
  const std::size_t count = delivery.pieces().size();
  entries_.push_back({std::move(delivery), count, std::move(state)});
}

void Window::release(base::Lsn durable) {
  while (!entries_.empty()) {
    const Entry& entry = entries_.front();
    // The last piece's transaction may end in a later entry: its commit tells all the same whether
    // the position contains it.
    if (entry.delivery.pieces()[entry.piece_count - 1].txn.commit_lsn >= durable) return;
    bytes_ -= entry.delivery.chunk->bytes();
    entries_.pop_front();
  }
}

void Window::abort() {
  while (!entries_.empty()) {
    Entry& entry = entries_.back();
    while (entry.piece_count > 0 &&
           (entry.delivery.pieces()[entry.piece_count - 1].flags & WALSPOUT_LAST) == 0) {
      --entry.piece_count;
    }
    if (entry.piece_count > 0) return;
    bytes_ -= entry.delivery.chunk->bytes();
    entries_.pop_back();
  }
}

void Window::clear() {
  entries_.clear();
  bytes_ = 0;
  complete_ = true;
}

void Window::drop() {
  clear();
  complete_ = false;
}

}  // namespace walspout::sink
