#include "pipeline/source.hpp"

#include <fmt/format.h>

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
    if (!outcome.added.empty()) log::info("publication " + name + ": added " + join(outcome.added));
    if (!outcome.removed.empty())
      log::info("publication " + name + ": removed " + join(outcome.removed));
  }
  for (const std::string& table : outcome.without_identity)
    log::warn(
        fmt::format("{0} has no replica identity: PostgreSQL refuses UPDATE and DELETE on it while "
                    "it is published; ALTER TABLE {0} REPLICA IDENTITY FULL, or give it a primary "
                    "key",
                    table));
}

void check_slot(const config::Config& config, const postgres::SlotInfo& slot,
                const std::string& database) {
  if (slot.plugin != "pgoutput")
    throw postgres::Refused("slot " + slot.name + " is not one of pgoutput (" +
                            (slot.plugin.empty() ? "physical" : slot.plugin) +
                            "); set [source] slot to another name");
  if (slot.database != database)
    throw postgres::Refused("slot " + slot.name + " belongs to database " + slot.database +
                            ", not to " + database + "; set [source] slot to another name");
  if (slot.lost())
    throw SlotLost(
        "slot " + slot.name + " is lost (wal_status " + slot.wal_status +
        (slot.invalidation_reason.empty() ? "" : ", " + slot.invalidation_reason) +
        "): the server removed WAL that was still needed; raise max_slot_wal_keep_size; " +
        resync_all(config));
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

std::string resync_all(const config::Config& config) {
  return "walspout resync " + (config.file.empty() ? std::string("FILE") : config.file) +
         ", without table names, copies everything anew";
}

namespace {

// Why a sink cannot go on from what it has stored; nothing when it can.
std::optional<std::string> obstacle(const config::Config& config, const Sinks& sinks,
                                    const std::optional<postgres::SlotInfo>& slot,
                                    const progress::SourceFacts& facts) {
  if (config.source.temporary) return std::nullopt;
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    const sink::Runner::Opened stored = sinks.stored(i);
    if (stored.position == 0) continue;
    if (auto why = progress::refusal(sinks.name(i), stored.position, stored.host_state, facts))
      return why;
  }
  if (slot && slot->lost()) return "slot " + slot->name + " is lost";
  return std::nullopt;
}

// The history of the source's timeline, if a position is of another one.
postgres::TimelineEnds history(postgres::Connection& replication, std::uint32_t timeline,
                               bool asked, const postgres::Interrupt& interrupt) {
  if (!asked) return {};
  try {
    return postgres::timeline_history(replication, timeline, interrupt);
  } catch (const postgres::SqlError& error) {
    if (error.sqlstate != "58P01") throw;  // undefined_file
    log::warn(std::string("the history of the source's timeline is not there: ") + error.what());
    return {};
  }
}

bool any_of_another_timeline(const Sinks& sinks, std::uint32_t timeline) {
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    const auto state = progress::parse_host_state(sinks.stored(i).host_state);
    if (state && state->timeline != timeline && state->timeline != 0) return true;
  }
  return false;
}

// The slot as it is, or a new one; says where it starts.
base::Lsn take_slot(const config::Config& config, const std::string& name,
                    postgres::Connection& replication,
                    const std::optional<postgres::SlotInfo>& existing,
                    const postgres::Interrupt& interrupt) {
  if (existing) return existing->confirmed_flush_lsn;
  postgres::SlotOptions wanted;
  wanted.name = name;
  wanted.temporary = config.source.temporary;
  const postgres::CreatedSlot made = postgres::create_slot(replication, wanted, interrupt);
  log::info("created slot " + name + " at " + base::format_lsn(made.consistent_point));
  return made.consistent_point;
}

}  // namespace

Start start_source(const config::Config& config, Sinks& sinks, Anew anew,
                   const postgres::Interrupt& interrupt) {
  Start start;
  start.connections = connect(config, interrupt);
  postgres::Connection& ordinary = *start.connections.ordinary;
  postgres::Connection& replication = *start.connections.replication;
  Source& source = start.source;
  source.identity = postgres::identify_system(replication, interrupt);
  source.standby = postgres::is_in_recovery(ordinary, interrupt);
  if (source.standby && ordinary.server_version() < 160000)
    throw postgres::Refused(
        "the source at " + ordinary.where() +
        " is a standby, and before version 16 a standby cannot decode its log; connect to the "
        "primary: name all hosts in [source] url and add target_session_attrs=read-write");
  source.wal_sender_timeout = postgres::wal_sender_timeout(replication, interrupt);
  source.slot =
      config.source.temporary ? postgres::temporary_name("walspout_tmp") : config.source.slot;

  std::optional<postgres::SlotInfo> slot;
  if (!config.source.temporary) slot = postgres::find_slot(ordinary, source.slot, interrupt);
  if (slot && !(slot->lost() && anew != Anew::kNever))
    check_slot(config, *slot, source.identity.database);

  progress::SourceFacts facts;
  facts.identity.system_id = source.identity.system_id;
  facts.identity.timeline = source.identity.timeline;
  facts.identity.slot = source.slot;
  facts.wal_end = postgres::current_wal_lsn(ordinary, interrupt);
  facts.timeline_ends =
      history(replication, source.identity.timeline,
              any_of_another_timeline(sinks, source.identity.timeline), interrupt);
  if (slot) facts.slot_confirmed = slot->confirmed_flush_lsn;
  bool all_anew = config.source.temporary;
  auto why = obstacle(config, sinks, slot, facts);
  if (!why && anew == Anew::kMust && !config.source.temporary) why = "the slot was lost";
  if (why) {
    if (anew == Anew::kNever) throw SlotLost(*why + "; " + resync_all(config));
    log::warn(*why + "; a new slot is made, and everything is copied anew");
    if (slot) postgres::drop_slot(ordinary, source.slot, interrupt);
    slot.reset();
    all_anew = true;
  }

  // Nothing is changed at a source that a sink does not belong to. And before the slot: the stream
  // needs the publication as of the slot's first transaction.
  report(config.source.publication,
         postgres::ensure_publication(ordinary, config.source.publication, config.source.tables,
                                      interrupt));
  source.slot_start = take_slot(config, source.slot, replication, slot, interrupt);

  for (std::size_t i = 0; i < sinks.size(); ++i) {
    SinkStart sink;
    const sink::Runner::Opened stored = sinks.stored(i);
    const bool fresh = stored.position == 0 || all_anew;
    if (!fresh)
      if (auto state = progress::parse_host_state(stored.host_state))
        sink.state = std::move(*state);
    sink.state.system_id = facts.identity.system_id;
    sink.state.timeline = source.timeline();
    sink.state.slot = facts.identity.slot;
    sink.begin = fresh ? source.slot_start : stored.position;
    start.fresh = start.fresh && fresh;
    if (fresh && sinks.wants_copy(i)) sink.state.tables.emplace();
    if (fresh && !sinks.wants_copy(i) && stored.position != 0 && !config.source.temporary)
      log::warn("sink " + sinks.name(i) + " gets no copies: it goes on at " +
                base::format_lsn(sink.begin) + ", and what lies before is missing there");
    start.sinks.push_back(std::move(sink));
  }
  return start;
}

bool check_source(const config::Config& config, Connections& connections, Source& source,
                  base::Lsn confirmed, base::Lsn reached, const postgres::Interrupt& interrupt) {
  postgres::Connection& ordinary = *connections.ordinary;
  const auto now = postgres::identify_system(*connections.replication, interrupt);
  if (now.system_id != source.identity.system_id)
    throw SlotLost("another cluster answers at " + ordinary.where() + ": system identifier " +
                   now.system_id + " instead of " + source.identity.system_id +
                   "; point [source] url to the old one, or " + resync_all(config));
  const bool standby = postgres::is_in_recovery(ordinary, interrupt);
  const std::string was_reached = base::format_lsn(reached) + " on timeline " +
                                  std::to_string(source.identity.timeline) +
                                  " was reached before, but ";
  progress::SourceFacts facts;
  facts.identity.timeline = now.timeline;
  facts.wal_end = postgres::current_wal_lsn(ordinary, interrupt);
  facts.timeline_ends =
      history(*connections.replication, now.timeline,
              source.timeline() != 0 && source.timeline() != now.timeline, interrupt);
  if (const auto differs = progress::other_history(reached, source.timeline(), facts))
    throw SlotLost(was_reached + *differs + "; " + resync_all(config));
  if (facts.wal_end < reached && standby)  // it starts replaying at an earlier point
    throw postgres::ConnectionLost("the standby at " + ordinary.where() +
                                   " has replayed only up to " + base::format_lsn(facts.wal_end) +
                                   " so far, and " + base::format_lsn(reached) +
                                   " was reached before");
  if (facts.wal_end < reached)
    throw SlotLost(was_reached + "the source has written only up to " +
                   base::format_lsn(facts.wal_end) +
                   ": it was restored from a backup, or is another copy of the cluster; " +
                   resync_all(config));
  const auto slot = postgres::find_slot(ordinary, source.slot, interrupt);
  if (!slot)
    throw SlotLost("slot " + source.slot + " does not exist any more: the changes after " +
                   base::format_lsn(confirmed) + " are lost; " + resync_all(config));
  check_slot(config, *slot, now.database);
  if (slot->confirmed_flush_lsn > confirmed && confirmed != 0)
    throw SlotLost("slot " + source.slot + " was moved to " +
                   base::format_lsn(slot->confirmed_flush_lsn) + ", past " +
                   base::format_lsn(confirmed) +
                   ", by somebody else: " + std::to_string(slot->confirmed_flush_lsn - confirmed) +
                   " bytes of WAL are missing; " + resync_all(config));
  const std::uint32_t before = source.timeline();
  source.identity.timeline = now.timeline;
  source.standby = standby;
  source.slot_start = slot->confirmed_flush_lsn;
  return source.timeline() != before;
}

}  // namespace walspout
