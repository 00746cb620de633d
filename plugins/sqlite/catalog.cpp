#include "catalog.hpp"

#include <charconv>
#include <cstdio>
#include <ctime>

#include "names.hpp"

namespace walspout::sqlite {

namespace {

constexpr const char* kTables[] = {
    "CREATE TABLE IF NOT EXISTS _walspout_tables(source_schema TEXT NOT NULL, source_table TEXT "
    "NOT NULL, mirror_table TEXT NOT NULL UNIQUE COLLATE NOCASE, state TEXT NOT NULL, reason TEXT, "
    "pipeline TEXT NOT NULL, sink TEXT NOT NULL, source_oid INTEGER NOT NULL, created INTEGER NOT "
    "NULL, PRIMARY KEY(pipeline, sink, source_schema, source_table))",
    "CREATE TABLE IF NOT EXISTS _walspout_columns(mirror_table TEXT NOT NULL COLLATE NOCASE, "
    "source_column TEXT NOT NULL, mirror_column TEXT NOT NULL, source_type TEXT NOT NULL, "
    "source_attnum INTEGER NOT NULL, PRIMARY KEY(mirror_table, source_column))",
    "CREATE TABLE IF NOT EXISTS _walspout_position(pipeline TEXT NOT NULL, sink TEXT NOT NULL, "
    "lsn TEXT NOT NULL, commit_time TEXT, host_state BLOB, PRIMARY KEY(pipeline, sink))",
    "CREATE TABLE IF NOT EXISTS _walspout_copies(pipeline TEXT NOT NULL, sink TEXT NOT NULL, "
    "copy_id INTEGER NOT NULL, source_schema TEXT NOT NULL, source_table TEXT NOT NULL, "
    "shadow_table TEXT NOT NULL, PRIMARY KEY(pipeline, sink, copy_id, source_schema, "
    "source_table))"};

// UTC, as PostgreSQL prints a timestamptz and SQLite's date functions read it.
std::string format_time(int64_t us) {
  int64_t seconds = us / 1000000, rest = us % 1000000;
  if (rest < 0) {
    rest += 1000000;
    --seconds;
  }
  const std::time_t t = seconds;
  std::tm parts = {};
  gmtime_r(&t, &parts);
  char day[40], text[64];
  std::strftime(day, sizeof day, "%Y-%m-%d %H:%M:%S", &parts);
  std::snprintf(text, sizeof text, "%s.%06lld+00:00", day, static_cast<long long>(rest));
  return text;
}

}  // namespace

std::string format_lsn(walspout_lsn lsn) {
  char text[24];
  std::snprintf(text, sizeof text, "%X/%X", static_cast<unsigned>(lsn >> 32),
                static_cast<unsigned>(lsn & 0xffffffffU));
  return text;
}

walspout_lsn parse_lsn(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return 0;
  uint32_t high = 0, low = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto a = std::from_chars(begin, begin + slash, high, 16);
  const auto b = std::from_chars(begin + slash + 1, end, low, 16);
  if (a.ec != std::errc() || a.ptr != begin + slash || b.ec != std::errc() || b.ptr != end)
    return 0;
  return walspout_lsn{high} << 32 | low;
}

void Catalog::create() {
  for (const char* sql : kTables) db_.exec(sql);
}

std::optional<TableRecord> Catalog::find(std::string_view schema, std::string_view table) {
  Statement s = db_.prepare(
      "SELECT mirror_table, state, source_oid, created FROM _walspout_tables WHERE pipeline = ? "
      "AND sink = ? AND source_schema = ? AND source_table = ?");
  Database::bind_all(s, std::string_view(pipeline_), std::string_view(sink_), schema, table);
  if (!s.step()) return std::nullopt;
  return TableRecord{std::string(s.text(0)), std::string(s.text(1)),
                     static_cast<uint32_t>(s.integer(2)), s.integer(3) != 0};
}

void Catalog::save(std::string_view schema, std::string_view table, const TableRecord& record,
                   std::string_view reason) {
  db_.run(
      "INSERT INTO _walspout_tables(pipeline, sink, source_schema, source_table, mirror_table, "
      "state, source_oid, created, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, '')) "
      "ON CONFLICT(pipeline, sink, source_schema, source_table) DO UPDATE SET mirror_table = "
      "excluded.mirror_table, state = excluded.state, source_oid = excluded.source_oid, created = "
      "excluded.created, reason = excluded.reason",
      std::string_view(pipeline_), std::string_view(sink_), schema, table,
      std::string_view(record.mirror), std::string_view(record.state), int64_t{record.oid},
      int64_t{record.created}, reason);
}

bool Catalog::rename_source(uint32_t oid, std::string_view schema, std::string_view table) {
  db_.run(
      "UPDATE _walspout_tables SET source_schema = ?, source_table = ? WHERE pipeline = ? AND sink "
      "= ? AND source_oid = ?",
      schema, table, std::string_view(pipeline_), std::string_view(sink_), int64_t{oid});
  return db_.changes() != 0;
}

void Catalog::mark_failed(const std::string& mirror, std::string_view reason) {
  db_.run("UPDATE _walspout_tables SET state = 'failed', reason = ? WHERE mirror_table = ?", reason,
          std::string_view(mirror));
}

bool Catalog::name_taken(const std::string& name) {
  const std::string_view n = name;
  return db_.exists("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE", n) ||
         db_.exists("SELECT 1 FROM _walspout_tables WHERE mirror_table = ?", n) ||
         db_.exists("SELECT 1 FROM _walspout_copies WHERE shadow_table = ? COLLATE NOCASE", n);
}

std::vector<ColumnRecord> Catalog::columns(const std::string& physical) {
  std::vector<ColumnRecord> rows;
  Statement s = db_.prepare(
      "SELECT source_column, mirror_column, source_type, source_attnum FROM _walspout_columns "
      "WHERE mirror_table = ?");
  Database::bind_all(s, std::string_view(physical));
  while (s.step())
    rows.push_back({std::string(s.text(0)), std::string(s.text(1)), std::string(s.text(2)),
                    static_cast<int>(s.integer(3))});
  return rows;
}

void Catalog::save_columns(const std::string& physical, const std::vector<ColumnRecord>& columns) {
  const std::string_view table = physical;
  db_.run("DELETE FROM _walspout_columns WHERE mirror_table = ?", table);
  Statement s = db_.prepare(
      "INSERT INTO _walspout_columns(mirror_table, source_column, mirror_column, source_type, "
      "source_attnum) VALUES (?, ?, ?, ?, ?)");
  for (const ColumnRecord& c : columns) {
    Database::bind_all(s, table, std::string_view(c.source), std::string_view(c.mirror),
                       std::string_view(c.type), int64_t{c.attnum});
    s.run();
  }
}

void Catalog::rename_columns(const std::string& physical, const std::string& renamed) {
  db_.run("UPDATE _walspout_columns SET mirror_table = ? WHERE mirror_table = ?",
          std::string_view(renamed), std::string_view(physical));
}

// A copy id is 64 bits without a sign: SQLite keeps the same bits in its signed integer.
std::optional<std::string> Catalog::find_copy(uint64_t copy_id, std::string_view schema,
                                              std::string_view table) {
  const auto rows = db_.column(
      "SELECT shadow_table FROM _walspout_copies WHERE pipeline = ? AND sink = ? AND copy_id = ? "
      "AND source_schema = ? AND source_table = ?",
      std::string_view(pipeline_), std::string_view(sink_), static_cast<int64_t>(copy_id), schema,
      table);
  if (rows.empty()) return std::nullopt;
  return rows.front();
}

void Catalog::save_copy(uint64_t copy_id, std::string_view schema, std::string_view table,
                        const std::string& shadow) {
  db_.run("INSERT INTO _walspout_copies VALUES (?, ?, ?, ?, ?, ?)", std::string_view(pipeline_),
          std::string_view(sink_), static_cast<int64_t>(copy_id), schema, table,
          std::string_view(shadow));
}

void Catalog::forget_copy(const std::string& shadow) {
  db_.run("DELETE FROM _walspout_copies WHERE shadow_table = ?", std::string_view(shadow));
  db_.run("DELETE FROM _walspout_columns WHERE mirror_table = ?", std::string_view(shadow));
}

std::vector<std::string> Catalog::shadows() {
  return db_.column("SELECT shadow_table FROM _walspout_copies WHERE pipeline = ? AND sink = ?",
                    std::string_view(pipeline_), std::string_view(sink_));
}

Position Catalog::position() {
  Statement s =
      db_.prepare("SELECT lsn, host_state FROM _walspout_position WHERE pipeline = ? AND sink = ?");
  Database::bind_all(s, std::string_view(pipeline_), std::string_view(sink_));
  if (!s.step()) return {};
  return {parse_lsn(s.text(0)), std::string(s.text(1))};
}

void Catalog::save_position(walspout_lsn lsn, std::string_view host_state, int64_t commit_time_us) {
  const std::string lsn_text = format_lsn(lsn);
  const std::string time = commit_time_us == 0 ? std::string() : format_time(commit_time_us);
  if (!save_position_)
    save_position_ = db_.prepare(
        "INSERT INTO _walspout_position(pipeline, sink, lsn, commit_time, host_state) "
        "VALUES (?1, ?2, ?3, nullif(?4, ''), ?5) ON CONFLICT(pipeline, sink) DO UPDATE SET "
        "lsn = iif(?6, excluded.lsn, lsn), commit_time = coalesce(excluded.commit_time, "
        "commit_time), host_state = coalesce(excluded.host_state, host_state)");
  Statement& s = *save_position_;
  Database::bind_all(s, std::string_view(pipeline_), std::string_view(sink_),
                     std::string_view(lsn_text), std::string_view(time));
  if (host_state.empty()) {
    s.bind_null(5);
  } else {
    s.bind_blob(5, host_state);
  }
  s.bind(6, int64_t{lsn != 0});
  s.run();
}

}  // namespace walspout::sqlite
