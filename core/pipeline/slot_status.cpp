#include "pipeline/slot_status.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"

namespace walspout {

control::SlotStatus slot_status(const postgres::SlotInfo& slot, base::Lsn written) {
  control::SlotStatus status;
  status.name = slot.name;
  status.wal_status = slot.wal_status;
  status.active = slot.active;
  status.confirmed = slot.confirmed_flush_lsn;
  status.retained_bytes =
      slot.restart_lsn != 0 && written > slot.restart_lsn ? written - slot.restart_lsn : 0;
  status.safe_bytes = slot.safe_wal_size;
  return status;
}

std::string describe(const control::SlotStatus& slot) {
  std::string text = fmt::format("{}, {} of WAL retained", slot.wal_status,
                                 base::format_bytes(slot.retained_bytes));
  if (slot.safe_bytes)
    text += fmt::format(", lost after {} more", base::format_bytes(static_cast<std::uint64_t>(
                                                    std::max<std::int64_t>(*slot.safe_bytes, 0))));
  if (slot.growth != 0) text += fmt::format(", at {}/s", base::format_bytes(slot.growth));
  if (slot.lost_in_s) text += " in " + base::format_seconds(*slot.lost_in_s);
  if (!slot.held_by.empty()) text += ", held back by sink " + slot.held_by;
  return text + (slot.active ? ", in use" : ", not in use");
}

}  // namespace walspout
