// What was handed to a sink since it last said "durable": what has to come again when the sink is
// reopened. Bounded: a transaction that alone exceeds the limit cannot be kept, and then only the
// server can repeat it.
//
// Threads: one, the runner's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/lsn.hpp"
#include "route/router.hpp"

namespace walspout::sink {

// What the host wants kept with a position; the number tells one from another.
struct HostStateVersion {
  std::string text;
  std::uint64_t number = 0;
};

class Window {
 public:
  struct Entry {
    route::Delivery delivery;
    std::size_t
        piece_count;  // of the delivery's pieces, those that count: an abort takes some away
    // What the host wants kept from here on, if that is not what it was before.
    std::optional<HostStateVersion> state;
  };

  explicit Window(std::size_t limit) : limit_(limit) {}

  void add(route::Delivery delivery, std::optional<HostStateVersion> state = std::nullopt);
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
