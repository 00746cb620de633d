#include "pipeline/stream.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "log/log.hpp"
#include "postgres/publication.hpp"

namespace walspout {

using std::chrono::milliseconds;

namespace {

// An idle sink's position follows the source's at most so often: each time is a disk sync.
constexpr milliseconds kAdvanceEvery{2000};
constexpr milliseconds kAdvanceSoonest{200};
// A confirmation is worth a message to the server at most so often.
constexpr milliseconds kConfirmEvery{100};
constexpr milliseconds kAskEvery{200};
// While data keeps coming, the reader lets some gather before it reads again: a read per row would
// wake the walsender as often, and cost both sides more than the rows themselves.
constexpr timespec kNap{0, 200'000};
constexpr milliseconds kBusy{1};
constexpr milliseconds kChunkAge{5};
// How long copies may hold the first connection's stream up.
constexpr milliseconds kCopyFirst{2000};

}  // namespace

Streamer::Streamer(const config::Config& config, const RunOptions& options, Sinks& sinks,
                   route::Router& router, CatalogueResolver& resolver, TableSync& tables,
                   TableWatch& watch, SourceHistory& history, base::MemoryBudget& budget,
                   progress::Progress& progress, HostStatus& status, base::Wake& wake,
                   StopSignal& stop)
    : config_(config),
      options_(options),
      sinks_(sinks),
      router_(router),
      resolver_(resolver),
      tables_(tables),
      watch_(watch),
      history_(history),
      budget_(budget),
      progress_(progress),
      status_(status),
      wake_(wake),
      stop_(stop),
      interrupt_(stop.fd()),
      assembler_(resolver, budget) {}

Streamer::End Streamer::run(Source source, Connections connections, std::vector<base::Lsn> begins) {
  source_ = std::move(source);
  given_ = std::move(begins);
  for (std::size_t i = 0; i < given_.size(); ++i) router_.skip_until(i, given_[i]);
  routed_ = sent_ = target_ = 0;
  if (source_.wal_sender_timeout.count() > 0) {
    status_interval_ =
        std::clamp(source_.wal_sender_timeout / 4, milliseconds(100), milliseconds(10'000));
    receive_timeout_ = std::max(source_.wal_sender_timeout, milliseconds(2'000));
  }
  base::Backoff backoff;
  bool first = true;
  while (true) {
    status_.waits();
    try {
      if (std::exchange(first, false)) copy_first();
      if (!connections.ordinary || !connections.replication) reconnect(connections);
      session(connections);
      backoff.reset();
      if (const auto end = pump()) {
        drain_and_close();
        return *end;
      }
    } catch (const postgres::Interrupted&) {
      lost();
      drain_and_close();
      return End::kStopped;
    } catch (const Reconnect&) {
      lost();
      if (config_.source.temporary) return End::kSlotGone;  // it goes with the connection
      handle_replays();
      connections = {};
      continue;
    } catch (const SlotLost&) {
      lost();
      throw;
    } catch (const std::exception& error) {
      if (!postgres::is_transient(error)) throw;
      lost();
      if (config_.source.temporary) {
        log::warn(std::string(error.what()) + "; the temporary slot went with the connection");
        return End::kSlotGone;
      }
      const milliseconds delay = backoff.next();
      log::warn(std::string(error.what()) + "; connecting again in " +
                std::to_string(delay.count()) + " ms");
      connections = {};
      try {
        interrupt_.wait(-1, 0, postgres::deadline_in(delay));
      } catch (const postgres::Interrupted&) {
        drain_and_close();
        return End::kStopped;
      }
      if (sinks_.failure()) throw SinkFailed();
      handle_replays();
    }
  }
}

// What is small enough is read before the stream begins: who sees the slot in use then finds the
// tables copied, and changes from there on arrive as changes.
void Streamer::copy_first() {
  const auto deadline = Clock::now() + kCopyFirst;
  // Not large ones: how far their copies are is stored with the stream's positions.
  while (!tables_.all_read() && !tables_.large_under_way() && Clock::now() < deadline) {
    wake_.clear();
    interrupt_.check();
    if (sinks_.failure()) throw SinkFailed();
    if (sinks_.replay_pending()) return;
    if (tables_.wants_commit()) tables_.at_commit(source_.slot_start);
    tables_.step(0, given_, true, true);
    if (tables_.all_read() || tables_.wants_commit()) continue;
    interrupt_.wait(wake_.fd(), POLLIN, tables_.next_step());
  }
}

void Streamer::session(Connections& connections) {
  // PostgreSQL 18 only warns in its own log, and would stream, and let be confirmed, nothing.
  if (!postgres::find_publication(*connections.ordinary, config_.source.publication, interrupt_))
    throw postgres::Refused(
        "publication " + config_.source.publication +
        " does not exist any more: its changes cannot be told; recreate it, then " +
        resync_all(config_));
  resolver_.refresh(*connections.ordinary, config_.source.publication, interrupt_);
  if (options_.until_caught_up && target_ == 0)
    target_ = postgres::committed_end(*connections.ordinary, interrupt_);
  postgres::StreamOptions options;
  options.slot = source_.slot;
  options.publications = {config_.source.publication};
  options.start = history_.start(progress_.confirmed(), source_.slot_start);
  // Asked for whether or not a sink takes them: they count in the ordinals, which are the events'
  // identities and must not depend on the configuration.
  options.messages = connections.ordinary->server_version() >= 140000;
  try {
    stream_.emplace(std::move(*connections.replication), options, interrupt_);
  } catch (const postgres::Refused& error) {  // the slot was there a moment ago
    throw SlotLost(std::string(error.what()) + "; " + resync_all(config_));
  }
  connections.replication.reset();
  const base::Lsn from = std::max(options.start, source_.slot_start);
  history_.connected(from);
  log::info("streaming from slot " + source_.slot + " at " + base::format_lsn(from) + ", " +
            stream_->connection().where());
  last_status_ = last_advance_ = last_received_ = last_wait_ = chunk_since_ = Clock::now();
  status_.streaming(true);
  send_status(true);
}

std::optional<Streamer::End> Streamer::pump() {
  while (true) {
    wake_.clear();
    status_.lives();
    if (stop_.level() > 0) return End::kStopped;
    if (sinks_.failure()) throw SinkFailed();
    if (sinks_.replay_pending()) throw Reconnect();
    dry_ = true;
    const bool room = may_read();
    const bool got = room && read_burst();
    const Clock::time_point now = Clock::now();
    status_.received(received_, now);
    if (room) {
      no_room_since_.reset();
    } else if (without_room_for_long(now)) {
      wait_for_room();
      throw Reconnect();
    }
    const bool busy = got && now - last_wait_ < kBusy;
    if (!busy || now - chunk_since_ >= kChunkAge) dispatch();
    sync_tables();
    advance_sinks(now);
    send_status(false);
    history_.note(now);
    if (options_.until_caught_up && caught_up()) return End::kCaughtUp;
    if (!dry_) continue;
    if (busy) {
      pollfd fds[2] = {{stop_.fd(), POLLIN, 0}, {wake_.fd(), POLLIN, 0}};
      ppoll(fds, 1, &kNap, nullptr);
      last_wait_ = Clock::now();
    } else {
      wait();
    }
  }
}

// Reads until the socket is dry, a chunk is full or there is no more room. True if anything came.
bool Streamer::read_burst() {
  postgres::Frame frame;
  bool got = false;
  while (true) {
    const postgres::Read read = stream_->read(frame);
    if (read == postgres::Read::kWouldBlock) break;
    if (read == postgres::Read::kEnded)
      throw postgres::ConnectionLost("the server ended the stream (it shuts down)");
    got = true;
    on_frame(frame);
    if (assembler_.full()) {
      dispatch();
      dry_ = waiting_ != nullptr && assembler_.full();  // else there may be more
      break;
    }
  }
  if (got) last_received_ = Clock::now();
  return got;
}

void Streamer::on_frame(const postgres::Frame& frame) {
  received_ = std::max({received_, frame.start, frame.wal_end});
  if (frame.kind == postgres::Frame::Kind::kWal) {
    assembler_.feed(frame.payload, frame.start);
    // A copy that waits for a commit is given the first one.
    if (tables_.wants_commit() && !assembler_.transaction_open()) dispatch();
    return;
  }
  // What the server has decoded up to here was sent, and what was sent has come before this.
  if (!assembler_.transaction_open()) {
    dispatch();
    if (!waiting_) routed_to(frame.wal_end);
  }
  if (frame.reply_requested) {
    advance_now_ = true;
    send_status(true);
  }
}

void Streamer::dispatch() {
  chunk_since_ = Clock::now();
  if (!waiting_) {
    waiting_ = assembler_.take();
    waiting_end_ = assembler_.end_of_last();
  }
  if (waiting_) {
    // Rows of a copy have to come first.
    if (tables_.holds() || tables_.holds(*waiting_)) return;
    history_.meet(*waiting_);
    const transaction::ChunkPtr chunk = std::exchange(waiting_, nullptr);
    tables_.dispatching(*chunk);
    status_.count(*chunk);
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      route::Delivery delivery = router_.route(i, chunk);
      tables_.routed_chunk(i);
      for (const transaction::Piece& piece : delivery.pieces())
        if ((piece.flags & WALSPOUT_LAST) != 0) given_[i] = std::max(given_[i], piece.txn.end_lsn);
      watch_.deliver(i, std::move(delivery));
    }
  }
  if (!tables_.holds()) routed_to(waiting_end_);
  if (tables_.wants_commit() && between_transactions())
    tables_.at_commit(std::max(routed_, progress_.confirmed()));
}

void Streamer::routed_to(base::Lsn position) {
  history_.reached(position);
  routed_ = std::max(routed_, position);
}

// While a chunk is held up, no more is read than fits into the next one.
bool Streamer::may_read() const { return !budget_.exhausted() && !(waiting_ && assembler_.full()); }

// No sink is inside of a transaction, and nothing that was received waits.
bool Streamer::between_transactions() const {
  if (waiting_ || assembler_.transaction_open()) return false;
  for (std::size_t i = 0; i < sinks_.size(); ++i)
    if (router_.in_transaction(i)) return false;
  return true;
}

void Streamer::sync_tables() {
  if (waiting_) dispatch();
  bool between = !waiting_;
  for (std::size_t i = 0; between && i < sinks_.size(); ++i) between = !router_.in_transaction(i);
  watch_.step(routed_, given_, between, dry_);
  tables_.step(routed_, given_, between, dry_);
  if (waiting_ || tables_.wants_commit()) dispatch();
}

// Lets the sinks for which nothing came follow, so that they do not hold the slot back.
void Streamer::advance_sinks(Clock::time_point now) {
  const bool due = now - last_advance_ >= (advance_now_ ? kAdvanceSoonest : kAdvanceEvery);
  if (!due) return;
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    // In the middle of a transaction there is no position; it need not be the one that is open now,
    // as its end may still wait to be dispatched.
    if (routed_ <= given_[i] || router_.in_transaction(i)) continue;
    given_[i] = routed_;
    router_.skip_until(i, routed_);
    sinks_.runner(i).advance(routed_);
    last_advance_ = now;
  }
  advance_now_ = false;
}

void Streamer::send_status(bool force) {
  const Clock::time_point now = Clock::now();
  const base::Lsn confirmed = history_.may_confirm(progress_.confirmed());
  const bool moved = confirmed > sent_ && now - last_status_ >= kConfirmEvery;
  const milliseconds silence = std::chrono::duration_cast<milliseconds>(now - last_received_);
  if (silence > 2 * receive_timeout_ && may_read())
    throw postgres::ConnectionLost("the server has been silent for " +
                                   std::to_string(silence.count() / 1000) + " s; " +
                                   stream_->connection().where());
  // --until-caught-up: the server tells how far it is only when asked.
  const bool ask = dry_ && routed_ < awaited();
  const milliseconds interval = ask ? kAskEvery : status_interval_;
  if (!force && !moved && now - last_status_ < interval) {
    if (stream_->wants_write()) stream_->flush();
    return;
  }
  postgres::StandbyStatus status;
  status.written = std::max(received_, confirmed);
  status.flushed = status.applied = confirmed;
  // A living server answers: that is how a dead one is told from an idle one.
  status.reply_requested = silence > receive_timeout_ / 2 || ask;
  stream_->send_status(status);
  sent_ = std::max(sent_, confirmed);
  last_status_ = now;
}

void Streamer::wait() {
  const Clock::time_point now = Clock::now();
  Clock::time_point until = last_status_ + status_interval_;
  if (history_.may_confirm(progress_.confirmed()) > sent_)
    until = std::min(until, last_status_ + kConfirmEvery);
  bool behind = false;
  for (std::size_t i = 0; i < given_.size(); ++i)
    behind = behind || (routed_ > given_[i] && !router_.in_transaction(i));
  if (behind)
    until = std::min(until, last_advance_ + (advance_now_ ? kAdvanceSoonest : kAdvanceEvery));
  if (target_ != 0) until = std::min(until, now + milliseconds(200));
  if (awaited() > routed_) until = std::min(until, last_status_ + kAskEvery);
  if (const auto next = tables_.next_step()) until = std::min(until, *next);
  if (no_room_since_) until = std::min(until, *no_room_since_ + patience_);
  const auto timeout = std::max(milliseconds(0), std::chrono::ceil<milliseconds>(until - now));

  const bool reading = may_read();
  const short events =
      static_cast<short>((reading ? POLLIN : 0) | (stream_->wants_write() ? POLLOUT : 0));
  // A broken connection would be reported again and again while nothing is to be read from it.
  const int socket = events != 0 ? stream_->fd() : -1;
  pollfd fds[3] = {{stop_.fd(), POLLIN, 0}, {wake_.fd(), POLLIN, 0}, {socket, events, 0}};
  poll(fds, 3, static_cast<int>(timeout.count()));
  if (!reading) last_received_ = Clock::now();  // silence counts only while it is listened to
  last_wait_ = Clock::now();
}

// What was received of an unfinished transaction will come again, or never.
void Streamer::lost() {
  status_.streaming(false);
  stream_.reset();
  history_.note_now();  // the next one may be of another source
  assembler_.reset();
  waiting_.reset();
  routed_ = waiting_end_ =
      0;  // counts what this connection has brought; a sink may need older transactions again
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    if (router_.in_transaction(i)) sinks_.runner(i).abort();
    router_.skip_until(i, given_[i]);
  }
}

void Streamer::handle_replays() {
  for (const Sinks::Replay& replay : sinks_.take_replays()) {
    log::warn("sink " + sinks_.name(replay.sink) + " needs the transactions after " +
              base::format_lsn(replay.position) + " again: the stream is restarted");
    given_[replay.sink] = replay.position;
    sinks_.runner(replay.sink).restarted(false);
    tables_.sink_replays(replay.sink, replay.position);
  }
}

base::Lsn Streamer::awaited() const {
  return std::max({target_, tables_.awaited(), watch_.awaited(), history_.awaited()});
}

bool Streamer::caught_up() {
  if (const auto paused = sinks_.paused())
    throw std::runtime_error(fmt::format(
        "sink {0} is paused, so it does not catch up; walspout resume {1} {0} lets it go on",
        sinks_.name(*paused), config_.file));
  if (routed_ < target_ || !tables_.idle()) return false;
  advance_now_ = advance_now_ || progress_.confirmed() < target_;
  return progress_.confirmed() >= target_;
}

}  // namespace walspout
