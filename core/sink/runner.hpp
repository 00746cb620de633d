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
#include <memory>
#include <mutex>
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
#include "sink/settings.hpp"
#include "sink/window.hpp"

namespace walspout::sink {

// How a runner speaks to the pipeline. Called on the runner's thread; must not block for long.
class RunnerListener {
 public:
  virtual ~RunnerListener() = default;
  // Everything routed to the sink up to here is durable. For a sink that keeps no position of its
  // own the callee must have stored it durably before it returns.
  virtual void durable(std::size_t sink, base::Lsn position) = 0;
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

  // ---- the reader's side; in this order of events ----

  // What comes next starts after position; host_state is stored with the first position that is. In
  // a copy the sink has no position until it ends with advance().
  void begin(base::Lsn position, std::string host_state, bool copying);
  void deliver(route::Delivery delivery);
  // Nothing for this sink lies between what was delivered and here; to be made durable as well.
  // Only between transactions.
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
    enum class Kind { kBegin, kDelivery, kAdvance, kAbort, kRestarted, kFinish } kind;
    route::Delivery delivery;
    base::Lsn position = 0;
    std::string host_state;
    bool flag = false;  // kBegin: copying; kRestarted: reopen
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
  void open();
  void close();
  Outcome write_piece(const route::Delivery& delivery, const transaction::Piece& piece);
  Outcome write_position(base::Lsn position);
  Outcome write_batch(const walspout_batch& batch);
  Outcome flush_once();
  Outcome settle();
  bool abort_once();  // false: the sink has to be reopened instead
  Outcome reopen(const walspout_error& error);
  void note_poison(const walspout_error& error);
  [[noreturn]] void fail(walspout_status status, const char* call, const walspout_error& error);
  void wait_retry(const char* call, const walspout_error& error);

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
  mutable std::mutex mutex_;
  std::condition_variable finished_;
  Opened opened_;
  Failure failure_;

  // The thread's own.
  walspout_instance* instance_ = nullptr;
  base::Backoff backoff_;
  std::chrono::milliseconds reopen_after_{0};  // as the sink wants it; 0 = by backoff_
  Window window_;
  std::string host_state_;
  bool host_state_due_ = false;  // not yet handed over since begin()
  bool copying_ = false;
  bool discarding_ = false;  // between replay_needed() and restarted()
  bool unfinished_ = false;  // the sink has a FIRST piece without its LAST
  bool dirty_ = false;       // accepted something that is not durable
  base::Lsn reported_ = 0;   // the last position that the sink itself called durable
  base::Lsn floor_ = 0;      // transactions that commit before it are durable, and so reported
  base::Lsn accepted_ = 0;   // the end of the last one that was accepted whole
  base::Lsn opened_at_ =
      0;                   // what the last open reported, whether the sink keeps a position or not
  base::Lsn offered_ = 0;  // the highest position that the sink was ever given
  std::uint64_t restarts_seen_ = 0;
  Clock::time_point dirty_since_{};
  Clock::time_point flush_not_before_{};
  std::set<std::pair<base::Lsn, std::uint64_t>> poisoned_;  // left out: on_poison = "skip"
  std::vector<const walspout_change*> without_poison_;

  std::thread thread_;
};

}  // namespace walspout::sink
