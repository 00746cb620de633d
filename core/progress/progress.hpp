// How far each sink is durable, and so what may be confirmed to PostgreSQL.
//
// A position is safe for a sink when everything up to it is durable there, or was not for it. It is
// told by the sink's runner, once the sink (or, for a sink that keeps no position, the state store)
// has it on disk. Confirmed is the minimum over the sinks, and it never decreases.
//
// Threads: any; one short lock.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "base/lsn.hpp"

namespace walspout::progress {

class Progress {
 public:
  explicit Progress(std::size_t sinks) : durable_(sinks, 0) {}

  // Where a sink starts; what the slot has confirmed already may be above it only by mistake.
  void start(std::size_t sink, base::Lsn position);
  // A new slot: what was confirmed to another one is of no meaning for it.
  void new_slot();
  // Positions of one sink only grow; a lower one is ignored.
  void durable(std::size_t sink, base::Lsn position);

  base::Lsn durable(std::size_t sink) const;
  base::Lsn confirmed() const;

 private:
  mutable std::mutex mutex_;
  std::vector<base::Lsn> durable_;
  mutable base::Lsn confirmed_ = 0;
};

}  // namespace walspout::progress
