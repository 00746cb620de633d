#include "outbox.hpp"

#include <algorithm>
#include <utility>

namespace walspout::webhook {

Outbox::Outbox(const Limits& limits) : limits_(limits), lanes_(limits.lanes) {}

void Outbox::begin() {
  abort();
  groups_.emplace_back();
}

void Outbox::add(const Staged& staged) {
  for (const StagedEvent& event : staged.events) {
    if (event.lane || lanes_.size() == 1) {
      put(staged, event, lanes_[event.lane.value_or(0)]);
      continue;
    }
    close_all();
    ++epoch_;
    put(staged, event, lanes_.front());
    close_all();
    ++epoch_;
  }
}

void Outbox::put(const Staged& staged, const StagedEvent& staged_event, Lane& lane) {
  const std::size_t size = staged_event.bytes;
  const bool single = limits_.rows == 1;
  // A schema change neither fills nor ends a message: whether it comes again is not certain.
  const bool counts = !staged_event.event.schema || single;
  const bool full = lane.rows == limits_.rows || lane.bytes + size + 1 > limits_.bytes;
  if (counts && lane.rows != 0 && full) close(lane);
  Event& event = lane.open.events.emplace_back(staged_event.event);
  if (!single) lane.open.body += lane.open.body.empty() ? '[' : ',';
  lane.open.body.append(staged.text, staged_event.event.end - size, size);
  event.end = lane.open.body.size();
  if (!counts) return;
  ++lane.rows;
  lane.bytes += size + 1;
}

void Outbox::close(Lane& lane) {
  if (lane.open.events.empty()) return;
  if (limits_.rows > 1) lane.open.body += ']';
  lane.open.group = first_group_ + groups_.size() - 1;
  lane.open.epoch = epoch_;
  bytes_ += lane.open.body.size();
  ++groups_.back().messages;
  lane.queue.push_back(std::exchange(lane.open, {}));
  lane.rows = lane.bytes = 0;
}

void Outbox::close_all() {
  for (Lane& lane : lanes_) close(lane);
}

void Outbox::end(walspout_lsn position) {
  close_all();
  groups_.back().ended = true;
  groups_.back().position = position;
  advance();
}

void Outbox::abort() {
  if (groups_.empty() || groups_.back().ended) return;
  const std::uint64_t number = first_group_ + groups_.size() - 1;
  for (Lane& lane : lanes_) {
    lane.open = {};
    lane.rows = lane.bytes = 0;
    while (!lane.queue.empty() && lane.queue.back().group == number) {
      bytes_ -= lane.queue.back().body.size();
      lane.queue.pop_back();
    }
  }
  groups_.pop_back();
}

const Message* Outbox::next(std::size_t lane) const {
  const auto& queue = lanes_[lane].queue;
  if (queue.empty()) return nullptr;
  const bool first = std::all_of(lanes_.begin(), lanes_.end(), [&](const Lane& other) {
    return other.queue.empty() || other.queue.front().epoch >= queue.front().epoch;
  });
  return first ? &queue.front() : nullptr;
}

void Outbox::pop(std::size_t lane) {
  auto& queue = lanes_[lane].queue;
  --groups_[queue.front().group - first_group_].messages;
  bytes_ -= queue.front().body.size();
  queue.pop_front();
  advance();
}

void Outbox::halve(std::size_t lane) {
  auto& queue = lanes_[lane].queue;
  auto [left, right] = queue.front().halves();
  bytes_ += left.body.size() + right.body.size() - queue.front().body.size();
  ++groups_[left.group - first_group_].messages;
  queue.front() = std::move(right);
  queue.push_front(std::move(left));
}

bool Outbox::settled() const {
  return groups_.empty() || (groups_.size() == 1 && !groups_.front().ended);
}

void Outbox::advance() {
  while (!groups_.empty() && groups_.front().ended && groups_.front().messages == 0) {
    if (groups_.front().position != 0) position_ = groups_.front().position;
    groups_.pop_front();
    ++first_group_;
  }
}

}  // namespace walspout::webhook
