#include "staged.hpp"

namespace walspout::webhook {

void Staged::clear() { shrink(0, 0); }

void Staged::append(const Staged& more) {
  const std::size_t base = text.size();
  text += more.text;
  events.reserve(events.size() + more.events.size());
  for (const StagedEvent& event : more.events) events.emplace_back(event).event.end += base;
}

void Staged::shrink(std::size_t event_count, std::size_t bytes) {
  events.resize(event_count);
  text.resize(bytes);
}

}  // namespace walspout::webhook
