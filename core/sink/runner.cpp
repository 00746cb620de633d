#include "sink/runner.hpp"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "base/lsn.hpp"
#include "log/log.hpp"

namespace walspout::sink {

using transaction::Piece;

Runner::Runner(std::size_t index, RunnerOptions options, const walspout_plugin& plugin,
               ResolvedSettings settings, RunnerListener& listener)
    : index_(index),
      options_(std::move(options)),
      plugin_(plugin),
      settings_(std::move(settings)),
      listener_(listener),
      host_(options_.sink,
            [this] {
              woken_.store(true);
              queue_.kick();
            }),
      paused_(options_.paused),
      backoff_(options_.backoff_base, options_.backoff_cap),
      window_(options_.window_bytes) {}

Runner::~Runner() {
  stop_now();
  if (thread_.joinable()) thread_.join();
}

void Runner::start() {
  thread_ = std::thread([this] { run(); });
}

Runner::Opened Runner::opened() const {
  const std::lock_guard lock(mutex_);
  return opened_;
}

Runner::Failure Runner::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

Runner::Trouble Runner::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void Runner::begin(base::Lsn position, HostStateVersion state) {
  queue_.push({Item::Kind::kBegin, {}, position, std::move(state), false});
}

void Runner::host_state(HostStateVersion state) {
  queue_.push({Item::Kind::kHostState, {}, 0, std::move(state), false});
}

void Runner::deliver(route::Delivery delivery) {
  queued_bytes_.fetch_add(delivery.chunk->bytes(), std::memory_order_relaxed);
  queue_.push({Item::Kind::kDelivery, std::move(delivery), 0, {}, false});
}

void Runner::advance(base::Lsn position) {
  queue_.push({Item::Kind::kAdvance, {}, position, {}, false});
}

void Runner::abort() { queue_.push({Item::Kind::kAbort, {}, 0, {}, false}); }

void Runner::restarted(bool reopen) {
  ++restarts_asked_;
  queue_.push({Item::Kind::kRestarted, {}, 0, {}, reopen});
}

bool Runner::wait_finished(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return finished_.wait_until(lock, deadline, [this] {
    const State now = state();
    return now == State::kFailed || now == State::kFinished;
  });
}

void Runner::run() {
  pthread_setname_np(pthread_self(), ("sink " + options_.sink).substr(0, 15).c_str());
  State end = State::kFinished;
  Failure failure;
  try {
    open();
    {
      const std::lock_guard lock(mutex_);
      state_.store(State::kOpen, std::memory_order_release);
    }
    listener_.changed(index_);
    loop();
  } catch (const Stopped&) {
    // Asked for: what was not durable will be sent again by the server.
  } catch (const Failed& failed) {
    end = State::kFailed;
    failure = failed.failure;
  } catch (const std::exception& error) {
    end = State::kFailed;
    failure.text = "sink " + options_.sink + ": " + error.what();
  }
  close();
  {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
    state_.store(end, std::memory_order_release);
  }
  finished_.notify_all();
  listener_.changed(index_);
}

void Runner::loop() {
  std::deque<Item> items;
  while (true) {
    if (paused() && !unfinished_) pause_here();
    if (items.empty()) {
      const bool woken = woken_.load();
      const bool may_flush = (dirty_ || woken) && !unfinished_ && !discarding_;
      auto deadline = Clock::now();
      if (!may_flush) deadline += std::chrono::hours(1);
      if (may_flush && !woken) deadline = std::max(flush_not_before_, deadline);
      if (!queue_.pop_all(items, deadline)) {
        if (host_.stopping()) throw Stopped();
        if (may_flush) flush();
      }
      continue;  // it may have been paused before these came
    }
    if (host_.stopping()) throw Stopped();
    Item item = std::move(items.front());
    items.pop_front();
    if (!handle(item)) return;
  }
}

bool Runner::handle(Item& item) {
  switch (item.kind) {
    case Item::Kind::kBegin:
      handle_begin(item);
      return true;
    case Item::Kind::kHostState:
      newest_state_ = host_state_ = std::move(item.state);
      host_state_due_ = state_for_window_ = true;
      return true;
    case Item::Kind::kDelivery:
      queued_bytes_.fetch_sub(item.delivery.chunk->bytes(), std::memory_order_relaxed);
      if (!discarding_) handle_delivery(std::move(item.delivery));
      return true;
    case Item::Kind::kAdvance:
      if (!discarding_) handle_advance(item.position);
      return true;
    case Item::Kind::kAbort:
      if (!discarding_) handle_abort();
      return true;
    case Item::Kind::kRestarted:
      handle_restarted(item.flag);
      return true;
    case Item::Kind::kFinish:
      handle_finish();
      return false;
  }
  return true;
}

void Runner::handle_begin(Item& item) {
  floor_ = accepted_ = offered_ = item.position;
  reported_ = std::min(opened().position, floor_);
  begun_with_ = newest_state_ = host_state_ = std::move(item.state);
  host_state_due_ = true;
}

void Runner::handle_restarted(bool reopen) {
  discarding_ = false;
  ++restarts_seen_;
  if (!reopen) return;
  window_.clear();
  unfinished_ = dirty_ = copied_ = false;
  close();
  open();
}

void Runner::handle_finish() {
  if (discarding_) return;
  if (unfinished_) handle_abort();
  while (!discarding_ && settle() == Outcome::kReopen) recover();
}

void Runner::handle_delivery(route::Delivery delivery) {
  if (delivery.pieces().front().txn.kind == WALSPOUT_TXN_SNAPSHOT) {
    for (const Piece& piece : delivery.pieces())
      if (write_piece(delivery, piece) == Outcome::kReopen) return recover();
    if (flush_due(Clock::now())) flush();
    return;
  }
  if (!window_.complete()) {
    // Too much to keep: what was written is gone from here until it is durable.
    for (const Piece& piece : delivery.pieces()) {
      if (write_piece(delivery, piece) == Outcome::kReopen) return recover();
      if (unfinished_ || !flush_due(Clock::now())) continue;
      if (flush_once() == Outcome::kReopen) return recover();
      // All before it is durable: the rest of the delivery can be kept again.
      if (window_.complete()) break;
    }
    if (!window_.complete()) return;
  }
  std::optional<HostStateVersion> state;
  if (std::exchange(state_for_window_, false)) state = host_state_;
  window_.add(std::move(delivery), std::move(state));
  if (write_window(window_.entries().size() - 1) == Outcome::kReopen) recover();
  window_.release(floor_);
  // A transaction larger than the window: only the server can repeat it.
  if (unfinished_ && window_.over_limit()) window_.drop();
}

// Writes the pieces of the window's entries from the given one on, flushing where it is due.
Runner::Outcome Runner::write_window(std::size_t from) {
  // A flush releases entries at the front, so the place is counted from the end.
  std::size_t left = window_.entries().size() - from;
  while (left > 0 && left <= window_.entries().size()) {
    const Window::Entry entry = window_.entries()[window_.entries().size() - left];
    if (entry.state && entry.state->number != host_state_.number) {
      host_state_ = *entry.state;
      host_state_due_ = true;
    }
    for (std::size_t p = 0; p < entry.piece_count; ++p) {
      const Piece& piece = entry.delivery.pieces()[p];
      if (piece.txn.commit_lsn < floor_) continue;
      if (write_piece(entry.delivery, piece) == Outcome::kReopen) return Outcome::kReopen;
      if (!unfinished_ && flush_due(Clock::now())) {
        if (flush_once() == Outcome::kReopen) return Outcome::kReopen;
      }
    }
    --left;
  }
  return Outcome::kOk;
}

bool Runner::flush_due(Clock::time_point now) const {
  return dirty_ &&
         (window_.bytes() >= options_.window_bytes / 2 || now - dirty_since_ >= kFlushInterval);
}

void Runner::handle_advance(base::Lsn position) {
  if (unfinished_)  // would make half a transaction durable
    throw Failed{{false, "sink " + options_.sink + ": fault of the host: position " +
                             base::format_lsn(position) + " lies inside of a transaction"}};
  if (position <= accepted_ && !host_state_due_) return;
  position = std::max(position, accepted_);
  while ((keeps_position() && write_position(position) == Outcome::kReopen) ||
         settle() == Outcome::kReopen) {
    recover();
    if (discarding_) return;
  }
  const bool told = floor_ >= position && stored_.number == host_state_.number;
  accepted_ = floor_ = std::max(accepted_, position);
  offered_ = std::max(offered_, position);
  host_state_due_ = false;
  if (!told) tell_durable(position);
}

// All that was accepted up to here is durable, with the newest host state.
void Runner::tell_durable(base::Lsn position) {
  stored_ = host_state_;
  copied_ = false;
  listener_.durable(index_, position, stored_);
}

void Runner::handle_abort() {
  window_.abort();
  if (!unfinished_) return;
  unfinished_ = false;
  // What was accepted before it may be gone from the window, too: only a flush makes it whole
  // again.
  if (!window_.complete() && !dirty_) window_.clear();
  if (!abort_once()) recover();
}

// Closes and opens the sink, and repeats what it had not made durable.
void Runner::recover() {
  while (true) {
    unfinished_ = dirty_ = false;
    close();
    const auto asked = std::exchange(reopen_after_, std::chrono::milliseconds(0));
    const auto delay = asked.count() != 0 ? asked : backoff_.next();
    if (!wait(delay)) throw Stopped();
    wait_while_paused();
    open();
    // It may have gone with what was accepted, and comes again with what it belongs to.
    host_state_ = stored_.number != 0 ? stored_ : begun_with_;
    host_state_due_ = true;
    take_reopened_position();
    accepted_ = std::max(floor_, reported_);
    if (copied_ || !window_.complete()) {
      window_.clear();
      copied_ = false;
      discarding_ = true;
      listener_.replay_needed(index_, accepted_);
      return;
    }
    window_.release(floor_);
    if (write_window(0) == Outcome::kReopen) continue;
    host_state_due_ = host_state_due_ || host_state_.number != newest_state_.number;
    host_state_ = newest_state_;
    return;
  }
}

// Compares where the sink stands after it was opened again with what is known of it.
void Runner::take_reopened_position() {
  if (!keeps_position()) return;
  const base::Lsn position = opened().position;
  const std::string stands =
      "sink " + options_.sink + ": reopened at " + base::format_lsn(position);
  if (position < reported_)
    throw Failed{{false, stands + ", but had called " + base::format_lsn(reported_) +
                             " durable; its target lost data: copy it anew"}};
  if (position > offered_)
    throw Failed{{false, stands + ", but was given only " + base::format_lsn(offered_) +
                             "; its target is not the one it was: put the old one back, or copy it "
                             "anew"}};
  reported_ = position;
  if (position <= floor_) return;
  floor_ = position;
  listener_.durable(index_, position, stored_);
}

void Runner::flush() {
  if (flush_once() == Outcome::kReopen) recover();
}

}  // namespace walspout::sink
