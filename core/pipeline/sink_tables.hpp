// Which tables one sink has whole, and how far its copies are: what is kept as the host's state
// with the sink's position, in numbered versions. Threads: one, the reader.
#pragma once

#include <cstdint>
#include <deque>

#include "progress/host_state.hpp"
#include "sink/runner.hpp"

namespace walspout {

class SinkTables {
 public:
  // In place of a hash: the table is to be copied anew, whatever happens before it is.
  static constexpr std::uint64_t kStale = 1;
  // The sink has a shape that the catalogue has left behind already.
  static constexpr std::uint64_t kBetween = 2;

  // copies: the sink is given copies of tables. Without, it has every table from the start.
  // number: of the newest version before.
  SinkTables(progress::HostState state, bool copies, std::uint64_t number = 0)
      : state_(std::move(state)), copies_(copies), number_(number) {}

  bool copies() const { return copies_; }
  bool has(std::uint32_t oid) const { return !state_.tables || state_.tables->contains(oid); }
  // It has the table, which is to be copied anew.
  bool stale(std::uint32_t oid) const {
    const auto entry = state_.tables ? state_.tables->find(oid) : decltype(state_.tables->end()){};
    return state_.tables && entry != state_.tables->end() && entry->second == kStale;
  }
  bool stopped(std::uint32_t oid) const { return state_.stopped.contains(oid); }
  progress::HostState& state() { return state_; }
  const progress::HostState& state() const { return state_; }

  // The state as it is now, as a new version, for the runner.
  sink::HostStateVersion next() {
    versions_.push_back({progress::format_host_state(state_), ++number_});
    return versions_.back();
  }
  std::uint64_t number() const { return number_; }
  // Versions before this one will not be asked for.
  void durable(std::uint64_t number) {
    while (versions_.size() > 1 && versions_[1].number <= number) versions_.pop_front();
  }
  // How many versions are not durable.
  std::size_t pending(std::uint64_t durable) const {
    return durable >= number_ ? 0 : number_ - durable;
  }
  // The sink lost what came after the last durable version.
  void roll_back() {
    if (versions_.empty()) return;
    if (auto state = progress::parse_host_state(versions_.front().text)) state_ = std::move(*state);
  }

 private:
  progress::HostState state_;
  bool copies_;
  std::uint64_t number_;
  std::deque<sink::HostStateVersion> versions_;  // from the newest durable one on
};

}  // namespace walspout
