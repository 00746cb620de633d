// The runner's calls into the plugin, and what each status means.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "log/log.hpp"
#include "sink/runner.hpp"

namespace walspout::sink {

using transaction::Piece;

namespace {

walspout_error empty_error() {
  walspout_error error{};
  error.struct_size = sizeof error;
  return error;
}

std::string_view text(const walspout_error& error) {
  const std::size_t size = strnlen(error.message, sizeof error.message);
  return size == 0 ? "no reason given" : std::string_view(error.message, size);
}

}  // namespace

// Every call goes through here: counted, and seen by whoever asks what takes so long.
template <class Call>
walspout_status Runner::call(const char* name, const Call& made) {
  call_.store(name, std::memory_order_relaxed);
  call_since_.store(Clock::now().time_since_epoch().count(), std::memory_order_release);
  const walspout_status status = made();
  call_since_.store(0, std::memory_order_release);
  return status;
}

std::optional<Runner::Busy> Runner::busy() const {
  const Clock::rep since = call_since_.load(std::memory_order_acquire);
  if (since == 0) return std::nullopt;
  return Busy{call_.load(std::memory_order_relaxed),
              Clock::now() - Clock::time_point(Clock::duration(since))};
}

// So that their time until they are durable can be told; not of all of a crowd.
void Runner::note_commit(const walspout_txn& txn) {
  constexpr std::size_t kMost = 4096;
  if (txn.kind == WALSPOUT_TXN_COMMIT && txn.commit_time_us > 0 && commits_.size() < kMost)
    commits_.emplace_back(txn.end_lsn, txn.commit_time_us);
}

void Runner::note_durable(base::Lsn position) {
  if (commits_.empty() || commits_.front().first > position) return;
  const std::int64_t now = host_.abi().now_us(host_.abi().ctx);
  for (; !commits_.empty() && commits_.front().first <= position; commits_.pop_front())
    meters_.commit_to_durable.observe(
        std::chrono::microseconds(std::max<std::int64_t>(now - commits_.front().second, 0)));
}

void Runner::fail(walspout_status status, const char* call, const walspout_error& error) {
  std::string what = "sink " + options_.sink + ": ";
  if (status != WALSPOUT_CONFIG && status != WALSPOUT_FATAL && status != WALSPOUT_POISON)
    what += std::string(call) + " returned the unexpected status " + std::to_string(status) + ": ";
  what += text(error);
  throw Failed{{status == WALSPOUT_CONFIG, std::move(what)}};
}

void Runner::troubled(std::string text) {
  in_trouble_ = true;
  const std::lock_guard lock(mutex_);
  trouble_ = {std::move(text), std::chrono::system_clock::now(), true};
}

void Runner::well() {
  if (!std::exchange(in_trouble_, false)) return;
  const std::lock_guard lock(mutex_);
  trouble_.lasts = false;
}

void Runner::wait_retry(const char* call, const walspout_error& error) {
  const auto delay =
      error.retry_after_ms != 0 ? std::chrono::milliseconds(error.retry_after_ms) : backoff_.next();
  log::warn("sink " + options_.sink + ": " + std::string(text(error)) + "; " + call +
            " is tried again in " + std::to_string(delay.count()) + " ms");
  troubled(std::string(text(error)));
  if (!wait(delay)) throw Stopped();
}

Runner::Outcome Runner::reopen(const walspout_error& error) {
  log::warn("sink " + options_.sink + ": " + std::string(text(error)) + "; it is reopened");
  troubled(std::string(text(error)));
  reopen_after_ = std::chrono::milliseconds(error.retry_after_ms);
  return Outcome::kReopen;
}

void Runner::open() {
  walspout_open_args args{};
  args.struct_size = sizeof args;
  args.setting_count = static_cast<std::uint32_t>(settings_.settings().size());
  args.host = &host_.abi();
  args.pipeline = options_.pipeline.c_str();
  args.sink = options_.sink.c_str();
  const std::string state_directory = options_.state_directory.string();
  args.state_dir = state_directory.c_str();
  args.settings = settings_.settings().data();
  while (true) {
    walspout_open_reply reply{};
    reply.struct_size = sizeof reply;
    walspout_error error = empty_error();
    const walspout_status status =
        call("open", [&] { return plugin_.open(&args, &reply, &error); });
    meters_.called(status);
    if (status == WALSPOUT_OK) {
      instance_ = reply.self;
      commits_.clear();  // what comes again is noted again
      well();
      handed_ = 0;
      opened_at_ = reply.position;
      const std::lock_guard lock(mutex_);
      opened_.position = keeps_position() ? reply.position : 0;
      opened_.host_state = reply.host_state.size == 0
                               ? std::string()
                               : std::string(reply.host_state.data, reply.host_state.size);
      return;
    }
    if (status != WALSPOUT_RETRY && status != WALSPOUT_REOPEN) fail(status, "open", error);
    wait_retry("open", error);
  }
}

void Runner::close() {
  if (instance_ == nullptr) return;
  call("close", [this] {
    plugin_.close(std::exchange(instance_, nullptr));
    return WALSPOUT_OK;
  });
}

// What was named as poison, and what belongs to a copy that has failed.
void Runner::leave_out(const route::Delivery& delivery, const Piece& piece, walspout_batch& batch) {
  const bool commit = piece.txn.kind == WALSPOUT_TXN_COMMIT;
  if (failed_copies_.empty() && (poisoned_.empty() || !commit)) return;
  left_.clear();
  for (std::uint32_t i = piece.begin; i < piece.end; ++i) {
    const walspout_change* change = delivery.changes()[i];
    const std::uint64_t copy = commit ? change->copy_id : piece.txn.copy_id;
    if (change->op != WALSPOUT_COPY_FAILED && failed_copies_.contains(copy)) continue;
    if (commit && poisoned_.contains({piece.txn.commit_lsn, change->ordinal})) continue;
    left_.push_back(change);
  }
  batch.change_count = left_.size();
  batch.changes = left_.data();
}

Runner::Outcome Runner::write_piece(const route::Delivery& delivery, const Piece& piece) {
  walspout_txn txn = piece.txn;
  const bool last = (piece.flags & WALSPOUT_LAST) != 0;
  const bool commit = txn.kind == WALSPOUT_TXN_COMMIT;
  if (commit) txn.position = last ? txn.end_lsn : 0;
  if (txn.position != 0 && host_state_due_)
    txn.host_state = {host_state_.text.data(), host_state_.text.size()};

  offered_ = std::max(offered_, txn.position);
  copied_ = copied_ || !commit;  // from here on these rows may be lost

  walspout_batch batch{};
  batch.struct_size = sizeof batch;
  batch.flags = piece.flags;
  batch.txn = &txn;
  batch.change_count = piece.end - piece.begin;
  batch.changes = delivery.changes().data() + piece.begin;
  while (true) {
    leave_out(delivery, piece, batch);
    if (!commit && batch.change_count == 0) return Outcome::kOk;
    walspout_error error = empty_error();
    const walspout_status status =
        call("write", [&] { return plugin_.write(instance_, &batch, &error); });
    meters_.called(status);
    if (status == WALSPOUT_OK) break;
    switch (status) {
      case WALSPOUT_RETRY:
        wait_retry("write", error);
        wait_while_paused();
        continue;
      case WALSPOUT_POISON:
        if (!fail_copy_of(delivery, piece, error)) note_poison(error);
        continue;
      case WALSPOUT_REOPEN:
        return reopen(error);
      default:
        fail(status, "write", error);
    }
  }
  well();
  if (txn.position != 0) host_state_due_ = false;
  handed_ = std::max(handed_, txn.position);
  unfinished_ = !last;
  if (!commit) copied_at_ = std::max(copied_at_, txn.end_lsn);
  copied_before_position_ = txn.position != 0;
  if (last) {
    if (!dirty_) dirty_since_ = Clock::now();
    dirty_ = true;
    accepted_ = std::max(accepted_, txn.position);
    note_commit(txn);
  }
  return Outcome::kOk;
}

Runner::Outcome Runner::write_position(base::Lsn position) {
  walspout_txn txn{};
  txn.struct_size = sizeof txn;
  txn.kind = WALSPOUT_TXN_COMMIT;
  txn.commit_lsn = txn.end_lsn = txn.position = position;
  txn.commit_time_us = host_.abi().now_us(host_.abi().ctx);
  txn.host_state = {host_state_.text.data(), host_state_.text.size()};
  offered_ = std::max(offered_, position);
  walspout_batch batch{};
  batch.struct_size = sizeof batch;
  batch.flags = WALSPOUT_FIRST | WALSPOUT_LAST;
  batch.txn = &txn;
  while (true) {
    walspout_error error = empty_error();
    const walspout_status status =
        call("write", [&] { return plugin_.write(instance_, &batch, &error); });
    meters_.called(status);
    if (status == WALSPOUT_OK) break;
    if (status == WALSPOUT_REOPEN) return reopen(error);
    if (status != WALSPOUT_RETRY) fail(status, "write", error);
    wait_retry("write", error);
    wait_while_paused();
  }
  well();
  host_state_due_ = false;
  handed_ = std::max(handed_, position);
  copied_before_position_ = true;
  dirty_ = true;
  accepted_ = std::max(accepted_, position);
  return Outcome::kOk;
}

Runner::Outcome Runner::flush_once() {
  const Clock::time_point start = Clock::now();
  woken_.store(false);
  walspout_lsn durable = 0;
  while (true) {
    walspout_error error = empty_error();
    durable = 0;
    const Clock::time_point called = Clock::now();
    const walspout_status status =
        call("flush", [&] { return plugin_.flush(instance_, &durable, &error); });
    meters_.called(status);
    if (status == WALSPOUT_OK) {
      meters_.flush.observe(Clock::now() - called);
      break;
    }
    switch (status) {
      case WALSPOUT_RETRY:
        wait_retry("flush", error);
        wait_while_paused();
        continue;
      case WALSPOUT_POISON:
        if (error.copy_id != 0)
          fail_copy(error.copy_id, error);
        else
          note_poison(error);
        return Outcome::kReopen;
      case WALSPOUT_REOPEN:
        return reopen(error);
      default:
        fail(status, "flush", error);
    }
  }
  // A sink that was begun below a position which it had stored goes on to report that one, until it
  // is given another. And one may take a snapshot's position for its own.
  if (durable > accepted_ && durable <= std::max(opened_at_, copied_at_)) durable = accepted_;
  if (durable > accepted_)
    throw Failed{{false, "sink " + options_.sink + ": plugin " + plugin_.name + " calls " +
                             base::format_lsn(durable) + " durable, but was given only " +
                             base::format_lsn(accepted_) + "; this is a fault of the plugin"}};
  const Clock::time_point end = Clock::now();
  note_durable(durable);
  const auto cost = std::min<Clock::duration>(end - start, std::chrono::milliseconds(25));
  flush_not_before_ = end + 4 * cost;
  // A sink that takes its time is asked again, but not in a hot loop.
  if (durable < handed_)
    flush_not_before_ = std::max(flush_not_before_, end + std::chrono::milliseconds(100));
  well();
  backoff_.reset();
  dirty_ = dirty_ && durable < handed_;
  dirty_since_ = end;
  reported_ = std::max(reported_, durable);
  window_.release(durable);
  if (!unfinished_ && !dirty_ && !window_.complete()) window_.clear();
  const bool all = !dirty_ && !host_state_due_;
  if (all && (copied_before_position_ || !keeps_position())) copied_ = false;
  const bool state_is_new = all && stored_.number != host_state_.number;
  if (all) stored_ = host_state_;
  // Lower ones are not news: a sink without a position of its own does not know of advance().
  if (durable > floor_ || state_is_new) {
    floor_ = std::max(floor_, durable);
    listener_.durable(index_, floor_, stored_);
  }
  return Outcome::kOk;
}

// Flushes until all that was accepted is durable: a sink that takes its time is asked again.
Runner::Outcome Runner::settle() {
  while (dirty_) {
    if (flush_once() == Outcome::kReopen) return Outcome::kReopen;
    if (!dirty_) break;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(flush_not_before_ - Clock::now());
    if (left.count() > 0 && !host_.wait(static_cast<std::uint32_t>(left.count()))) throw Stopped();
  }
  return Outcome::kOk;
}

bool Runner::abort_once() {
  if (!WALSPOUT_HAS(&plugin_, abort) || plugin_.abort == nullptr) return false;
  walspout_error error = empty_error();
  const walspout_status status = call("abort", [&] { return plugin_.abort(instance_, &error); });
  if (status == WALSPOUT_OK) return true;
  if (status != WALSPOUT_RETRY && status != WALSPOUT_REOPEN) fail(status, "abort", error);
  log::warn("sink " + options_.sink + ": could not take back an unfinished transaction (" +
            std::string(text(error)) + "); it is reopened");
  return false;
}

void Runner::fail_copy(std::uint64_t copy_id, const walspout_error& error) {
  failed_copies_.insert(copy_id);
  listener_.copy_failed(index_, copy_id, std::string(text(error)));
}

// A row of a copy has no identity that a repeated copy would keep: it is the copy that fails, and
// the table with it. True if that was it.
bool Runner::fail_copy_of(const route::Delivery& delivery, const Piece& piece,
                          const walspout_error& error) {
  if (piece.txn.kind == WALSPOUT_TXN_SNAPSHOT) {
    fail_copy(piece.txn.copy_id, error);
    return true;
  }
  for (std::uint32_t i = piece.begin; i < piece.end; ++i) {
    const walspout_change* change = delivery.changes()[i];
    if (change->ordinal != error.ordinal || piece.txn.commit_lsn != error.commit_lsn ||
        change->copy_id == 0 || failed_copies_.contains(change->copy_id))
      continue;
    fail_copy(change->copy_id, error);
    return true;
  }
  return false;
}

void Runner::note_poison(const walspout_error& error) {
  const std::string what = "sink " + options_.sink + ": change " + std::to_string(error.ordinal) +
                           " of the transaction at " + base::format_lsn(error.commit_lsn) +
                           " cannot be applied: " + std::string(text(error));
  const bool named = poisoned_.emplace(error.commit_lsn, error.ordinal).second;
  if (!named)
    throw Failed{{false, what + " (named again although it was left out: a fault of the plugin)"}};
  if (options_.on_poison == PoisonPolicy::kStop)
    throw Failed{{false, what + "; mend the target, or set on_poison = \"skip\" to leave it out"}};
  log::error(what + "; it is left out, as on_poison = \"skip\" says");
}

}  // namespace walspout::sink
