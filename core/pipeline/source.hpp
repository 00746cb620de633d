// The source's side of a start: connections, publication, slot, and where each sink goes on from.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/lsn.hpp"
#include "config/config.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/sinks.hpp"
#include "postgres/connection.hpp"
#include "postgres/identify.hpp"
#include "postgres/slot.hpp"
#include "progress/host_state.hpp"

namespace walspout {

// What is known of the source for the life of the process.
struct Source {
  std::string slot;  // the configured one, or the random one of a temporary slot
  postgres::SystemIdentity identity;
  bool standby = false;  // its timeline may change without a new connection
  std::chrono::milliseconds wal_sender_timeout{60'000};
  base::Lsn slot_start = 0;  // what the slot has confirmed, or its consistent point

  std::uint32_t timeline() const { return standby ? 0 : identity.timeline; }  // 0 = not known
};

// The slot is of no use any more: lost, gone, moved, or one of another source. What was missed can
// only be made good by copying everything anew.
struct SlotLost : postgres::Refused {
  using postgres::Refused::Refused;
};

// Both connections of a session, made together.
struct Connections {
  std::unique_ptr<postgres::Connection> ordinary;
  std::unique_ptr<postgres::Connection> replication;
};

Connections connect(const config::Config& config, const postgres::Interrupt& interrupt);
std::unique_ptr<postgres::Connection> connect_ordinary(const config::Config& config,
                                                       const postgres::Interrupt& interrupt);

// For messages: "walspout resync FILE, without table names, copies everything anew".
std::string resync_all(const config::Config& config);

// Where one sink goes on.
struct SinkStart {
  base::Lsn begin = 0;
  progress::HostState state;
};

struct Start {
  Source source;
  Connections connections;
  std::vector<SinkStart> sinks;
  bool fresh = true;  // no sink goes on from what it has stored
};

// Whether everything is copied anew, from a new slot: where a sink cannot go on only if an
// operator, or on_slot_lost, says so; and after the slot was lost under way in any case, as what
// the sinks have got in the meantime is not looked at again.
enum class Anew { kNever, kMay, kMust };

// Publication, slot and each sink's place. Throws SlotLost when a sink cannot go on and nothing may
// be copied anew, and postgres::Refused.
Start start_source(const config::Config& config, Sinks& sinks, Anew anew,
                   const postgres::Interrupt& interrupt);

// At a later connection: the same cluster with the same history up to `reached`, the highest
// position that a sink was given, and the slot still there. True if the timeline is another one by
// now, which `source` says then. Throws SlotLost and postgres::Refused.
bool check_source(const config::Config& config, Connections& connections, Source& source,
                  base::Lsn confirmed, base::Lsn reached, const postgres::Interrupt& interrupt);

}  // namespace walspout
