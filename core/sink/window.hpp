// What was handed to a sink since it last said "durable": what has to come again when the sink is
// reopened. Bounded: a transaction that alone exceeds the limit cannot be kept, and then only the
// server can repeat it.
//
// Threads: one, the runner's.
#pragma once

#include <cstddef>
#include <deque>

#include "base/lsn.hpp"
#include "route/router.hpp"

namespace walspout::sink {

class Window {
 public:
  struct Entry {
    route::Delivery delivery;
    std::size_t
        piece_count;  // of the delivery's pieces, those that count: an abort takes some away
  };

  explicit Window(std::size_t limit) : limit_(limit) {}

  void add(route::Delivery delivery);
  // Forgets what ends at or before the position.
  void release(base::Lsn durable);
  // The unfinished transaction at the end is taken back.
  void abort();
  void clear();
  // Gives up what is kept: it is larger than the limit. complete() is false until the next clear().
  void drop();

  bool complete() const { return complete_; }
  bool over_limit() const { return bytes_ > limit_; }
  std::size_t bytes() const { return bytes_; }
  const std::deque<Entry>& entries() const { return entries_; }

 private:
  std::deque<Entry> entries_;
  std::size_t limit_;
  std::size_t bytes_ = 0;
  bool complete_ = true;
};

}  // namespace walspout::sink
