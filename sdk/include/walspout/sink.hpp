// walspout/sink.hpp - write a sink in C++20: derive from walspout::Sink, then WALSPOUT_PLUGIN(...).
//
//   class Count : public walspout::Sink {
//    public:
//     explicit Count(const walspout::Context& ctx) : log_(ctx.log()) {}
//     void write(const walspout::Batch& batch) override {
//       for (walspout::Change change : batch) seen_ += change.op() == WALSPOUT_INSERT;
//     }
//     void flush() override { log_(WALSPOUT_INFO, std::to_string(seen_) + " rows"); }
//
//    private:
//     walspout::Log log_;
//     long seen_ = 0;
//   };
//   WALSPOUT_PLUGIN(Count, "count", "1.0", "Counts inserted rows.", 0, WALSPOUT_TAKES_NO_KEY)
//
// Header-only, and compiled into the plugin: nothing here is part of the ABI. What the calls
// promise is in walspout/abi.h; the sdk's README.md is the manual.
#pragma once

#include <string_view>

#include <walspout/abi.h>
#include <walspout/change.hpp>
#include <walspout/context.hpp>
#include <walspout/error.hpp>

namespace walspout {

// One sink, from open (the constructor) to close (the destructor, which does not flush). All calls
// come one at a time on one thread. Errors are thrown: see walspout/error.hpp.
//
// The constructor takes a const Context&; it connects, and creates what is missing. A class may
// have a `static void check(const Context&)` too, which `walspout check` calls: it looks at the
// settings and the target, changes nothing and throws what it finds. With WALSPOUT_CAP_READ_BACK it
// has a `static constexpr const walspout_reader_calls* reader()` as well.
class Sink {
 public:
  virtual ~Sink() = default;

  // Takes the changes: all of them, or none and an exception. Need not make them durable.
  virtual void write(const Batch& batch) = 0;

  // Makes all durable that was written up to the last whole transaction: once it returns, that is
  // confirmed to PostgreSQL and will never be sent again.
  virtual void flush() = 0;

  // Asked after flush: how far it got, when the last whole transaction that was written ends at
  // accepted. A sink that takes its time answers with less and is flushed again soon. Rows of a
  // copy have no position: a flush makes all of them durable that came before it.
  virtual Lsn durable(Lsn accepted) { return accepted; }

  // Forgets the unfinished transaction, if there is one: it will come again or never.
  virtual void abort() {}

  // With WALSPOUT_CAP_POSITION, read once after the constructor: the last durable position, and the
  // host's state as it was persisted with it (valid as long as the sink lives).
  virtual Lsn position() { return 0; }
  virtual std::string_view host_state() { return {}; }
};

}  // namespace walspout

#include <walspout/entry.hpp>  // needs Sink whole

// WALSPOUT_PLUGIN(Class, "name", "version", "summary", caps, takes, {option}, {option}, ...): the
// entry symbol. caps and takes are WALSPOUT_CAP_... and WALSPOUT_TAKES_...; an option is
// {"name", type, flags, default or nullptr, "one sentence"}, see walspout_option.
#define WALSPOUT_PLUGIN(T, NAME, VERSION, SUMMARY, CAPS, TAKES, ...)           \
  extern "C" WALSPOUT_EXPORT const walspout_plugin* walspout_plugin_v1(void) { \
    static const walspout_option options[] = {__VA_ARGS__ __VA_OPT__(, ){}};   \
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
                                           E::check,                           \
                                           E::reader(),                        \
                                           E::close};                          \
    return &plugin;                                                            \
  }
