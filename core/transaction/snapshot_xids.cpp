#include "transaction/snapshot_xids.hpp"

#include <algorithm>
#include <charconv>

namespace walspout::transaction {
namespace {

// Takes a number off the front; false when there is none.
bool take_number(std::string_view& text, std::uint64_t& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return true;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// Xids are compared on a circle: half of them are in the past.
bool before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

}  // namespace

std::optional<SnapshotXids> SnapshotXids::parse(std::string_view text) {
  SnapshotXids snapshot;
  std::uint64_t xmin = 0, xmax = 0;
  if (!take_number(text, xmin) || !take(text, ':') || !take_number(text, xmax) || !take(text, ':'))
    return std::nullopt;
  snapshot.xmin_ = static_cast<std::uint32_t>(xmin);
  snapshot.xmax_ = static_cast<std::uint32_t>(xmax);
  while (!text.empty()) {
    std::uint64_t xid = 0;
    if (!snapshot.in_progress_.empty() && !take(text, ',')) return std::nullopt;
    if (!take_number(text, xid)) return std::nullopt;
    snapshot.in_progress_.push_back(static_cast<std::uint32_t>(xid));
  }
  std::sort(snapshot.in_progress_.begin(), snapshot.in_progress_.end());
  return snapshot;
}

bool SnapshotXids::sees(std::uint32_t xid) const {
  if (before(xid, xmin_)) return true;
  if (!before(xid, xmax_)) return false;
  return !std::binary_search(in_progress_.begin(), in_progress_.end(), xid);
}

}  // namespace walspout::transaction
