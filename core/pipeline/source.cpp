#include "pipeline/source.hpp"

#include <utility>

#include "log/log.hpp"
#include "postgres/publication.hpp"
#include "progress/host_state.hpp"

namespace walspout {
namespace {

std::unique_ptr<postgres::Connection> open(const config::Config& config, bool replication,
                                           const postgres::Interrupt& interrupt) {
  postgres::ConnectOptions options;
  options.url = config.source.url;
  options.replication = replication;
  options.application_name = "walspout " + config.host.name;
  return std::make_unique<postgres::Connection>(std::move(options), interrupt);
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void report(const std::string& name, const postgres::PublicationOutcome& outcome) {
  using What = postgres::PublicationOutcome::What;
  if (outcome.what == What::kCreated)
    log::info("created publication " + name +
              (outcome.all_tables ? " for all tables" : " for " + join(outcome.added)));
  if (outcome.what == What::kAltered) {
    if (!outcome.added.empty())
      log::warn("publication " + name + ": added " + join(outcome.added) +
                "; rows that they have already are not copied to sinks that were copied to before: "
                "remove "
                "such a sink's target, so that all is copied anew");
    if (!outcome.removed.empty())
      log::info("publication " + name + ": removed " + join(outcome.removed));
  }
  for (const std::string& table : outcome.without_identity)
    log::warn(table +
              " has no replica identity: PostgreSQL refuses UPDATE and DELETE on it while it is "
              "published; ALTER TABLE " +
              table + " REPLICA IDENTITY FULL, or give it a primary key");
}

void check_slot(const postgres::SlotInfo& slot, const std::string& database) {
  if (slot.plugin != "pgoutput")
    throw postgres::Refused("slot " + slot.name + " is not one of pgoutput (" +
                            (slot.plugin.empty() ? "physical" : slot.plugin) +
                            "); set [source] slot to another name");
  if (slot.database != database)
    throw postgres::Refused("slot " + slot.name + " belongs to database " + slot.database +
                            ", not to " + database + "; set [source] slot to another name");
  if (slot.lost())
    throw postgres::Refused(
        "slot " + slot.name + " is lost (wal_status " + slot.wal_status +
        "): the server removed WAL that was still needed; raise max_slot_wal_keep_size, then drop "
        "the "
        "slot (walspout teardown) and remove the sinks' targets, so that all is copied anew");
  if (slot.two_phase)
    throw postgres::Refused(
        "slot " + slot.name +
        " was created with two_phase, which is not supported; recreate it without");
}

}  // namespace

Connections connect(const config::Config& config, const postgres::Interrupt& interrupt) {
  Connections made;
  made.ordinary = open(config, false, interrupt);
  made.replication = open(config, true, interrupt);
  return made;
}

std::unique_ptr<postgres::Connection> connect_ordinary(const config::Config& config,
                                                       const postgres::Interrupt& interrupt) {
  return open(config, false, interrupt);
}

Snapshot fresh_snapshot(const config::Config& config, const postgres::Interrupt& interrupt) {
  Snapshot snapshot;
  snapshot.exporter = open(config, true, interrupt);
  postgres::SlotOptions options;
  options.name = postgres::temporary_name("walspout_copy");
  options.temporary = true;
  options.snapshot = postgres::ExportSnapshot::kExport;
  postgres::CreatedSlot slot = postgres::create_slot(*snapshot.exporter, options, interrupt);
  snapshot.point = slot.consistent_point;
  snapshot.name = std::move(slot.snapshot_name);
  return snapshot;
}

Start start_source(const config::Config& config, Sinks& sinks,
                   const postgres::Interrupt& interrupt) {
  Start start;
  start.connections = connect(config, interrupt);
  postgres::Connection& ordinary = *start.connections.ordinary;
  postgres::Connection& replication = *start.connections.replication;
  Source& source = start.source;
  source.identity = postgres::identify_system(replication, interrupt);
  source.wal_sender_timeout = postgres::wal_sender_timeout(replication, interrupt);
  source.slot =
      config.source.temporary ? postgres::temporary_name("walspout_tmp") : config.source.slot;

  std::optional<postgres::SlotInfo> slot;
  if (!config.source.temporary) slot = postgres::find_slot(ordinary, source.slot, interrupt);
  if (slot) check_slot(*slot, source.identity.database);

  progress::SourceFacts facts;
  facts.identity = {source.identity.system_id, source.identity.timeline, source.slot};
  facts.wal_end = postgres::current_wal_lsn(ordinary, interrupt);
  if (slot) facts.slot_confirmed = slot->confirmed_flush_lsn;
  start.begins.resize(sinks.size(), 0);
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    const sink::Runner::Opened stored = sinks.stored(i);
    if (stored.position != 0 && !config.source.temporary) {
      if (const auto why =
              progress::refusal(sinks.name(i), stored.position, stored.host_state, facts))
        throw postgres::Refused(*why);
      start.begins[i] = stored.position;
    } else if (sinks.wants_copy(i)) {
      start.copies.push_back(i);
    }
  }
  sinks.set_host_state(progress::format_host_state(facts.identity));

  // Nothing is changed at a source that a sink does not belong to. And before the slot: the stream
  // needs the publication as of the slot's first transaction.
  report(config.source.publication,
         postgres::ensure_publication(ordinary, config.source.publication, config.source.tables,
                                      interrupt));

  if (slot) {
    source.slot_start = slot->confirmed_flush_lsn;
  } else {
    postgres::SlotOptions wanted;
    wanted.name = source.slot;
    wanted.temporary = config.source.temporary;
    if (!start.copies.empty()) wanted.snapshot = postgres::ExportSnapshot::kExport;
    postgres::CreatedSlot made = postgres::create_slot(replication, wanted, interrupt);
    source.slot_start = made.consistent_point;
    log::info("created slot " + source.slot + " at " + base::format_lsn(made.consistent_point));
    if (!start.copies.empty()) {
      start.snapshot.emplace();
      start.snapshot->point = made.consistent_point;
      start.snapshot->name = std::move(made.snapshot_name);
      start.snapshot->exporter = std::move(start.connections.replication);
    }
  }
  for (base::Lsn& begin : start.begins)
    if (begin == 0) begin = source.slot_start;
  return start;
}

void check_source(Connections& connections, const Source& source, base::Lsn confirmed,
                  const postgres::Interrupt& interrupt) {
  const auto now = postgres::identify_system(*connections.replication, interrupt);
  if (now.system_id != source.identity.system_id)
    throw postgres::Refused("another cluster answers at " + connections.ordinary->where() +
                            ": system identifier " + now.system_id + " instead of " +
                            source.identity.system_id + "; point [source] url to the old one");
  const auto slot = postgres::find_slot(*connections.ordinary, source.slot, interrupt);
  if (!slot)
    throw postgres::Refused("slot " + source.slot + " does not exist any more: the changes after " +
                            base::format_lsn(confirmed) +
                            " are lost; remove the sinks' targets, so that all is copied anew");
  check_slot(*slot, source.identity.database);
  if (slot->confirmed_flush_lsn > confirmed && confirmed != 0)
    throw postgres::Refused(
        "slot " + source.slot + " was moved to " + base::format_lsn(slot->confirmed_flush_lsn) +
        ", past " + base::format_lsn(confirmed) +
        ", by somebody else; remove the sinks' targets, so that all is copied anew");
}

}  // namespace walspout
