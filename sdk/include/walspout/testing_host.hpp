// walspout/testing_host.hpp - a host without a pipeline, for tests; see walspout/testing.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <walspout/abi.h>

namespace walspout::testing {

// What the plugin did with the host's callbacks. Callbacks come from any thread: read the fields
// when the plugin's threads are still, or under mutex.
class FakeHost {
 public:
  FakeHost();
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  const walspout_host* get() const { return &host_; }
  // Whether any log line holds the text.
  bool logged(std::string_view text) const;

  std::mutex mutex;
  std::vector<std::pair<int, std::string>> lines;  // of the log: level and text
  std::map<std::string, std::int64_t> counters;
  std::map<std::string, double> gauges;
  std::vector<walspout_lsn> durable;  // reports without a flush
  int wakes = 0;
  std::uint64_t waited_ms = 0;             // in wait_ms, which returns at once
  std::int64_t now_us = 1769860800000000;  // moves with wait_ms
  bool stopping = false;

 private:
  walspout_host host_ = {};
};

inline FakeHost::FakeHost() {
  host_.struct_size = sizeof host_;
  host_.ctx = this;
  host_.version = "test";
  host_.log = [](void* ctx, std::int32_t level, const char* text, std::size_t size) {
    auto* self = static_cast<FakeHost*>(ctx);
    const std::lock_guard lock(self->mutex);
    self->lines.emplace_back(level, std::string(text, size));
  };
  host_.log_enabled = [](void*, std::int32_t) -> std::int32_t { return 1; };
  host_.count = [](void* ctx, const char* name, std::int64_t add) {
    auto* self = static_cast<FakeHost*>(ctx);
    const std::lock_guard lock(self->mutex);
    self->counters[name] += add;
  };
  host_.gauge = [](void* ctx, const char* name, double value) {
    auto* self = static_cast<FakeHost*>(ctx);
    const std::lock_guard lock(self->mutex);
    self->gauges[name] = value;
  };
  host_.now_us = [](void* ctx) {
    auto* self = static_cast<FakeHost*>(ctx);
    const std::lock_guard lock(self->mutex);
    return self->now_us;
  };
  host_.wait_ms = [](void* ctx, std::uint32_t ms) -> std::int32_t {
    auto* self = static_cast<FakeHost*>(ctx);
    const std::lock_guard lock(self->mutex);
    if (self->stopping) return 0;
    self->waited_ms += ms;
    self->now_us += std::int64_t{ms} * 1000;
    return 1;
  };
  host_.durable = [](void* ctx, walspout_lsn position) {
    auto* self = static_cast<FakeHost*>(ctx);
    const std::lock_guard lock(self->mutex);
    self->durable.push_back(position);
  };
  host_.wake = [](void* ctx) {
    auto* self = static_cast<FakeHost*>(ctx);
    const std::lock_guard lock(self->mutex);
    ++self->wakes;
  };
}

inline bool FakeHost::logged(std::string_view text) const {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const auto& line) { return line.second.find(text) != std::string::npos; });
}

}  // namespace walspout::testing
