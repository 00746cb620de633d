#include "catalog.hpp"

#include <charconv>
#include <cstdio>
#include <ctime>

#include "names.hpp"

namespace walspout::sqlite {

namespace {

constexpr const char* kLive = "_walspout_tables";
constexpr const char* kParked = "_walspout_parked";

constexpr const char* kTables[] = {
    "CREATE TABLE IF NOT EXISTS _walspout_tables(source_schema TEXT NOT NULL, source_table TEXT "
    "NOT NULL, mirror_table TEXT NOT NULL UNIQUE COLLATE NOCASE, state TEXT NOT NULL, reason TEXT, "
    "pipeline TEXT NOT NULL, sink TEXT NOT NULL, source_oid INTEGER NOT NULL, created INTEGER NOT "
    "NULL, PRIMARY KEY(pipeline, sink, source_schema, source_table))",
    "CREATE INDEX IF NOT EXISTS _walspout_tables_oid ON _walspout_tables(source_oid)",
    "CREATE TABLE IF NOT EXISTS _walspout_parked(source_schema TEXT NOT NULL, source_table TEXT "
    "NOT NULL, mirror_table TEXT NOT NULL UNIQUE COLLATE NOCASE, state TEXT NOT NULL, reason TEXT, "
    "pipeline TEXT NOT NULL, sink TEXT NOT NULL, source_oid INTEGER NOT NULL, created INTEGER NOT "
    "NULL, PRIMARY KEY(pipeline, sink, source_oid))",
    "CREATE TABLE IF NOT EXISTS _walspout_columns(mirror_table TEXT NOT NULL COLLATE NOCASE, "
    "source_column TEXT NOT NULL, mirror_column TEXT NOT NULL, source_type TEXT NOT NULL, "
    "source_attnum INTEGER NOT NULL, PRIMARY KEY(mirror_table, source_column))",
    "CREATE TABLE IF NOT EXISTS _walspout_position(pipeline TEXT NOT NULL, sink TEXT NOT NULL, "
    "lsn TEXT NOT NULL, commit_time TEXT, host_state BLOB, PRIMARY KEY(pipeline, sink))",
    "CREATE TABLE IF NOT EXISTS _walspout_shadows(pipeline TEXT NOT NULL, sink TEXT NOT NULL, "
    "copy_id INTEGER NOT NULL, source_oid INTEGER NOT NULL, source_schema TEXT NOT NULL, "
    "source_table TEXT NOT NULL, shadow_table TEXT NOT NULL PRIMARY KEY COLLATE NOCASE)"};

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

template <class... Args>
std::vector<TableRecord> Catalog::read(const char* from, const char* where, const Args&... args) {
  Statement s = db_.prepare(
      std::string("SELECT source_schema, source_table, mirror_table, state, coalesce(reason, ''), "
                  "source_oid, created FROM ") +
      from + " WHERE pipeline = ? AND sink = ?" + where);
  Database::bind_all(s, std::string_view(pipeline_), std::string_view(sink_), args...);
  std::vector<TableRecord> rows;
  while (s.step()) {
    TableRecord& row = rows.emplace_back();
    row.schema = s.text(0);
    row.table = s.text(1);
    row.mirror = s.text(2);
    row.state = s.text(3);
    row.reason = s.text(4);
    row.oid = static_cast<uint32_t>(s.integer(5));
    row.created = s.integer(6) != 0;
    row.parked = from == kParked;
  }
  return rows;
}

std::optional<TableRecord> Catalog::find(std::string_view schema, std::string_view table) {
  auto rows = read(kLive, " AND source_schema = ? AND source_table = ?", schema, table);
  return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
}

std::optional<TableRecord> Catalog::find_oid(uint32_t oid) {
  for (const char* from : {kLive, kParked})
    if (auto rows = read(from, " AND source_oid = ?", int64_t{oid}); !rows.empty())
      return std::move(rows.front());
  return std::nullopt;
}

std::vector<TableRecord> Catalog::parked() { return read(kParked, ""); }

void Catalog::save(const TableRecord& r) {
  std::string sql = "INSERT INTO ";
  sql.append(r.parked ? kParked : kLive)
      .append(
          "(pipeline, sink, source_schema, source_table, mirror_table, state, source_oid, created, "
          "reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, nullif(?, '')) ON CONFLICT(pipeline, sink, ")
      .append(r.parked ? "source_oid" : "source_schema, source_table")
      .append(
          ") DO UPDATE SET source_schema = excluded.source_schema, source_table = "
          "excluded.source_table, mirror_table = excluded.mirror_table, state = excluded.state, "
          "source_oid = excluded.source_oid, created = excluded.created, reason = excluded.reason");
  db_.run(sql, std::string_view(pipeline_), std::string_view(sink_), std::string_view(r.schema),
          std::string_view(r.table), std::string_view(r.mirror), std::string_view(r.state),
          int64_t{r.oid}, int64_t{r.created}, std::string_view(r.reason));
}

void Catalog::remove(const TableRecord& r) {
  std::string sql = "DELETE FROM ";
  sql.append(r.parked ? kParked : kLive)
      .append(" WHERE pipeline = ? AND sink = ? AND mirror_table = ?");
  db_.run(sql, std::string_view(pipeline_), std::string_view(sink_), std::string_view(r.mirror));
}

void Catalog::fail(const std::string& mirror, std::string_view reason) {
  for (const char* from : {kLive, kParked})
    db_.run(std::string("UPDATE ") + from +
                " SET state = 'failed', reason = ? WHERE pipeline = ? AND sink = ? AND "
                "mirror_table = ?",
            reason, std::string_view(pipeline_), std::string_view(sink_), std::string_view(mirror));
}

bool Catalog::name_taken(const std::string& name) {
  return db_.exists("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE",
                    std::string_view(name)) ||
         reserved(name);
}

bool Catalog::reserved(const std::string& name) {
  const std::string_view n = name;
  return db_.exists("SELECT 1 FROM _walspout_tables WHERE mirror_table = ?", n) ||
         db_.exists("SELECT 1 FROM _walspout_parked WHERE mirror_table = ?", n) ||
         db_.exists("SELECT 1 FROM _walspout_shadows WHERE shadow_table = ?", n);
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
  remove_columns(physical);
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

void Catalog::remove_columns(const std::string& physical) {
  db_.run("DELETE FROM _walspout_columns WHERE mirror_table = ?", std::string_view(physical));
}

std::vector<CopyRecord> Catalog::copies() {
  std::vector<CopyRecord> rows;
  Statement s = db_.prepare(
      "SELECT copy_id, source_oid, source_schema, source_table, shadow_table FROM "
      "_walspout_shadows WHERE pipeline = ? AND sink = ?");
  Database::bind_all(s, std::string_view(pipeline_), std::string_view(sink_));
  while (s.step())
    rows.push_back({static_cast<uint64_t>(s.integer(0)), static_cast<uint32_t>(s.integer(1)),
                    std::string(s.text(2)), std::string(s.text(3)), std::string(s.text(4))});
  return rows;
}

// A copy id is 64 bits without a sign: SQLite keeps the same bits in its signed integer.
void Catalog::save_copy(const CopyRecord& c) {
  db_.run("INSERT OR REPLACE INTO _walspout_shadows VALUES (?, ?, ?, ?, ?, ?, ?)",
          std::string_view(pipeline_), std::string_view(sink_), static_cast<int64_t>(c.id),
          int64_t{c.oid}, std::string_view(c.schema), std::string_view(c.table),
          std::string_view(c.shadow));
}

void Catalog::remove_copy(const CopyRecord& c) {
  db_.run("DELETE FROM _walspout_shadows WHERE shadow_table = ?", std::string_view(c.shadow));
  remove_columns(c.shadow);
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
