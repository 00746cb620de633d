// The host as a sink sees it: the functions of walspout_host, for one sink.
#pragma once

#include <walspout/abi.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace walspout::sink {

class HostFunctions {
 public:
  // sink: its name, put before every line that it logs. on_wake and on_durable are called on
  // whatever thread the sink calls from.
  HostFunctions(std::string sink, std::function<void()> on_wake);
  HostFunctions(const HostFunctions&) = delete;
  HostFunctions& operator=(const HostFunctions&) = delete;

  const walspout_host& abi() const { return abi_; }

  // Makes waits return at once, now and from now on. Threads: any.
  void stop();
  bool stopping() const;
  // False when stopped before the time was over.
  bool wait(std::uint32_t ms);

  // What the sink has counted and set, by name. Threads: any.
  std::map<std::string, double> metrics() const;

 private:
  static void log(void* ctx, std::int32_t level, const char* text, std::size_t size);
  static std::int32_t log_enabled(void* ctx, std::int32_t level);
  static void count(void* ctx, const char* name, std::int64_t add);
  static void gauge(void* ctx, const char* name, double value);
  static std::int64_t now_us(void* ctx);
  static std::int32_t wait_ms(void* ctx, std::uint32_t ms);
  static void durable(void* ctx, walspout_lsn position);
  static void wake(void* ctx);

  walspout_host abi_;
  const std::string sink_;
  const std::function<void()> on_wake_;
  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  bool stopping_ = false;
  std::map<std::string, double> metrics_;
};

}  // namespace walspout::sink
