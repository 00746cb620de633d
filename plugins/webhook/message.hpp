// What one request carries: events, their identities, and the message's id that follows from them.
#pragma once

#include <walspout/abi.h>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace walspout::webhook {

struct Event {
  walspout_lsn commit_lsn = 0;
  std::int64_t commit_time_us = 0;
  std::uint64_t ordinal = 0;
  std::uint64_t copy_id = 0;
  bool copied = false;       // a row of the copy copy_id
  bool schema = false;       // shares its ordinal with the next change
  std::uint32_t repeat = 0;  // counts the schema changes that share an ordinal
  std::size_t end = 0;       // behind its text, in the text that holds it

  // Its id as in the JSON event; the second and later schema changes of one ordinal get a number,
  // so that no two events have one identity.
  void append_id(std::string& out) const;
};

struct Message {
  std::uint64_t group = 0;
  std::uint64_t epoch = 0;
  std::string body;  // one event, or a JSON array of them
  std::vector<Event> events;
  // Of a batch that was halved: it is a part, and the last one.
  bool part = false;
  bool last_part = false;

  // "<prefix><id>" of one event, "<prefix><id>_<id>" of the first and the last. Schema changes do
  // not count beside others: whether one is sent again depends on what the host saw before.
  std::string id(std::string_view prefix) const;
  // The first event's text up to its rows: id, operation, table and key.
  std::string_view head() const;
  // Both halves of a JSON array of two or more.
  std::pair<Message, Message> halves() const;

 private:
  Message slice(std::size_t from, std::size_t to) const;
};

}  // namespace walspout::webhook
