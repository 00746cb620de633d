// Runs one sink on a thread of its own: opens the plugin, hands it what the reader routed to it, in
// order, asks it to make things durable, and does what its statuses demand (retry, reopen, poison,
// stop). The reader never waits for it.
//
// Group commit: a sink is flushed when its queue has run dry, but not so often that flushing would
// cost more than a fifth of the time, and at the latest after kFlushInterval or half a window of
// bytes.
#pragma once

#include <walspout/abi.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/backoff.hpp"
#include "base/lsn.hpp"
#include "base/queue.hpp"
#include "route/router.hpp"
#include "sink/host_functions.hpp"
#include "sink/meters.hpp"
#include "sink/settings.hpp"
#include "sink/window.hpp"

namespace walspout::sink {

// How a runner speaks to the pipeline. Called on the runner's thread; must not block for long.
class RunnerListener {
 public:
  virtual ~RunnerListener() = default;
  // Everything routed to the sink up to here is durable, and so is this state of the host's. For a
  // sink that keeps no position of its own the callee must have stored both durably before it
  // returns.
  virtual void durable(std::size_t sink, base::Lsn position, const HostStateVersion& state) = 0;
  // A row of this copy, or a change for it, can never be applied: the rest of it is left out.
  virtual void copy_failed(std::size_t sink, std::uint64_t copy_id, const std::string& why) = 0;
  // The sink lost what it had accepted, and the runner can no longer repeat it: it ignores
  // everything until restarted() and wants all after position again.
  virtual void replay_needed(std::size_t sink, base::Lsn position) = 0;
  // state() has changed.
  virtual void changed(std::size_t sink) = 0;
};

enum class PoisonPolicy { kStop, kSkip };

struct RunnerOptions {
  std::string pipeline;
  std::string sink;
  std::filesystem::path state_directory;  // of this sink
  PoisonPolicy on_poison = PoisonPolicy::kStop;
  std::size_t window_bytes = 8 * 1024 * 1024;  // kept for a replay; also the volume that flushes
  std::chrono::milliseconds backoff_base{200};
  std::chrono::milliseconds backoff_cap{30000};
  bool paused = false;  // from the beginning, until resume()
};

class Runner {
 public:
  enum class State { kOpening, kOpen, kFailed, kFinished };
  struct Opened {
    base::Lsn position = 0;  // 0 = none stored
    std::string host_state;
  };
  struct Failure {
    bool configuration = false;  // the operator must act: exit status 2
    std::string text;
  };

  // The descriptor lives for ever, listener must outlive the runner.
  Runner(std::size_t index, RunnerOptions options, const walspout_plugin& plugin,
         ResolvedSettings settings, RunnerListener& listener);
  ~Runner();  // as stop_now(), then joins
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  const std::string& name() const { return options_.sink; }
  const walspout_plugin& plugin() const { return plugin_; }
  bool keeps_position() const { return (plugin_.caps & WALSPOUT_CAP_POSITION) != 0; }

  // Starts the thread, which opens the sink. Then state() leaves kOpening.
  void start();
  State state() const { return state_.load(std::memory_order_acquire); }
  Opened opened() const;    // in kOpen
  Failure failure() const;  // in kFailed

  // ---- for whoever asks; any thread ----

  struct Trouble {
    std::string text;  // what the sink said last when it did not do what it was asked
    std::chrono::system_clock::time_point at{};
    bool lasts = false;  // it has not done it since
  };
  Trouble trouble() const;
  // Of chunks that were delivered and not yet taken up. One that other sinks hold as well counts
  // here, too.
  std::size_t queued_bytes() const { return queued_bytes_.load(std::memory_order_relaxed); }

  // The call of the plugin that the thread is in.
  struct Busy {
    const char* call;  // open, write, flush, abort or close
    std::chrono::steady_clock::duration time;
  };
  std::optional<Busy> busy() const;
  const Meters& meters() const { return meters_; }
  std::map<std::string, double> plugin_metrics() const { return host_.metrics(); }

  // ---- for operators; any thread ----

  // Nothing is written to the sink until resume(); what is delivered meanwhile waits. Takes effect
  // between two transactions, after what the sink has accepted is durable, and at once where a call
  // is tried again and again. A finish() meanwhile ends the runner without what waits.
  void pause();
  // Also ends the wait before the next try of a call that has failed.
  void resume();
  bool paused() const { return paused_.load(std::memory_order_acquire); }

  // ---- the reader's side; in this order of events ----

  // What comes next starts after position.
  void begin(base::Lsn position, HostStateVersion state);
  // To be stored with the next position. What was delivered before is in it.
  void host_state(HostStateVersion state);
  void deliver(route::Delivery delivery);
  // Nothing for this sink lies between what was delivered and here; to be made durable as well.
  // Only between transactions. Stores a new host state also when the position is the old one.
  void advance(base::Lsn position);
  // The transaction under way will not be continued: the connection was lost.
  void abort();
  // After replay_needed(): what follows is the repetition. reopen: close and open the sink first.
  void restarted(bool reopen);
  // A replay_needed() that came before the last restarted() was reached is answered by that one:
  // it is stale when seen (on the runner's thread) is less than asked (on the reader's).
  std::uint64_t restarts_asked() const { return restarts_asked_; }
  std::uint64_t restarts_seen() const { return restarts_seen_; }
  // Everything was delivered: flush, close, end.
  void finish();

  // Ends waits and retries; the thread ends after the call that it is in.
  void stop_now();
  bool wait_finished(std::chrono::steady_clock::time_point deadline);

  static constexpr std::chrono::milliseconds kFlushInterval{250};

 private:
  using Clock = std::chrono::steady_clock;
  enum class Outcome { kOk, kReopen };
  struct Item {
    enum class Kind { kBegin, kHostState, kDelivery, kAdvance, kAbort, kRestarted, kFinish } kind;
    route::Delivery delivery;
    base::Lsn position = 0;
    HostStateVersion state;
    bool flag = false;  // kRestarted: reopen
  };

  void run();
  void loop();
  bool handle(Item& item);  // false: finished
  void handle_delivery(route::Delivery delivery);
  void handle_advance(base::Lsn position);
  void handle_abort();
  void handle_begin(Item& item);
  void handle_restarted(bool reopen);
  void handle_finish();

  // runner_calls.cpp: the plugin's functions with their statuses
  template <class Call>
  walspout_status call(const char* name, const Call& made);
  void note_commit(const walspout_txn& txn);
  void note_durable(base::Lsn position);
  void open();
  void close();
  Outcome write_piece(const route::Delivery& delivery, const transaction::Piece& piece);
  Outcome write_position(base::Lsn position);
  Outcome write_batch(const walspout_batch& batch);
  Outcome flush_once();
  Outcome settle();
  void troubled(std::string text);
  void well();
  bool abort_once();  // false: the sink has to be reopened instead
  Outcome reopen(const walspout_error& error);
  void note_poison(const walspout_error& error);
  void fail_copy(std::uint64_t copy_id, const walspout_error& error);
  bool fail_copy_of(const route::Delivery& delivery, const transaction::Piece& piece,
                    const walspout_error& error);
  void leave_out(const route::Delivery& delivery, const transaction::Piece& piece,
                 walspout_batch& batch);
  void tell_durable(base::Lsn position);
  [[noreturn]] void fail(walspout_status status, const char* call, const walspout_error& error);
  void wait_retry(const char* call, const walspout_error& error);

  // runner_pause.cpp
  bool wait(std::chrono::milliseconds time);
  void pause_here();
  void wait_while_paused();

  Outcome write_window(std::size_t from);
  void recover();
  void take_reopened_position();
  void flush();
  bool flush_due(Clock::time_point now) const;

  struct Stopped {};
  struct Failed {
    Failure failure;
  };

  const std::size_t index_;
  const RunnerOptions options_;
  const walspout_plugin& plugin_;
  const ResolvedSettings settings_;
  RunnerListener& listener_;
  HostFunctions host_;

  base::Queue<Item> queue_;
  std::atomic<bool> woken_{false};    // the sink wants to be flushed
  std::uint64_t restarts_asked_ = 0;  // the reader's
  std::atomic<State> state_{State::kOpening};
  std::atomic<std::size_t> queued_bytes_{0};
  Meters meters_;
  std::atomic<const char*> call_{nullptr};
  std::atomic<Clock::rep> call_since_{0};  // 0: in none
  mutable std::mutex mutex_;
  std::condition_variable finished_;
  std::condition_variable resumed_;  // or to end
  std::atomic<bool> paused_;
  bool finishing_ = false;     // finish() was called
  std::uint64_t resumes_ = 0;  // calls of resume()
  Opened opened_;
  Failure failure_;
  Trouble trouble_;

  // The thread's own.
  walspout_instance* instance_ = nullptr;
  bool in_trouble_ = false;  // trouble_.lasts
  base::Backoff backoff_;
  std::chrono::milliseconds reopen_after_{0};  // as the sink wants it; 0 = by backoff_
  Window window_;
  HostStateVersion host_state_;  // the one that belongs to what is written now
  HostStateVersion begun_with_, newest_state_;
  bool state_for_window_ = false;  // host_state_ is newer than the window's last entry
  HostStateVersion stored_;        // the newest that is durable
  bool host_state_due_ = false;    // the newest was not handed over yet
  // Rows of a copy since the last position that is durable. Nobody repeats them from here: when
  // they may be lost, the copy goes back to what the last durable host state says.
  bool copied_ = false;
  base::Lsn copied_at_ = 0;              // the highest end_lsn of such rows
  bool copied_before_position_ = false;  // a position was handed over after them
  std::set<std::uint64_t> failed_copies_;
  bool discarding_ = false;  // between replay_needed() and restarted()
  bool unfinished_ = false;  // the sink has a FIRST piece without its LAST
  bool dirty_ = false;       // accepted something that is not durable
  base::Lsn reported_ = 0;   // the last position that the sink itself called durable
  base::Lsn floor_ = 0;      // transactions that commit before it are durable, and so reported
  base::Lsn accepted_ = 0;   // the end of the last one that was accepted whole
  base::Lsn handed_ = 0;     // the highest position that it was given since it was opened
  base::Lsn opened_at_ =
      0;                   // what the last open reported, whether the sink keeps a position or not
  base::Lsn offered_ = 0;  // the highest position that the sink was ever given
  std::uint64_t restarts_seen_ = 0;
  std::deque<std::pair<base::Lsn, std::int64_t>> commits_;  // not durable: end, commit time in us
  Clock::time_point dirty_since_{};
  Clock::time_point flush_not_before_{};
  std::set<std::pair<base::Lsn, std::uint64_t>> poisoned_;  // left out: on_poison = "skip"
  std::vector<const walspout_change*> left_;  // of a batch from which something is left out

  std::thread thread_;
};

}  // namespace walspout::sink
