// A sink whose every answer is scripted, and a fixture that drives one runner with it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "feed.hpp"
#include "sink/runner.hpp"

namespace walspout::sink {

// What a call answers instead of WALSPOUT_OK.
struct Answer {
  walspout_status status = WALSPOUT_OK;
  std::string text = {};
  base::Lsn commit_lsn = 0;  // WALSPOUT_POISON
  std::uint64_t ordinal = 0;
  std::optional<base::Lsn> durable = {};    // flush: instead of all that was accepted
  std::function<void()> meanwhile = [] {};  // run within the call
  std::uint32_t retry_after_ms = 0;
  std::uint64_t copy_id = 0;  // WALSPOUT_POISON: a row of this copy
};

// The plugin's side. It remembers what it made durable over close and open, as a database would.
// One at a time. Calls come on the runner's thread, the rest on the test's.
class FakePlugin {
 public:
  explicit FakePlugin(std::uint64_t caps);
  ~FakePlugin();

  walspout_plugin descriptor{};

  // The next call of this name ("open", "write", "flush", "abort") that has no answer yet.
  void answer(const std::string& call, Answer answer);
  void set_stored(base::Lsn position, std::string host_state = {});

  // Every call so far, as text: "open", "write first last 100..110 @110: 0 insert t (1, a)",
  // "flush 110", "abort", "close". A host state that came along stands behind the position.
  std::vector<std::string> calls() const;
  std::size_t count(const std::string& prefix) const;
  // Blocks until a call starts with the prefix for the n-th time.
  void wait_call(const std::string& prefix, std::size_t n = 1);
  // Forgets the calls so far.
  void clear();
  const walspout_host& host() const { return *host_; }

 private:
  static walspout_status open(const walspout_open_args* args, walspout_open_reply* reply,
                              walspout_error* error);
  static walspout_status write(walspout_instance* self, const walspout_batch* batch,
                               walspout_error* error);
  static walspout_status flush(walspout_instance* self, walspout_lsn* durable,
                               walspout_error* error);
  static walspout_status abort(walspout_instance* self, walspout_error* error);
  static void close(walspout_instance* self);

  Answer next(const std::string& call, const std::string& text, walspout_error* error);

  mutable std::mutex mutex_;
  std::condition_variable called_;
  std::map<std::string, std::deque<Answer>> answers_;
  std::vector<std::string> calls_;
  const walspout_host* host_ = nullptr;
  base::Lsn accepted_ = 0;
  base::Lsn stored_ = 0;
  std::string host_state_;
};

class Listener : public RunnerListener {
 public:
  void durable(std::size_t sink, base::Lsn position, const HostStateVersion& state) override;
  void copy_failed(std::size_t sink, std::uint64_t copy_id, const std::string& why) override;
  void replay_needed(std::size_t sink, base::Lsn position) override;
  void changed(std::size_t) override {}

  std::vector<base::Lsn> durables() const;
  std::vector<base::Lsn> replays() const;
  std::uint64_t stored_state() const;              // the number of the last one that is durable
  std::vector<std::string> failed_copies() const;  // "7: why"
  void wait_failed_copy();
  // Blocks until durable() said so much, or replay_needed() came for the n-th time.
  void wait_durable(base::Lsn position);
  void wait_replay(std::size_t n = 1);

  std::function<void(base::Lsn)> on_durable = [](base::Lsn) {};

 private:
  mutable std::mutex mutex_;
  std::condition_variable told_;
  std::vector<base::Lsn> durables_, replays_;
  std::uint64_t stored_state_ = 0;
  std::vector<std::string> failed_copies_;
};

inline constexpr std::uint64_t kKeepsPosition = WALSPOUT_CAP_POSITION;

class RunnerTest : public testing::Test {
 protected:
  RunnerTest();

  // Before the first use of runner().
  RunnerOptions options;
  std::unique_ptr<FakePlugin> plugin;
  void keep_position() { plugin->descriptor.caps |= kKeepsPosition; }
  void without_abort() { plugin->descriptor.abort = nullptr; }

  Runner& runner();
  // start() and begin(position), then the sink is open and the calls so far are forgotten.
  void start(base::Lsn position = 50);
  // Delivers what was fed since the last time, as one chunk.
  void deliver();
  // A transaction of one row per value, commit..commit+5.
  void transaction(base::Lsn commit, std::initializer_list<std::string> values = {"x"});
  void begin(base::Lsn commit);
  void row(std::string_view value = "x");
  void commit(base::Lsn commit);
  // Rows of a copy, as the copier sends them.
  void copy_rows(std::initializer_list<std::string> values, base::Lsn point = 500);

  // Ends the runner and gives the failure's text; empty when it finished in order.
  std::string end();
  std::string failure();  // waits for one

  transaction::Feed feed;
  Listener listener;

 private:
  std::unique_ptr<Runner> runner_;
};

}  // namespace walspout::sink
