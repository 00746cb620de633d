// walspout/sink.hpp - write a sink in C++20: derive from walspout::Sink, then WALSPOUT_PLUGIN(...).
// Header-only, and compiled into the plugin: nothing here is part of the ABI.
#pragma once

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <walspout/abi.h>

namespace walspout {

using Lsn = walspout_lsn;

inline std::string_view view(walspout_str s) { return {s.data, s.size}; }

// Thrown by a sink; becomes a status and a message at the boundary.
struct Error : std::runtime_error {
  Error(walspout_status s, const std::string& what) : std::runtime_error(what), status(s) {}
  walspout_status status;
  Lsn commit_lsn = 0;  // with Poison: which change
  uint64_t ordinal = 0;
};
struct Retry : Error {
  explicit Retry(const std::string& what) : Error(WALSPOUT_RETRY, what) {}
};
struct Reopen : Error {
  explicit Reopen(const std::string& what) : Error(WALSPOUT_REOPEN, what) {}
};
struct BadConfig : Error {
  explicit BadConfig(const std::string& what) : Error(WALSPOUT_CONFIG, what) {}
};

struct Poison : Error {
  Poison(const walspout_txn& txn, const walspout_change& change, const std::string& what)
      : Error(WALSPOUT_POISON, what) {
    commit_lsn = txn.commit_lsn;
    ordinal = change.ordinal;
  }
};

class Value {
 public:
  explicit Value(const walspout_value& v) : v_(&v) {}
  bool null() const { return v_->state == WALSPOUT_NULL; }
  bool unchanged() const { return v_->state == WALSPOUT_UNCHANGED; }
  bool absent() const { return v_->state == WALSPOUT_ABSENT; }
  bool binary() const { return v_->state == WALSPOUT_BINARY; }
  uint8_t state() const { return v_->state; }
  std::string_view text() const { return {static_cast<const char*>(v_->data), v_->size}; }

 private:
  const walspout_value* v_;
};

class Change {
 public:
  explicit Change(const walspout_change& c) : c_(&c) {}
  int op() const { return c_->op; }
  uint64_t ordinal() const { return c_->ordinal; }
  std::string_view schema() const { return view(c_->relation->schema); }
  std::string_view table() const { return view(c_->relation->name); }
  const walspout_relation& relation() const { return *c_->relation; }
  const walspout_change& raw() const { return *c_; }
  bool has_old() const { return c_->old_row != nullptr; }
  bool has_new() const { return c_->new_row != nullptr; }
  bool old_is_full() const { return (c_->flags & WALSPOUT_OLD_FULL) != 0; }
  Value old_value(uint32_t column) const { return Value(c_->old_row[column]); }
  Value new_value(uint32_t column) const { return Value(c_->new_row[column]); }

  // Calls f(const walspout_column&, Value) for each column of the row; does nothing if there is no
  // row.
  template <class F>
  void each_new(F&& f) const {
    each(c_->new_row, f);
  }
  template <class F>
  void each_old(F&& f) const {
    each(c_->old_row, f);
  }

 private:
  template <class F>
  void each(const walspout_value* row, F& f) const {
    for (uint32_t i = 0; row != nullptr && i < c_->relation->column_count; ++i)
      f(*c_->relation->columns[i], Value(row[i]));
  }
  const walspout_change* c_;
};

// A range of Change, and the transaction it belongs to.
class Batch {
 public:
  explicit Batch(const walspout_batch& b) : b_(&b) {}
  const walspout_txn& txn() const { return *b_->txn; }
  bool first() const { return (b_->flags & WALSPOUT_FIRST) != 0; }
  bool last() const { return (b_->flags & WALSPOUT_LAST) != 0; }

  struct Iterator {
    const walspout_change* const* p;
    Change operator*() const { return Change(**p); }
    Iterator& operator++() {
      ++p;
      return *this;
    }
    bool operator==(const Iterator&) const = default;
  };
  Iterator begin() const { return {b_->changes}; }
  Iterator end() const { return {b_->changes + b_->change_count}; }

 private:
  const walspout_batch* b_;
};

// Writes to the host's log. Copyable; valid until the sink is destroyed. Threads: any.
class Log {
 public:
  explicit Log(const walspout_host* host) : host_(host) {}
  void operator()(int level, std::string_view text) const {
    host_->log(host_->ctx, level, text.data(), text.size());
  }
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
  std::string_view pipeline() const { return a_->pipeline; }
  std::string_view sink() const { return a_->sink; }
  std::string_view state_dir() const { return a_->state_dir; }
  const walspout_host& host() const { return *a_->host; }  // valid until the sink is destroyed
  Log log() const { return Log(a_->host); }

  std::optional<std::string> string(std::string_view name) const {
    const walspout_setting* s = find(name);
    return s == nullptr ? std::nullopt : std::optional(std::string(view(s->string)));
  }
  // bool, int, duration (milliseconds) and size (bytes)
  std::optional<int64_t> integer(std::string_view name) const {
    const walspout_setting* s = find(name);
    return s == nullptr ? std::nullopt : std::optional(s->integer);
  }
  bool boolean(std::string_view name) const { return integer(name).value_or(0) != 0; }
  std::vector<std::string> list(std::string_view name) const {
    std::vector<std::string> values;
    for (const auto& s : std::span(a_->settings, a_->setting_count))
      if (view(s.name) == name) values.emplace_back(view(s.string));
    return values;
  }

 private:
  const walspout_setting* find(std::string_view name) const {
    for (const auto& s : std::span(a_->settings, a_->setting_count))
      if (view(s.name) == name) return &s;
    return nullptr;
  }
  const walspout_open_args* a_;
};

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(const Batch& batch) = 0;
  virtual void
  flush() = 0;  // make all that was written durable: what returns is confirmed to PostgreSQL
  virtual void abort() {}  // forget the unfinished transaction: it will come again or never
  // With WALSPOUT_CAP_POSITION, read once after the constructor: the last durable position, and the
  // host's state as it was persisted with it (valid as long as the sink lives).
  virtual Lsn position() { return 0; }
  virtual std::string_view host_state() { return {}; }
};

namespace detail {

struct Slot {
  std::unique_ptr<Sink> impl;
  Lsn accepted = 0;
};

template <class F>
walspout_status guard(walspout_error* error, F&& f) noexcept {
  auto fail = [error](walspout_status status, const char* what) {
    std::snprintf(error->message, sizeof error->message, "%s", what);
    return status;
  };
  try {
    f();
    return WALSPOUT_OK;
  } catch (const Error& e) {
    error->commit_lsn = e.commit_lsn;
    error->ordinal = e.ordinal;
    return fail(e.status, e.what());
  } catch (const std::exception& e) {
    return fail(WALSPOUT_REOPEN, e.what());
  } catch (...) {
    return fail(WALSPOUT_REOPEN, "unknown exception");
  }
}

template <class T>
struct Entry {
  static Slot* slot(walspout_instance* s) { return reinterpret_cast<Slot*>(s); }

  static walspout_status open(const walspout_open_args* args, walspout_open_reply* reply,
                              walspout_error* error) {
    return guard(error, [&] {
      auto s = std::make_unique<Slot>();
      s->impl = std::make_unique<T>(Context(*args));
      reply->position = s->accepted = s->impl->position();
      const std::string_view state = s->impl->host_state();
      reply->host_state = {state.data(), state.size()};
      reply->self = reinterpret_cast<walspout_instance*>(s.release());
    });
  }
  static walspout_status write(walspout_instance* s, const walspout_batch* batch,
                               walspout_error* error) {
    return guard(error, [&] {
      slot(s)->impl->write(Batch(*batch));
      if ((batch->flags & WALSPOUT_LAST) != 0 && batch->txn->position != 0)
        slot(s)->accepted = batch->txn->position;
    });
  }
  static walspout_status flush(walspout_instance* s, walspout_lsn* durable, walspout_error* error) {
    return guard(error, [&] {
      slot(s)->impl->flush();
      *durable = slot(s)->accepted;
    });
  }
  static walspout_status abort(walspout_instance* s, walspout_error* error) {
    return guard(error, [&] { slot(s)->impl->abort(); });
  }
  static void close(walspout_instance* s) { delete slot(s); }
};

template <size_t N>
constexpr uint32_t count(const walspout_option (&)[N]) {
  return N;
}

}  // namespace detail
}  // namespace walspout

// WALSPOUT_PLUGIN(Class, "name", "version", "summary", caps, takes, {option}, {option}, ...);
#define WALSPOUT_PLUGIN(T, NAME, VERSION, SUMMARY, CAPS, TAKES, ...)           \
  extern "C" WALSPOUT_EXPORT const walspout_plugin* walspout_plugin_v1(void) { \
    static const walspout_option options[] = {__VA_ARGS__};                    \
    using E = ::walspout::detail::Entry<T>;                                    \
    static const walspout_plugin plugin = {sizeof(walspout_plugin),            \
                                           WALSPOUT_ABI_MAJOR,                 \
                                           WALSPOUT_ABI_MINOR,                 \
                                           NAME,                               \
                                           VERSION,                            \
                                           SUMMARY,                            \
                                           CAPS,                               \
                                           TAKES,                              \
                                           ::walspout::detail::count(options), \
                                           0,                                  \
                                           options,                            \
                                           E::open,                            \
                                           E::write,                           \
                                           E::flush,                           \
                                           E::abort,                           \
                                           nullptr,                            \
                                           nullptr,                            \
                                           E::close};                          \
    return &plugin;                                                            \
  }
