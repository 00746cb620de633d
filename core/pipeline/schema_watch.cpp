#include "pipeline/schema_watch.hpp"

#include <poll.h>

#include <algorithm>
#include <stdexcept>

#include "log/log.hpp"
#include "pipeline/source.hpp"
#include "postgres/publication.hpp"

namespace walspout {

namespace {

constexpr int kShare = 10;  // a look may take one part in so many of the time

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::uint64_t hash_of(const postgres::CatalogueView& view) {
  std::uint64_t hash = view.tables.size();
  for (const auto& table : view.tables) hash = hash * 0x100000001B3U ^ postgres::facts_hash(table);
  return hash;
}

const postgres::LeafFacts* find_leaf(const postgres::TableFacts& table, std::uint32_t oid) {
  for (const auto& leaf : table.storage)
    if (leaf.oid == oid) return &leaf;
  return nullptr;
}

std::string without_identity(const std::string& table) {
  return table +
         " has no replica identity: PostgreSQL refuses UPDATE and DELETE on it while it is "
         "published; ALTER TABLE " +
         table + " REPLICA IDENTITY FULL, or give it a primary key";
}

void log_outcome(const std::string& name, const postgres::PublicationOutcome& outcome) {
  if (!outcome.added.empty()) log::info("publication " + name + ": added " + join(outcome.added));
  if (!outcome.removed.empty())
    log::info("publication " + name + ": removed " + join(outcome.removed));
  for (const std::string& table : outcome.without_identity) {
    if (std::find(outcome.added.begin(), outcome.added.end(), table) == outcome.added.end())
      continue;
    log::warn(without_identity(table));
  }
}

}  // namespace

SchemaWatch::SchemaWatch(const config::Config& config, base::Wake& wake,
                         std::vector<postgres::TableFacts> known, Milliseconds every)
    : config_(config), wake_(wake), every_(every), interrupt_(stop_.fd()) {
  for (auto& table : known) {
    const std::uint32_t oid = table.oid;
    last_.emplace(oid, std::move(table));
  }
  thread_ = std::thread([this] { run(); });
}

SchemaWatch::~SchemaWatch() {
  stop_.ring();
  thread_.join();
}

void SchemaWatch::look_now() {
  {
    const std::lock_guard lock(mutex_);
    asked_ = true;
  }
  look_.ring();
}

std::optional<postgres::CatalogueView> SchemaWatch::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(newest_, std::nullopt);
}

void SchemaWatch::run() {
  try {
    while (true) {
      Milliseconds pause = every_;
      attempt(pause);
      // A source that is away is not asked more often because somebody waits for it.
      interrupt_.wait(outage_ ? -1 : look_.fd(), POLLIN, postgres::deadline_in(pause));
    }
  } catch (const postgres::Interrupted&) {
    log::trace("schema watch: ended");
  }
}

// One look; pause: until the next one.
void SchemaWatch::attempt(Milliseconds& pause) {
  try {
    interrupt_.check();
    if (!connection_) {
      connection_ = connect_ordinary(config_, interrupt_);
      // Behind whoever has a table locked; another look comes soon.
      connection_->exec("SET lock_timeout = '1s'", interrupt_);
    }
    pause = std::max(every_, look() * kShare);
    outage_ = false;
    backoff_.reset();
  } catch (const postgres::ConnectionLost& error) {
    connection_.reset();
    if (!outage_) log::warn(std::string("schema watch: ") + error.what() + "; connecting again");
    outage_ = true;
    pause = backoff_.next();
  } catch (const postgres::Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    if (!postgres::is_transient(error)) report(std::string("schema watch: ") + error.what());
    if (!connection_) outage_ = true;  // the source does not let us in
    pause = std::max(every_, backoff_.next());
  }
}

void SchemaWatch::report(const std::string& text) {
  if (reported_.insert(text).second) log::warn(text);
}

// How long the server was busy with it, which waiting for a lock is not.
SchemaWatch::Milliseconds SchemaWatch::look() {
  look_.clear();
  {
    const std::lock_guard lock(mutex_);
    owed_ = owed_ || asked_;
    asked_ = false;
  }
  if (!keep_publication()) return Milliseconds(0);
  const auto begin = Clock::now();
  postgres::CatalogueView view =
      postgres::read_table_facts(*connection_, config_.source.publication, interrupt_);
  const auto spent = std::chrono::duration_cast<Milliseconds>(Clock::now() - begin);
  resolve_leaves(view);
  warn_of_generated(view);
  const std::uint64_t hash = hash_of(view);
  const std::uint64_t as_of = view.tables.empty() ? 0 : view.tables.front().as_of;
  if (!owed_ && hash == last_hash_) {
    unchanged_until_ = as_of;
    return spent;
  }
  last_hash_ = hash;
  last_.clear();
  for (const auto& table : view.tables) last_.emplace(table.oid, table);
  {
    const std::lock_guard lock(mutex_);
    // One that was not taken is skipped: what it differed in came after the one before it.
    view.unchanged_until = newest_ ? newest_->unchanged_until : unchanged_until_;
    newest_ = std::move(view);
  }
  unchanged_until_ = as_of;
  owed_ = false;
  wake_.ring();
  return spent;
}

// False when there is no publication. It is not made anew here: what was written without it is
// missing in the stream, which the reader has to decide upon.
bool SchemaWatch::keep_publication() {
  const std::string& name = config_.source.publication;
  const auto found = connection_->exec_params(
      "SELECT oid, puballtables FROM pg_publication WHERE pubname = $1", {name}, interrupt_);
  if (found.rows() == 0) {
    report("publication " + name + " does not exist any more");
    return false;
  }
  const auto oid = static_cast<std::uint32_t>(found.integer(0, 0));
  try {
    if (oid != publication_) {
      const auto info = postgres::find_publication(*connection_, name, interrupt_);
      managed_ = info && info->managed;
      publication_ = oid;
    }
    if (managed_ && !found.boolean(0, 1)) match_publication();
  } catch (const postgres::SqlError& error) {
    if (error.sqlstate != "55P03") throw;  // lock_not_available: at the next look, then
    log::debug(std::string("schema watch: ") + error.what());
  }
  return true;
}

void SchemaWatch::match_publication() {
  std::vector<std::uint32_t> wanted, listed;
  for (const auto& table :
       postgres::matching_tables(*connection_, config_.source.tables, interrupt_))
    wanted.push_back(table.oid);
  std::sort(wanted.begin(), wanted.end());
  const auto rows = connection_->exec_params(
      "SELECT prrelid FROM pg_publication_rel WHERE prpubid = $1::oid ORDER BY 1",
      {std::to_string(publication_)}, interrupt_);
  for (int row = 0; row < rows.rows(); ++row)
    listed.push_back(static_cast<std::uint32_t>(rows.integer(row, 0)));
  if (wanted == listed || wanted == refused_) return;
  const auto refused = [&](const std::exception& error) {
    refused_ = wanted;
    report(error.what());
  };
  try {
    log_outcome(config_.source.publication,
                postgres::ensure_publication(*connection_, config_.source.publication,
                                             config_.source.tables, interrupt_));
    refused_.clear();
  } catch (const postgres::Refused& error) {
    refused(error);
  } catch (const postgres::SqlError& error) {
    if (postgres::is_transient(error)) throw;
    refused(error);
  }
}

// Asks each partition that joined a known tree once, and repeats the answer as long as it stays.
void SchemaWatch::resolve_leaves(postgres::CatalogueView& view) {
  std::map<std::uint32_t, postgres::LeafFacts> resolved;
  for (auto& table : view.tables) {
    const auto before = last_.find(table.oid);
    if (table.relkind != 'p' || before == last_.end()) continue;
    for (auto& leaf : table.storage) {
      const auto asked = resolved_.find(leaf.oid);
      if (asked != resolved_.end() && asked->second.edges == leaf.edges) {
        leaf.unseen_rows = asked->second.unseen_rows;
      } else if (find_leaf(before->second, leaf.oid) == nullptr) {
        leaf.unseen_rows = postgres::leaf_may_hold_unseen_rows(
            *connection_, leaf.oid, postgres::new_edges(before->second, leaf), interrupt_);
      }
      if (leaf.unseen_rows) resolved.emplace(leaf.oid, leaf);
    }
  }
  resolved_ = std::move(resolved);
}

void SchemaWatch::warn_of_generated(const postgres::CatalogueView& view) {
  if (connection_->server_version() >= 180000) return;
  for (const auto& table : view.tables) {
    std::vector<std::string> columns;
    for (const auto& one : table.attributes) {
      const bool left_out = one.generated == 's' && !one.dropped;
      if (left_out && warned_.emplace(table.oid, one.attnum).second) columns.push_back(one.name);
    }
    if (columns.empty()) continue;
    const bool several = columns.size() > 1;
    log::warn(table.full_name() + ": generated column" + (several ? "s " : " ") + join(columns) +
              (several ? " are" : " is") + " not sent by PostgreSQL before 18; " +
              (several ? "they are" : "it is") + " left out");
  }
}

}  // namespace walspout
