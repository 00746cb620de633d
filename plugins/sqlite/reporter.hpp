// What the plugin tells the host: log lines and counters.
#pragma once

#include <walspout/abi.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "names.hpp"

namespace walspout::sqlite {

class Reporter {
 public:
  explicit Reporter(const walspout_host* host) : host_(host) {}

  void info(std::string_view text) const { log(WALSPOUT_INFO, text); }
  void warn(std::string_view text) const { log(WALSPOUT_WARN, text); }

  // Counts a change that found the mirror out of step. The first of each table is logged, then the
  // 10th, 100th, ...: a table that is far out of step must not flood the log.
  void unmatched(const std::string& table, std::string_view what) {
    host_->count(host_->ctx, "unmatched_changes", 1);
    const uint64_t n = ++unmatched_[table];
    uint64_t power = 1;
    while (power < n) power *= 10;
    if (power != n) return;
    warn(table + ": " + std::string(what) + " (" + std::to_string(n) +
         " so far); the mirror is out of step with the source: walspout resync FILE " + table);
  }

 private:
  void log(int level, std::string_view text) const {
    const std::string line = printable(text);
    host_->log(host_->ctx, level, line.data(), line.size());
  }
  const walspout_host* host_;
  std::unordered_map<std::string, uint64_t> unmatched_;
};

}  // namespace walspout::sqlite
