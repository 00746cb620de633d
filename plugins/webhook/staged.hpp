// Events that were serialized and do not belong to a request yet.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "message.hpp"

namespace walspout::webhook {

struct StagedEvent {
  Event event;            // its end is that in Staged::text
  std::size_t bytes = 0;  // of its text
  // Which of the concurrent lanes it takes; nullopt: it waits for all of them, and all wait for it.
  std::optional<std::size_t> lane;
};

struct Staged {
  std::string text;
  std::vector<StagedEvent> events;

  bool empty() const { return events.empty(); }
  void clear();
  void append(const Staged& more);
  void shrink(std::size_t event_count, std::size_t bytes);  // to what it was before
};

}  // namespace walspout::webhook
