#include "pipeline/slot_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/units.hpp"
#include "log/log.hpp"
#include "pipeline/slot_status.hpp"
#include "pipeline/source.hpp"
#include "postgres/identify.hpp"

namespace walspout {

namespace {

constexpr std::chrono::minutes kTellAgain{10};                   // of what is urgent
constexpr std::uint64_t kWithoutLimit = std::uint64_t{1} << 30;  // and each time it has doubled

// Who has to act, for the end of a sentence.
std::string cause(const control::SlotStatus& slot, const HostStatus& status) {
  if (!slot.held_by.empty())
    return fmt::format("sink {} holds it back, {} behind", slot.held_by,
                       base::format_bytes(status.behind(slot.held_by)));
  if (!slot.active) return "nothing streams from it at this moment";
  return "no sink holds it back: a transaction that is open at the source does, or the stream "
         "itself is behind";
}

}  // namespace

SlotWatch::SlotWatch(const config::Config& config, std::string slot, HostStatus& status,
                     Milliseconds every)
    : config_(config),
      slot_(std::move(slot)),
      status_(status),
      every_(every),
      interrupt_(stop_.fd()),
      thread_([this] { run(); }) {}

SlotWatch::~SlotWatch() {
  stop_.ring();
  thread_.join();
}

void SlotWatch::run() {
  try {
    while (true) {
      attempt();
      interrupt_.wait(-1, 0, postgres::deadline_in(every_));
    }
  } catch (const postgres::Interrupted&) {
    log::trace("slot watch: ended");
  }
}

void SlotWatch::attempt() {
  try {
    if (!connection_) connection_ = connect_ordinary(config_, interrupt_);
    look();
    error_.clear();
  } catch (const postgres::Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    // Of a source that is away the reader tells.
    if (!postgres::is_transient(error) && error_ != error.what())
      log::warn(std::string("slot watch: ") + error.what());
    error_ = error.what();
    connection_.reset();
    status_.slot(std::nullopt);
  }
}

void SlotWatch::look() {
  const auto info = postgres::find_slot(*connection_, slot_, interrupt_);
  if (!info) return status_.slot(std::nullopt);  // the reader tells of it
  const base::Lsn written = postgres::flushed_wal_lsn(*connection_, interrupt_);
  control::SlotStatus slot = slot_status(*info, written);
  outlook_.add({Clock::now(), written, info->restart_lsn, info->safe_wal_size,
                info->wal_status == "unreserved"});
  slot.growth = static_cast<std::uint64_t>(outlook_.growth());
  if (const auto lost_in = outlook_.lost_in()) slot.lost_in_s = lost_in->count();
  slot.held_by = status_.holds_back();
  status_.slot(slot, written);
  if (!info->lost()) warn(slot);
}

void SlotWatch::warn(const control::SlotStatus& slot) {
  const Level level = outlook_.level();
  const auto now = Clock::now();
  const bool again = level >= Level::kUrgent && now - told_at_ >= kTellAgain;
  if (level < told_)
    log::info(fmt::format("slot {}: {}", slot_, describe(slot)));
  else if (level == Level::kLosing && (level > told_ || again))
    log::error(
        fmt::format("slot {} is about to be lost: the server may remove what it needs at "
                    "the next checkpoint; {}; raise max_slot_wal_keep_size at once, or mend "
                    "what holds it back",
                    slot_, cause(slot, status_)));
  else if (level > told_ || again)
    log::warn(fmt::format("slot {} uses {:.0f} % of the WAL that it may retain: {}; {}", slot_,
                          outlook_.used().value_or(0) * 100, describe(slot), cause(slot, status_)));
  if (level != told_ || again) told_at_ = now;
  told_ = level;
  if (!slot.safe_bytes) warn_without_limit(slot);
}

// The server's disk is the limit, and how large that is nobody tells.
void SlotWatch::warn_without_limit(const control::SlotStatus& slot) {
  if (slot.retained_bytes < kWithoutLimit / 2) told_bytes_ = 0;
  if (slot.retained_bytes < std::max(kWithoutLimit, told_bytes_ * 2)) return;
  told_bytes_ = slot.retained_bytes;
  log::warn(
      fmt::format("slot {} makes the server keep {} of WAL, without a limit "
                  "(max_slot_wal_keep_size is -1) but its disk; {}",
                  slot_, base::format_bytes(slot.retained_bytes), cause(slot, status_)));
}

}  // namespace walspout
