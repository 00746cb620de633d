#include "sink/host_functions.hpp"

#include <chrono>
#include <utility>

#include "log/log.hpp"

namespace walspout::sink {
namespace {

HostFunctions& self(void* ctx) { return *static_cast<HostFunctions*>(ctx); }

log::Level to_level(std::int32_t level) {
  switch (level) {
    case WALSPOUT_TRACE:
      return log::Level::kTrace;
    case WALSPOUT_DEBUG:
      return log::Level::kDebug;
    case WALSPOUT_INFO:
      return log::Level::kInfo;
    case WALSPOUT_WARN:
      return log::Level::kWarn;
    default:
      return log::Level::kError;
  }
}

}  // namespace

HostFunctions::HostFunctions(std::string sink, std::function<void()> on_wake)
    : abi_{}, sink_(std::move(sink)), on_wake_(std::move(on_wake)) {
  abi_.struct_size = sizeof abi_;
  abi_.ctx = this;
  abi_.version = WALSPOUT_VERSION;
  abi_.log = log;
  abi_.log_enabled = log_enabled;
  abi_.count = count;
  abi_.gauge = gauge;
  abi_.now_us = now_us;
  abi_.wait_ms = wait_ms;
  abi_.durable = durable;
  abi_.wake = wake;
}

void HostFunctions::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
}

bool HostFunctions::stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

bool HostFunctions::wait(std::uint32_t ms) {
  std::unique_lock lock(mutex_);
  return !stopped_.wait_for(lock, std::chrono::milliseconds(ms), [this] { return stopping_; });
}

std::map<std::string, double> HostFunctions::metrics() const {
  const std::lock_guard lock(mutex_);
  return metrics_;
}

void HostFunctions::log(void* ctx, std::int32_t level, const char* text, std::size_t size) {
  log::write(to_level(level), "sink " + self(ctx).sink_ + ": " + std::string(text, size));
}

std::int32_t HostFunctions::log_enabled(void*, std::int32_t level) {
  return log::enabled(to_level(level)) ? 1 : 0;
}

void HostFunctions::count(void* ctx, const char* name, std::int64_t add) {
  const std::lock_guard lock(self(ctx).mutex_);
  self(ctx).metrics_[name] += static_cast<double>(add);
}

void HostFunctions::gauge(void* ctx, const char* name, double value) {
  const std::lock_guard lock(self(ctx).mutex_);
  self(ctx).metrics_[name] = value;
}

std::int64_t HostFunctions::now_us(void*) {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int32_t HostFunctions::wait_ms(void* ctx, std::uint32_t ms) {
  return self(ctx).wait(ms) ? 1 : 0;
}

// What a sink made durable by itself is taken at its next flush, which has to confirm it anyway:
// the flush is only asked for sooner.
void HostFunctions::durable(void* ctx, walspout_lsn) { self(ctx).on_wake_(); }

void HostFunctions::wake(void* ctx) { self(ctx).on_wake_(); }

}  // namespace walspout::sink
