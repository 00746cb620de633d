// walspout/error.hpp - what a sink throws; included by walspout/sink.hpp.
//
// Each becomes a status at the plugin boundary, with what() as its message: one line that says what
// happened, where, and what to do, and never a secret. Line ends in it become blanks. Any other
// exception that leaves a sink counts as Reopen.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include <walspout/abi.h>

namespace walspout {

using Lsn = walspout_lsn;

// The base; throw one of those below.
struct Error : std::runtime_error {
  Error(walspout_status s, const std::string& what) : std::runtime_error(what), status(s) {}
  walspout_status status;
  Lsn commit_lsn = 0;  // with Poison: which change
  std::uint64_t ordinal = 0;
  std::uint64_t copy_id = 0;         // with Poison: not 0 for a row of this copy
  std::uint32_t retry_after_ms = 0;  // with Retry and Reopen; 0 = the host's own backoff
};

// The target is not there just now. The sink is as it was before the call, and has taken nothing of
// it: the host waits and makes the same call again.
struct Retry : Error {
  explicit Retry(const std::string& what, std::uint32_t after_ms = 0)
      : Error(WALSPOUT_RETRY, what) {
    retry_after_ms = after_ms;
  }
};

// What was accepted since the last flush may be lost, or the sink does not know its own state any
// more: the host closes it, opens it anew and sends everything after the durable position again.
struct Reopen : Error {
  explicit Reopen(const std::string& what) : Error(WALSPOUT_REOPEN, what) {}
};

// The settings or the target are wrong, and only a person can mend them.
struct BadConfig : Error {
  explicit BadConfig(const std::string& what) : Error(WALSPOUT_CONFIG, what) {}
};

// This change can never be applied. From write: nothing of the call was taken. From flush: as
// Reopen, and the change is named.
struct Poison : Error {
  Poison(const walspout_txn& txn, const walspout_change& change, const std::string& what)
      : Poison(txn.commit_lsn, change.ordinal, what) {}
  Poison(Lsn lsn, std::uint64_t change_ordinal, const std::string& what)
      : Error(WALSPOUT_POISON, what) {
    commit_lsn = lsn;
    ordinal = change_ordinal;
  }
};

// The whole pipeline must stop.
struct Fatal : Error {
  explicit Fatal(const std::string& what) : Error(WALSPOUT_FATAL, what) {}
};

}  // namespace walspout
