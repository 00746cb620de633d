// Messages on their way, in order. Events come in groups: a transaction, or several that are cut as
// one. A group is cut from its begin by rows and bytes alone, so that the same group gives the same
// messages, in however many pieces it comes and whenever they are sent.
//
// With several lanes the events of one key always take the same one, and a lane is a queue of its
// own. An event without a lane is a barrier: the epochs before and after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "message.hpp"
#include "staged.hpp"

namespace walspout::webhook {

struct Limits {
  std::size_t rows = 1;  // of a message; 1: a body is one event and no array
  std::size_t bytes = 0;
  std::size_t lanes = 1;
};

class Outbox {
 public:
  explicit Outbox(const Limits& limits);

  const Limits& limits() const { return limits_; }

  // A group. begin() drops one that was not ended, as abort() does.
  void begin();
  void add(const Staged& staged);
  void end(walspout_lsn position);  // 0: has none
  void abort();

  // The head of a lane, if nothing of an earlier epoch is left; else nullptr.
  const Message* next(std::size_t lane) const;
  void pop(std::size_t lane);
  void halve(std::size_t lane);  // the head becomes two

  // All groups that were ended are delivered.
  bool settled() const;
  // The last position up to which that is so; 0 = none yet.
  walspout_lsn position() const { return position_; }
  std::size_t bytes() const { return bytes_; }  // of what is queued

 private:
  struct Group {
    std::size_t messages = 0;  // not delivered
    bool ended = false;
    walspout_lsn position = 0;
  };
  struct Lane {
    std::deque<Message> queue;
    Message open;                     // being filled
    std::size_t rows = 0, bytes = 0;  // of it, as far as they count
  };

  void put(const Staged& staged, const StagedEvent& event, Lane& lane);
  void close(Lane& lane);
  void close_all();
  void advance();

  const Limits limits_;
  std::vector<Lane> lanes_;
  std::deque<Group> groups_;
  std::uint64_t first_group_ = 0;  // number of groups_.front()
  std::uint64_t epoch_ = 0;
  std::size_t bytes_ = 0;
  walspout_lsn position_ = 0;
};

}  // namespace walspout::webhook
