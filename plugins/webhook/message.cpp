#include "message.hpp"

#include <algorithm>
#include <walspout/event_fields.hpp>

namespace walspout::webhook {

void Event::append_id(std::string& out) const {
  if (copied) {
    out += "copy-";
    append_decimal(out, copy_id);
  } else {
    append_hex(out, commit_lsn, 16);
  }
  out += '-';
  append_decimal(out, ordinal);
  if (!schema) return;
  out += "-s";
  if (repeat != 0) append_decimal(out, repeat + 1);
}

std::string Message::id(std::string_view prefix) const {
  const auto counts = [](const Event& event) { return !event.schema; };
  auto first = std::find_if(events.begin(), events.end(), counts);
  auto last = std::find_if(events.rbegin(), events.rend(), counts);
  if (first == events.end()) {
    first = events.begin();
    last = events.rbegin();
  }
  std::string id(prefix);
  first->append_id(id);
  if (&*first == &*last) return id;
  id += '_';
  last->append_id(id);
  return id;
}

std::string_view Message::head() const {
  const std::size_t begin = body.starts_with('[') ? 1 : 0;
  const std::string_view text = std::string_view(body).substr(begin, events.front().end - begin);
  // Quotes within values are escaped, so that this is a field's name.
  const std::size_t rows = std::min(text.find(",\"new\":"), text.find(",\"old\":"));
  return text.substr(0, std::min<std::size_t>(rows, 300));
}

Message Message::slice(std::size_t from, std::size_t to) const {
  Message made;
  made.group = group;
  made.epoch = epoch;
  made.part = true;
  made.events.assign(events.begin() + static_cast<std::ptrdiff_t>(from),
                     events.begin() + static_cast<std::ptrdiff_t>(to));
  // Events stand one byte apart: the comma. Before the first is the bracket.
  const std::size_t begin = from == 0 ? 1 : events[from - 1].end + 1;
  for (Event& event : made.events) event.end -= begin - 1;
  made.body.reserve(events[to - 1].end - begin + 2);
  made.body += '[';
  made.body.append(body, begin, events[to - 1].end - begin);
  made.body += ']';
  return made;
}

std::pair<Message, Message> Message::halves() const {
  const std::size_t middle = events.size() / 2;
  std::pair<Message, Message> both{slice(0, middle), slice(middle, events.size())};
  both.second.last_part = !part || last_part;
  return both;
}

}  // namespace walspout::webhook
