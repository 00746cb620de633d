// walspout/entry.hpp - from the C contract to a class derived from walspout::Sink; what
// WALSPOUT_PLUGIN in walspout/sink.hpp is made of. No exception leaves these functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include <walspout/abi.h>
#include <walspout/context.hpp>
#include <walspout/error.hpp>
#include <walspout/sink.hpp>

namespace walspout::detail {

struct Slot {
  std::unique_ptr<Sink> impl;
  Lsn accepted = 0;  // the position of the last whole transaction that write has taken
};

inline walspout_status fail(walspout_error* error, walspout_status status, const char* what) {
  std::snprintf(error->message, sizeof error->message, "%s", what);
  for (char* p = error->message; *p != '\0'; ++p)
    if (*p == '\n' || *p == '\r') *p = ' ';
  return status;
}

// Runs f; an exception becomes a status and one line of text.
template <class F>
walspout_status guard(walspout_error* error, F&& f) noexcept {
  try {
    f();
    return WALSPOUT_OK;
  } catch (const Error& e) {
    error->commit_lsn = e.commit_lsn;
    error->ordinal = e.ordinal;
    if (WALSPOUT_HAS(error, copy_id)) error->copy_id = e.copy_id;
    error->retry_after_ms = e.retry_after_ms;
    return fail(error, e.status, e.what());
  } catch (const std::exception& e) {
    return fail(error, WALSPOUT_REOPEN, e.what());
  } catch (...) {
    return fail(error, WALSPOUT_REOPEN, "the sink threw something that is no std::exception");
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
      *durable = slot(s)->impl->durable(slot(s)->accepted);
    });
  }
  static walspout_status abort(walspout_instance* s, walspout_error* error) {
    return guard(error, [&] { slot(s)->impl->abort(); });
  }
  static walspout_status check(const walspout_open_args* args, walspout_error* error) {
    return guard(error, [&] {
      if constexpr (requires(const Context& c) { T::check(c); }) T::check(Context(*args));
    });
  }
  static constexpr const walspout_reader_calls* reader() {
    if constexpr (requires { T::reader(); })
      return T::reader();
    else
      return nullptr;
  }
  static void close(walspout_instance* s) { delete slot(s); }
};

// The last entry is an empty one, so that a plugin without options has an array as well.
template <std::size_t N>
constexpr std::uint32_t count(const walspout_option (&)[N]) {
  return N - 1;
}

}  // namespace walspout::detail
