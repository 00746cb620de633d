// StateStore's landmark, requests, pauses and facts.
#include <chrono>
#include <limits>
#include <unordered_set>

#include "progress/sqlite.hpp"
#include "progress/state_store.hpp"

namespace walspout::progress {
namespace {

std::vector<StateStore::Request> read_requests(sqlite3* database) {
  std::vector<StateStore::Request> requests;
  const Statement query =
      prepare(database, "SELECT request, word FROM request_word ORDER BY request, place");
  while (step_row(database, query.get())) {
    const std::int64_t id = sqlite3_column_int64(query.get(), 0);
    if (requests.empty() || requests.back().id != id) requests.push_back({id, {}});
    requests.back().words.push_back(text(query.get(), 1));
  }
  return requests;
}

void delete_requests(sqlite3* database, std::int64_t last) {
  for (const char* sql :
       {"DELETE FROM request_word WHERE request <= ?1", "DELETE FROM request WHERE id <= ?1"}) {
    const Statement removal = prepare(database, sql);
    sqlite3_bind_int64(removal.get(), 1, last);
    run(database, removal.get());
  }
}

}  // namespace

std::optional<Landmark> StateStore::landmark() const {
  const std::lock_guard lock(mutex_);
  const Statement query =
      prepare(database_, "SELECT source, commit_lsn, xid, commit_time, complete_to FROM landmark");
  if (!step_row(database_, query.get())) return std::nullopt;
  Landmark landmark;
  landmark.source = text(query.get(), 0);
  landmark.commit_lsn = static_cast<base::Lsn>(sqlite3_column_int64(query.get(), 1));
  landmark.xid = static_cast<std::uint32_t>(sqlite3_column_int64(query.get(), 2));
  landmark.commit_time_us = sqlite3_column_int64(query.get(), 3);
  landmark.complete_to = static_cast<base::Lsn>(sqlite3_column_int64(query.get(), 4));
  return landmark;
}

void StateStore::save_landmark(const Landmark& landmark) {
  const std::lock_guard lock(mutex_);
  const Statement insert = prepare(database_,
                                   "INSERT OR REPLACE INTO landmark(id, source, commit_lsn, xid,"
                                   " commit_time, complete_to) VALUES(1, ?1, ?2, ?3, ?4, ?5)");
  bind(insert.get(), 1, landmark.source);
  sqlite3_bind_int64(insert.get(), 2, static_cast<std::int64_t>(landmark.commit_lsn));
  sqlite3_bind_int64(insert.get(), 3, landmark.xid);
  sqlite3_bind_int64(insert.get(), 4, landmark.commit_time_us);
  sqlite3_bind_int64(insert.get(), 5, static_cast<std::int64_t>(landmark.complete_to));
  run(database_, insert.get());
}

void StateStore::add_request(const std::vector<std::string>& words) {
  if (words.empty()) throw std::invalid_argument("a request without words");
  const std::lock_guard lock(mutex_);
  const Transaction transaction(database_);
  execute(database_, "INSERT INTO request DEFAULT VALUES");
  const std::int64_t id = sqlite3_last_insert_rowid(database_);
  const Statement insert =
      prepare(database_, "INSERT INTO request_word(request, place, word) VALUES(?1, ?2, ?3)");
  for (std::size_t place = 0; place < words.size(); ++place) {
    sqlite3_bind_int64(insert.get(), 1, id);
    sqlite3_bind_int64(insert.get(), 2, static_cast<std::int64_t>(place));
    bind(insert.get(), 3, words[place]);
    run(database_, insert.get());
  }
  transaction.commit();
}

std::vector<StateStore::Request> StateStore::requests() const {
  const std::lock_guard lock(mutex_);
  return read_requests(database_);
}

void StateStore::remove_requests(std::int64_t last) {
  const std::lock_guard lock(mutex_);
  const Transaction transaction(database_);
  delete_requests(database_, last);
  transaction.commit();
}

std::vector<std::vector<std::string>> StateStore::take_requests() {
  const std::lock_guard lock(mutex_);
  const Transaction transaction(database_);
  std::vector<std::vector<std::string>> taken;
  for (Request& request : read_requests(database_)) taken.push_back(std::move(request.words));
  delete_requests(database_, std::numeric_limits<std::int64_t>::max());
  transaction.commit();
  return taken;
}

std::optional<StateStore::Pause> StateStore::pause(const std::string& sink) const {
  const std::lock_guard lock(mutex_);
  const Statement query = prepare(database_, "SELECT why, since FROM pause WHERE sink = ?1");
  bind(query.get(), 1, sink);
  if (!step_row(database_, query.get())) return std::nullopt;
  return Pause{text(query.get(), 0), sqlite3_column_int64(query.get(), 1)};
}

void StateStore::save_pause(const std::string& sink, const std::string& why) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::lock_guard lock(mutex_);
  const Statement insert =
      prepare(database_, "INSERT OR REPLACE INTO pause(sink, why, since) VALUES(?1, ?2, ?3)");
  bind(insert.get(), 1, sink);
  bind(insert.get(), 2, why);
  sqlite3_bind_int64(insert.get(), 3,
                     std::chrono::duration_cast<std::chrono::seconds>(now).count());
  run(database_, insert.get());
}

void StateStore::remove_pause(const std::string& sink) {
  const std::lock_guard lock(mutex_);
  const Statement removal = prepare(database_, "DELETE FROM pause WHERE sink = ?1");
  bind(removal.get(), 1, sink);
  run(database_, removal.get());
}

void StateStore::put_facts(std::uint64_t hash, std::string_view text) {
  const std::lock_guard lock(mutex_);
  // What is there already costs no write, so no fsync.
  const Statement insert = prepare(database_,
                                   "INSERT INTO fact(hash, text) VALUES(?1, ?2)"
                                   " ON CONFLICT(hash) DO UPDATE SET text = ?2 WHERE text <> ?2");
  sqlite3_bind_int64(insert.get(), 1, static_cast<std::int64_t>(hash));
  bind(insert.get(), 2, text);
  run(database_, insert.get());
}

std::optional<std::string> StateStore::get_facts(std::uint64_t hash) const {
  const std::lock_guard lock(mutex_);
  const Statement query = prepare(database_, "SELECT text FROM fact WHERE hash = ?1");
  sqlite3_bind_int64(query.get(), 1, static_cast<std::int64_t>(hash));
  if (!step_row(database_, query.get())) return std::nullopt;
  return text(query.get(), 0);
}

void StateStore::keep_facts(std::span<const std::uint64_t> hashes) {
  const std::unordered_set<std::uint64_t> kept(hashes.begin(), hashes.end());
  const std::lock_guard lock(mutex_);
  const Transaction transaction(database_);
  std::vector<std::int64_t> unused;
  const Statement query = prepare(database_, "SELECT hash FROM fact");
  while (step_row(database_, query.get())) {
    const std::int64_t hash = sqlite3_column_int64(query.get(), 0);
    if (!kept.contains(static_cast<std::uint64_t>(hash))) unused.push_back(hash);
  }
  const Statement removal = prepare(database_, "DELETE FROM fact WHERE hash = ?1");
  for (const std::int64_t hash : unused) {
    sqlite3_bind_int64(removal.get(), 1, hash);
    run(database_, removal.get());
  }
  transaction.commit();
}

}  // namespace walspout::progress
