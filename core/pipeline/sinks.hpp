// All sinks of a pipeline: their plugins, settings and runners, and what the runners report.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/lsn.hpp"
#include "base/raw_option.hpp"
#include "base/wake.hpp"
#include "config/config.hpp"
#include "progress/progress.hpp"
#include "progress/state_store.hpp"
#include "route/router.hpp"
#include "sink/plugin.hpp"
#include "sink/runner.hpp"
#include "sink/settings.hpp"

namespace walspout {

// A sink has failed: the pipeline ends.
struct SinkFailed {};

// A sink as configured, its plugin loaded and its settings checked; nothing is open yet.
struct PreparedSink {
  const config::Sink* config;
  const sink::Plugin* plugin;
  sink::ResolvedSettings settings;
  std::uint32_t operations;  // route::Operation bits that it gets
  bool wants_copy;           // snapshot = "initial", and the plugin can
};

// Loads every plugin and checks every setting; all mistakes are in problems.
std::vector<PreparedSink> prepare_sinks(const config::Config& config, base::Problems& problems);

class Sinks : public sink::RunnerListener {
 public:
  // Everything must outlive it. wake is rung when something has happened.
  Sinks(const config::Config& config, std::vector<PreparedSink> prepared,
        progress::StateStore& store, progress::Progress& progress, base::Wake& wake);

  std::size_t size() const { return entries_.size(); }
  sink::Runner& runner(std::size_t i) { return *entries_[i].runner; }
  const sink::Runner& runner(std::size_t i) const { return *entries_[i].runner; }
  const std::string& name(std::size_t i) const { return entries_[i].runner->name(); }
  bool wants_copy(std::size_t i) const { return entries_[i].prepared.wants_copy; }
  std::uint64_t caps(std::size_t i) const;
  std::uint64_t takes(std::size_t i) const;
  std::vector<route::Rules> rules() const;

  void start();
  bool all_open() const;
  // The first failure of a sink, if any.
  std::optional<sink::Runner::Failure> failure() const;

  // What a sink has stored: its own position, or the one that is stored for it here.
  sink::Runner::Opened stored(std::size_t i) const;
  // The newest version of the host's state that the sink has stored; 0 = none of this process.
  std::uint64_t stored_state(std::size_t i) const { return entries_[i].stored_state->load(); }
  // Kept over a start of the host. Threads: any. Each returns what there is to tell of it; nothing
  // when there is no sink of this name.
  std::optional<std::string> pause(const std::string& name);
  std::optional<std::string> resume(const std::string& name);
  // The first that is paused, if any.
  std::optional<std::size_t> paused() const;

  base::Lsn durable_position(std::size_t i) const { return progress_.durable(i); }

  struct Replay {
    std::size_t sink;
    base::Lsn position;
    std::uint64_t restarts_seen;  // by its runner when it asked
  };
  // The reader's thread. A request that a later restarted() has answered already does not count.
  bool replay_pending() const;
  // Requests since the last call.
  std::vector<Replay> take_replays();

  // A copy that a sink cannot take. Those since the last call.
  struct CopyFailure {
    std::size_t sink;
    std::uint64_t copy_id;
    std::string text;
  };
  std::vector<CopyFailure> take_copy_failures();

  // RunnerListener
  void durable(std::size_t sink, base::Lsn position, const sink::HostStateVersion& state) override;
  void copy_failed(std::size_t sink, std::uint64_t copy_id, const std::string& why) override;
  void replay_needed(std::size_t sink, base::Lsn position) override;
  void changed(std::size_t sink) override;

 private:
  bool stale(const Replay& replay) const;
  sink::Runner* find(const std::string& name) const;

  struct Entry {
    PreparedSink prepared;
    std::unique_ptr<sink::Runner> runner;
    std::unique_ptr<std::atomic<std::uint64_t>> stored_state;
  };

  progress::StateStore& store_;
  progress::Progress& progress_;
  base::Wake& wake_;
  const std::string file_;  // the configuration's
  std::mutex pausing_;      // what is stored of a sink and what its runner does change together
  mutable std::mutex mutex_;
  std::vector<Replay> replays_;
  std::vector<CopyFailure> copy_failures_;
  std::vector<Entry> entries_;  // last: the runners' threads end before the rest goes
};

}  // namespace walspout
