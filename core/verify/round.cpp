#include "verify/round.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "postgres/copy_reader.hpp"
#include "postgres/slot.hpp"

namespace walspout::verify {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll{50};
constexpr std::chrono::milliseconds kIdle{1000};  // a host that reconnects is faster
constexpr std::chrono::seconds kLockTimeout{10};
constexpr std::size_t kOverlayBytes = std::size_t{256} << 20;

}  // namespace

Round::Round(const config::Config& config, Target::Opener& opener, std::chrono::milliseconds wait,
             const postgres::Interrupt& interrupt)
    : config_(config), opener_(opener), interrupt_(interrupt), session_(config, interrupt) {
  reach(wait);
}

// Nobody has used the pipeline's slot for a while.
bool Round::idle(Clock::time_point now) {
  if (config_.source.temporary) return false;
  const auto slot = postgres::find_slot(session_.present(), config_.source.slot, interrupt_);
  if (slot && slot->active) {
    idle_since_ = {};
    return false;
  }
  if (idle_since_ == Clock::time_point()) idle_since_ = now;
  return now - idle_since_ >= kIdle;
}

void Round::reach(std::chrono::milliseconds wait) {
  const auto deadline = Clock::now() + wait;
  while (true) {
    target_ = opener_.open();
    if (target_ && target_->position() >= session_.point()) return;
    const auto now = Clock::now();
    if (target_ && target_->position() != 0 && idle(now)) {
      waiting_ = true;
      return;
    }
    if (now >= deadline) break;
    interrupt_.wait(-1, 0, postgres::deadline_in(kPoll));
  }
  if (!target_) throw TargetError("sink " + opener_.name() + ": " + opener_.why());
  if (target_->position() == 0)
    throw TargetError("sink " + opener_.name() +
                      " has stored no position yet; start the host, and verify when it has copied");
  throw TargetError(fmt::format(
      "sink {} stands at {}, {} bytes behind the source, and does not come up to it; look whether "
      "the host runs and is not held up, or give it more time with --wait",
      opener_.name(), base::format_lsn(target_->position()),
      session_.point() - target_->position()));
}

std::vector<std::string> Round::tables(const base::TablePatterns& patterns) const {
  std::vector<std::string> names;
  for (const postgres::PublishedTable& table : session_.tables())
    if (opener_.sink().config->tables.matches(table.schema, table.name) &&
        patterns.matches(table.schema, table.name))
      names.push_back(table.full_name());
  return names;
}

Round::Entry Round::prepare(const std::string& name) {
  Entry entry;
  entry.outcome.result.table = name;
  const auto& tables = session_.tables();
  const auto table = std::find_if(tables.begin(), tables.end(),
                                  [&](const auto& t) { return t.full_name() == name; });
  if (table == tables.end()) {
    entry.outcome.result.why = "it is not published any more";
    return entry;
  }
  const auto whole = session_.relation(*table);
  const auto relation =
      session_.intern(without_columns(whole->shape(), opener_.sink().config->exclude_columns));
  const Target::Table at_target = target_->table(*relation);
  if (at_target.present != 1) {
    entry.outcome.result.why = at_target.why;
    entry.outcome.result.failed = at_target.present < 0;
    entry.outcome.again = at_target.present == 0;
    return entry;
  }
  entry.plan =
      std::make_unique<TablePlan>(*table, whole, relation, at_target.forms, session_.converts());
  entry.overlay = std::make_unique<Overlay>(*entry.plan, waiting_ ? Side::kWaiting : Side::kAhead);
  entry.outcome.result.schema = table->schema;
  entry.outcome.result.name = table->name;
  if (entry.plan->key_can_be_asked())
    for (const std::uint32_t i : entry.plan->key())
      entry.outcome.result.key.push_back(entry.plan->columns()[i]);
  overlays_[table->oid] = entry.overlay.get();
  return entry;
}

void Round::collect(const walspout_change& change) {
  if (change.relation == nullptr) return;
  const auto overlay = overlays_.find(change.relation->oid);
  if (overlay == overlays_.end()) return;
  overlay->second->apply(change);
  if (overlay->second->bytes() > kOverlayBytes)
    throw std::runtime_error(
        "too many rows change between the source's position and the target's to be held in memory; "
        "verify when the host has less to catch up with");
}

void Round::lay_over(const std::vector<std::string>& tables) {
  for (const std::string& name : tables) entries_.emplace(name, prepare(name));
  const auto on_change = [this](const walspout_change& change) { collect(change); };
  if (!waiting_) {
    session_.stream(target_->position(), on_change);
  } else if (!session_.peek(config_.source.slot, target_->position(), on_change)) {
    for (auto& [name, entry] : entries_) {
      entry.plan.reset();
      entry.outcome.again = true;
      entry.outcome.result.why = "the host was started meanwhile";
    }
  }
}

Counts Round::compare_locked(Entry& entry, const std::vector<Row>* keys,
                             const Comparison::OnDifference& on_difference) {
  postgres::lock_table(session_.snapshot(), entry.plan->table(), interrupt_, kLockTimeout);
  const postgres::Result size = session_.snapshot().exec(entry.plan->size_query(), interrupt_);
  entry.plan->choose_buckets(size.integer(0, 0));
  target_->table(entry.plan->relation());
  Comparison comparison(session_, *target_, *entry.plan, *entry.overlay, interrupt_, on_difference);
  return keys == nullptr ? comparison.all() : comparison.only(*keys);
}

Round::Outcome Round::compare(const std::string& name, const std::vector<Row>* keys,
                              const Comparison::OnDifference& on_difference) {
  Entry& entry = entries_.at(name);
  Outcome& outcome = entry.outcome;
  if (!entry.plan) return outcome;
  if (!entry.overlay->spoilt().empty()) {
    outcome.result.why = entry.overlay->spoilt();
    if (waiting_) outcome.result.why += ", which waits in the stream; start the host";
    outcome.again = !waiting_;
    return outcome;
  }
  // The savepoint frees the table's lock as soon as it is compared, and the snapshot of an error.
  postgres::Connection& snapshot = session_.snapshot();
  snapshot.exec("SAVEPOINT walspout_table", interrupt_);
  try {
    outcome.result.counts = compare_locked(entry, keys, on_difference);
    outcome.result.compared = true;
  } catch (const postgres::TableChanged& changed) {
    outcome.result.why = changed.what();
    outcome.again = true;
  } catch (const postgres::SqlError& error) {
    outcome.result.why = error.sqlstate == "55P03"
                             ? "somebody has kept it locked for 10 s; verify again later"
                             : std::string(error.what());
  } catch (const postgres::Refused& refused) {
    outcome.result.why = refused.what();
  }
  snapshot.exec("ROLLBACK TO SAVEPOINT walspout_table; RELEASE SAVEPOINT walspout_table",
                interrupt_);
  return outcome;
}

}  // namespace walspout::verify
