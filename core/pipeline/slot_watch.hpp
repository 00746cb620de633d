// Looks every ten seconds at what the slot retains at the server, foresees when it would be lost,
// and warns in time, with the name of the sink that holds it back: a thread with a connection of
// its own.
//
// Its errors end nothing: a source that is away is the reader's to tell of, and the next look tries
// again.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/wake.hpp"
#include "config/config.hpp"
#include "pipeline/host_status.hpp"
#include "postgres/connection.hpp"
#include "postgres/slot.hpp"
#include "progress/slot_outlook.hpp"

namespace walspout {

class SlotWatch {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // Starts at once. slot: its name at the server. Everything must outlive it.
  SlotWatch(const config::Config& config, std::string slot, HostStatus& status,
            Milliseconds every = Milliseconds(10'000));
  // Ends within a second; a look-up in DNS is the one wait that it must see through.
  ~SlotWatch();
  SlotWatch(const SlotWatch&) = delete;
  SlotWatch& operator=(const SlotWatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  using Level = progress::SlotOutlook::Level;

  void run();
  void attempt();
  void look();
  void warn(const control::SlotStatus& slot);
  void warn_without_limit(const control::SlotStatus& slot);

  const config::Config& config_;
  const std::string slot_;
  HostStatus& status_;
  const Milliseconds every_;
  base::Wake stop_;
  const postgres::Interrupt interrupt_;

  std::unique_ptr<postgres::Connection> connection_;
  progress::SlotOutlook outlook_;
  Level told_ = Level::kFine;
  Clock::time_point told_at_{};
  std::uint64_t told_bytes_ = 0;  // of a slot without a limit
  std::string error_;             // the last one that was told

  std::thread thread_;  // last: starts when all of the above is there
};

}  // namespace walspout
