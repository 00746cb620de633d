// The reader between two connections: why it closes one, and what it looks at before it goes on.
#include <poll.h>

#include <algorithm>

#include "log/log.hpp"
#include "pipeline/stream.hpp"

namespace walspout {

using std::chrono::milliseconds;

namespace {

// How long the server is kept waiting when there is no room for what it sends. Each connection that
// brought nothing to an end before it had to be closed doubles it, so that a transaction that is
// sent from its beginning again gets through one day.
constexpr milliseconds kFirstPatience{5'000};
constexpr milliseconds kLastPatience{600'000};
constexpr milliseconds kLookForRoom{200};

std::string seconds(milliseconds time) { return std::to_string(time.count() / 1000) + " s"; }

}  // namespace

bool Streamer::without_room_for_long(Clock::time_point now) {
  if (config_.source.temporary) return false;  // its slot goes with the connection
  if (!no_room_since_) {
    no_room_since_ = now;
    const base::Lsn confirmed = progress_.confirmed();
    if (patience_.count() == 0 || confirmed > closed_at_) patience_ = kFirstPatience;
  }
  return now - *no_room_since_ >= patience_;
}

std::string Streamer::sinks_behind() const {
  std::string names;
  for (std::size_t i = 0; i < sinks_.size(); ++i)
    if (progress_.durable(i) < given_[i]) names += (names.empty() ? "" : ", ") + sinks_.name(i);
  return names.empty() ? "copies" : names;
}

void Streamer::wait_for_room() {
  log::warn("no room for " + seconds(patience_) + " ([host] memory is taken up by what waits for " +
            sinks_behind() +
            "): the replication connection is closed until there is, since the server would have "
            "to wait for it");
  lost();
  no_room_since_.reset();
  closed_at_ = progress_.confirmed();
  patience_ = std::min(2 * patience_, kLastPatience);
  while (budget_.used() > budget_.limit() / 2) {
    wake_.clear();
    interrupt_.check();
    if (sinks_.failure()) throw SinkFailed();
    handle_replays();
    sync_tables();
    interrupt_.wait(wake_.fd(), POLLIN, postgres::deadline_in(kLookForRoom));
  }
  log::info("there is room again: connecting");
}

void Streamer::reconnect(Connections& connections) {
  connections = connect(config_, interrupt_);
  base::Lsn reached = progress_.confirmed();
  for (const base::Lsn given : given_) reached = std::max(reached, given);
  if (!check_source(config_, connections, source_, progress_.confirmed(), reached, interrupt_))
    return;
  history_.begin(source_, false);
  // What a sink stores from here on is of the new timeline.
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    tables_.tables(i).state().timeline = source_.timeline();
    tables_.store_state(i);
  }
}

}  // namespace walspout
