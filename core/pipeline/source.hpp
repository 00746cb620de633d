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

namespace walspout {

// What is known of the source for the life of the process.
struct Source {
  std::string slot;  // the configured one, or the random one of a temporary slot
  postgres::SystemIdentity identity;
  std::chrono::milliseconds wal_sender_timeout{60'000};
  base::Lsn slot_start = 0;  // what the slot has confirmed, or its consistent point
};

// A slot's exported snapshot; as long as the exporter lives and runs nothing.
struct Snapshot {
  base::Lsn point = 0;
  std::string name;
  std::unique_ptr<postgres::Connection> exporter;
};

// Both connections of a session, made together.
struct Connections {
  std::unique_ptr<postgres::Connection> ordinary;
  std::unique_ptr<postgres::Connection> replication;
};

Connections connect(const config::Config& config, const postgres::Interrupt& interrupt);
std::unique_ptr<postgres::Connection> connect_ordinary(const config::Config& config,
                                                       const postgres::Interrupt& interrupt);

// A snapshot of its own, through a temporary slot.
Snapshot fresh_snapshot(const config::Config& config, const postgres::Interrupt& interrupt);

struct Start {
  Source source;
  std::optional<Snapshot> snapshot;  // of the slot, when it was created just now for copies
  Connections connections;           // replication is empty when it holds the snapshot or the slot
  std::vector<std::size_t> copies;   // sinks to be copied to
  std::vector<base::Lsn> begins;     // per sink; for those in copies the slot's
};

// Publication, slot and each sink's place. Throws postgres::Refused when a sink may not go on.
Start start_source(const config::Config& config, Sinks& sinks,
                   const postgres::Interrupt& interrupt);

// At a later connection: the same cluster, and the slot still there. Throws postgres::Refused.
void check_source(Connections& connections, const Source& source, base::Lsn confirmed,
                  const postgres::Interrupt& interrupt);

}  // namespace walspout
