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
      host_(options_.sink, [this] { queue_.kick(); }),
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

void Runner::begin(base::Lsn position, std::string host_state, bool copying) {
  Item item{Item::Kind::kBegin, {}, position, std::move(host_state), copying};
  queue_.push(std::move(item));
}

void Runner::deliver(route::Delivery delivery) {
  queue_.push({Item::Kind::kDelivery, std::move(delivery), 0, {}, false});
}

void Runner::advance(base::Lsn position) {
  queue_.push({Item::Kind::kAdvance, {}, position, {}, false});
}

void Runner::abort() { queue_.push({Item::Kind::kAbort, {}, 0, {}, false}); }

void Runner::restarted(bool reopen) { queue_.push({Item::Kind::kRestarted, {}, 0, {}, reopen}); }

void Runner::finish() { queue_.push({Item::Kind::kFinish, {}, 0, {}, false}); }

void Runner::stop_now() {
  host_.stop();
  queue_.kick();
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
    if (items.empty()) {
      const bool may_flush = dirty_ && !unfinished_;
      const auto deadline = may_flush ? std::max(flush_not_before_, Clock::now())
                                      : Clock::now() + std::chrono::hours(1);
      if (!queue_.pop_all(items, deadline)) {
        if (host_.stopping()) throw Stopped();
        if (may_flush) flush();
        continue;
      }
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
      reported_ = std::min(reported_, item.position);
      floor_ = accepted_ = item.position;
      copying_ = item.flag;
      host_state_ = std::move(item.host_state);
      host_state_due_ = true;
      return true;
    case Item::Kind::kDelivery:
      if (!discarding_) handle_delivery(std::move(item.delivery));
      return true;
    case Item::Kind::kAdvance:
      if (!discarding_) handle_advance(item.position);
      return true;
    case Item::Kind::kAbort:
      if (!discarding_) handle_abort();
      return true;
    case Item::Kind::kRestarted:
      discarding_ = false;
      if (item.flag) {
        window_.clear();
        unfinished_ = dirty_ = false;
        close();
        open();
      }
      return true;
    case Item::Kind::kFinish:
      if (!discarding_ && unfinished_) handle_abort();
      if (!discarding_ && dirty_) flush();
      return false;
  }
  return true;
}

void Runner::handle_delivery(route::Delivery delivery) {
  window_.add(delivery);
  if (window_.complete()) {
    if (write_window(window_.entries().size() - 1) == Outcome::kReopen) recover();
  } else {
    for (const Piece& piece : delivery.pieces()) {
      if (write_piece(delivery, piece) == Outcome::kReopen) return recover();
      if (!unfinished_ && flush_due(Clock::now())) flush();
      if (discarding_) return;
    }
  }
  // A transaction larger than the window: only the server can repeat it.
  if (unfinished_ && window_.over_limit()) window_.drop();
}

// Writes the pieces of the window's entries from the given one on, flushing where it is due.
Runner::Outcome Runner::write_window(std::size_t from) {
  // A flush releases entries at the front, so the place is counted from the end.
  std::size_t left = window_.entries().size() - from;
  while (left > 0 && left <= window_.entries().size()) {
    const Window::Entry entry = window_.entries()[window_.entries().size() - left];
    for (std::size_t p = 0; p < entry.piece_count; ++p) {
      const Piece& piece = entry.delivery.pieces()[p];
      if (piece.txn.kind == WALSPOUT_TXN_COMMIT && piece.txn.commit_lsn < floor_) continue;
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
  if (position <= accepted_ && !host_state_due_ && !copying_) return;
  if (!keeps_position()) {
    while (dirty_ && flush_once() == Outcome::kReopen) {
      recover();
      if (discarding_) return;
    }
    accepted_ = std::max(accepted_, position);
    floor_ = std::max(floor_, position);
    host_state_due_ = false;
  } else {
    while (write_position(position) == Outcome::kReopen || flush_once() == Outcome::kReopen) {
      recover();
      if (discarding_) return;
    }
    position = reported_;
  }
  copying_ = false;
  listener_.durable(index_, position);
}

void Runner::handle_abort() {
  window_.abort();
  if (!unfinished_) return;
  unfinished_ = false;
  // What was accepted before it may be gone from the window, too: only a flush makes it whole
  // again.
  if (!window_.complete() && !dirty_) window_.clear();
  if (WALSPOUT_HAS(&plugin_, abort) && plugin_.abort != nullptr) {
    walspout_error error{};
    error.struct_size = sizeof error;
    const walspout_status status = plugin_.abort(instance_, &error);
    if (status == WALSPOUT_OK) return;
    if (status == WALSPOUT_CONFIG || status == WALSPOUT_FATAL) fail(status, "abort", error);
    log::warn("sink " + options_.sink + ": could not take back an unfinished transaction (" +
              error.message + "); it is reopened");
  }
  recover();
}

// Closes and opens the sink, and repeats what it had not made durable.
void Runner::recover() {
  while (true) {
    unfinished_ = dirty_ = false;
    close();
    if (!host_.wait(static_cast<std::uint32_t>(backoff_.next().count()))) throw Stopped();
    open();
    const base::Lsn position = opened().position;
    if (keeps_position() && position < reported_)
      throw Failed{{false, "sink " + options_.sink + ": reopened at " + base::format_lsn(position) +
                               ", but had called " + base::format_lsn(reported_) +
                               " durable; its target lost data: copy it anew"}};
    if (keeps_position()) floor_ = std::max(floor_, position);
    accepted_ = std::max(floor_, reported_);
    if (copying_ || !window_.complete()) {
      window_.clear();
      discarding_ = true;
      listener_.replay_needed(index_, accepted_);
      return;
    }
    window_.release(floor_);
    if (write_window(0) == Outcome::kOk) return;
  }
}

void Runner::flush() {
  if (flush_once() == Outcome::kReopen) recover();
}

}  // namespace walspout::sink
