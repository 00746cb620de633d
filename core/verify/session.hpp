// The source at one position: a snapshot that a temporary slot exported, and the slot's stream from
// there on. Nothing stays at the server after it.
#pragma once

#include <walspout/abi.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/lsn.hpp"
#include "base/memory_budget.hpp"
#include "base/wake.hpp"
#include "config/config.hpp"
#include "pipeline/shape_resolver.hpp"
#include "postgres/connection.hpp"
#include "postgres/replication_stream.hpp"
#include "transaction/assembler.hpp"

namespace walspout::verify {

class Session {
 public:
  // Waits until every transaction that writes now has ended, and says on the log for whom. Throws
  // postgres::Refused when the publication is not there, and what connections throw.
  Session(const config::Config& config, const postgres::Interrupt& interrupt);

  // The snapshot sees what has committed before it, the stream brings what commits after it.
  base::Lsn point() const { return point_; }
  // In a transaction of the snapshot. What else it does is for whoever uses it to undo.
  postgres::Connection& snapshot() { return *snapshot_; }
  // A connection outside of the snapshot.
  postgres::Connection& present() { return *present_; }
  const std::vector<postgres::PublishedTable>& tables() const { return resolver_.tables(); }
  transaction::RelationPtr relation(const postgres::PublishedTable& table) {
    return resolver_.resolve(table);
  }
  transaction::RelationPtr intern(transaction::TableShape shape) {
    return cache_.intern(std::move(shape));
  }
  // The server's encoding is neither UTF8 nor SQL_ASCII.
  bool converts() const;

  // Every change of a transaction that has committed between two positions, in order.
  using OnChange = std::function<void(const walspout_change& change)>;

  // From point() up to `until`, by the stream, which ends with it: once only. Throws
  // postgres::ConnectionLost when the server does not come so far.
  void stream(base::Lsn until, const OnChange& on_change);

  // From `from` up to point(), as the slot of this name would send it, which keeps it. False when
  // somebody uses the slot. Throws postgres::Refused when there is no such slot.
  bool peek(const std::string& slot, base::Lsn from, const OnChange& on_change);

 private:
  void take(transaction::Assembler& assembler, base::Lsn from, base::Lsn until,
            const OnChange& on_change);

  const config::Config& config_;
  postgres::Interrupt interrupt_;
  base::Wake wake_;
  base::MemoryBudget budget_;
  transaction::RelationCache cache_;
  CatalogueResolver resolver_;
  std::unique_ptr<postgres::Connection> present_;
  std::unique_ptr<postgres::Connection> replication_;
  std::unique_ptr<postgres::Connection> snapshot_;
  std::string slot_;
  base::Lsn point_ = 0;
};

}  // namespace walspout::verify
