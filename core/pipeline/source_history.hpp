// Tells a source whose log has another past than the one that was mirrored, though its positions,
// its timeline and its slot look right: the data directory was put back to an earlier moment, and
// has grown since.
//
// A server sends what was not confirmed again, and always the same. So the newest transaction that
// was received is remembered, with the position up to which no other came after it; a stream that
// starts before it has to bring it, and nothing else up to there. What was confirmed before the
// backup was made, or after the newest note, is not looked at.
//
// Threads: one, the reader.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>

#include "config/config.hpp"
#include "pipeline/source.hpp"
#include "progress/state_store.hpp"
#include "transaction/chunk.hpp"

namespace walspout {

class SourceHistory {
 public:
  SourceHistory(const config::Config& config, progress::StateStore& store);

  // fresh: no sink goes on from before. What was noted counts for the same timeline of the same
  // cluster, the same slot and publication.
  void begin(const Source& source, bool fresh);
  // Where the stream is to start that the sinks want from this position on: earlier, where the slot
  // has not confirmed what can be compared.
  base::Lsn start(base::Lsn wanted, base::Lsn slot_confirmed) const;
  // A stream starts here.
  void connected(base::Lsn start);
  // What may be confirmed: not what another history could not bring again, until it is compared.
  base::Lsn may_confirm(base::Lsn position) const {
    return passed_ ? position : std::min(position, start_);
  }
  // A position that the stream has to pass for that; 0 = none.
  base::Lsn awaited() const { return passed_ ? 0 : mark_.complete_to; }
  // Before a chunk of the stream is handed on. Throws SlotLost.
  void meet(const transaction::Chunk& chunk);
  // Everything up to here has come. Throws SlotLost.
  void reached(base::Lsn position);
  // Notes on disk where the stream is, at most every two seconds, or now.
  void note(std::chrono::steady_clock::time_point now);
  void note_now();

 private:
  void check(const walspout_txn& txn);
  [[noreturn]] void differs(const std::string& how) const;
  std::string known() const;

  const config::Config& config_;
  progress::StateStore& store_;
  progress::Landmark mark_;
  base::Lsn start_ = 0;
  bool passed_ = true;  // what comes now is new
  bool gap_ = false;    // between complete_to and the start others may have come, in no note
  bool seen_ = true;    // mark_'s transaction has come, or lies before the start
  bool changed_ = false;
  std::chrono::steady_clock::time_point noted_{};
};

}  // namespace walspout
