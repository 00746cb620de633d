// walspout/context.hpp - what a sink gets when it is opened; included by walspout/sink.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <walspout/abi.h>
#include <walspout/change.hpp>

namespace walspout {

// Writes to the host's log. Copyable; valid until the sink is destroyed. Threads: any.
class Log {
 public:
  explicit Log(const walspout_host* host) : host_(host) {}
  // level: WALSPOUT_TRACE ... WALSPOUT_ERROR. One line, no secret.
  void operator()(int level, std::string_view text) const {
    host_->log(host_->ctx, level, text.data(), text.size());
  }
  // Whether a line of this level is kept: ask before building a costly one.
  bool enabled(int level) const { return host_->log_enabled(host_->ctx, level) != 0; }

 private:
  const walspout_host* host_;
};

// What the host hands to a sink's constructor; the views are valid in the constructor only. The
// host has checked the settings against the plugin's options already: types are right, required
// ones are there, defaults are filled in.
class Context {
 public:
  explicit Context(const walspout_open_args& a) : a_(&a) {}
  std::string_view pipeline() const { return a_->pipeline; }  // [host] name and
  std::string_view sink() const { return a_->sink; }          // [[sink]] name: a position's key
  std::string_view state_dir() const {
    return a_->state_dir;
  }                                                        // the sink's own, kept over restarts
  const walspout_host& host() const { return *a_->host; }  // valid until the sink is destroyed
  Log log() const { return Log(a_->host); }

  // An option that is not set and has no default: nullopt, false, an empty list.
  std::optional<std::string> string(std::string_view name) const {
    const walspout_setting* s = find(name);
    return s == nullptr ? std::nullopt : std::optional(std::string(view(s->string)));
  }
  // Of INT; of DURATION_MS in milliseconds; of BYTES in bytes.
  std::optional<std::int64_t> integer(std::string_view name) const {
    const walspout_setting* s = find(name);
    return s == nullptr ? std::nullopt : std::optional(s->integer);
  }
  std::optional<double> number(std::string_view name) const {
    const walspout_setting* s = find(name);
    return s == nullptr ? std::nullopt : std::optional(s->number);
  }
  bool boolean(std::string_view name) const { return integer(name).value_or(0) != 0; }
  // Of an option with WALSPOUT_LIST, in order.
  std::vector<std::string> list(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& s : settings())
      if (view(s.name) == name) values.emplace_back(view(s.string));
    return values;
  }
  // Of an option with WALSPOUT_TABLE: the keys within it, and their values.
  std::vector<std::pair<std::string, std::string>> table(std::string_view name) const {
    std::vector<std::pair<std::string, std::string>> entries;
    for (const auto& s : settings()) {
      const std::string_view full = view(s.name);
      if (full.size() > name.size() && full.starts_with(name) && full[name.size()] == '.')
        entries.emplace_back(full.substr(name.size() + 1), view(s.string));
    }
    return entries;
  }

 private:
  std::span<const walspout_setting> settings() const { return {a_->settings, a_->setting_count}; }
  const walspout_setting* find(std::string_view name) const {
    for (const auto& s : settings())
      if (view(s.name) == name) return &s;
    return nullptr;
  }
  const walspout_open_args* a_;
};

}  // namespace walspout
