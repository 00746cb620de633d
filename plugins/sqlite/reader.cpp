#include "reader.hpp"

#include <filesystem>

#include "catalog.hpp"
#include "names.hpp"

namespace walspout::sqlite {

namespace {

constexpr int kBusyMs = 5000;  // readers wait only while a killed writer's WAL is recovered

NumericMode mode_of(const std::string& option) {
  if (option == "text") return NumericMode::kText;
  return option == "real" ? NumericMode::kReal : NumericMode::kAuto;
}

// What SQLite says when the reader runs into it.
template <class F>
auto reading(const std::string& path, F&& f) {
  try {
    return f();
  } catch (const SqliteError& e) {
    const std::string what = printable("cannot read " + path + ": " + e.what());
    switch (e.primary()) {
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
      case SQLITE_SCHEMA:
        throw Retry(what);
      case SQLITE_NOTADB:
      case SQLITE_CORRUPT:
        throw BadConfig(what + "; move the file away and copy anew, or restore it from a backup");
      default:
        throw BadConfig(what + "; check path and the rights on the file and its folder");
    }
  }
}

std::string_view text(const walspout_value& v) {
  return {static_cast<const char*>(v.data), v.size};
}

}  // namespace

MirrorReader::MirrorReader(const Context& context)
    : path_(context.string("path").value_or("")),
      pipeline_(context.pipeline()),
      sink_(context.sink()),
      mode_(mode_of(context.string("numeric").value_or("auto"))) {
  std::error_code none;
  if (!std::filesystem::exists(path_, none))
    throw Retry(path_ + " does not exist; start the host, which makes it");
  reading(path_, [&] {
    sqlite3* raw = nullptr;
    const std::string name = path_.rfind("file:", 0) == 0 ? "./" + path_ : path_;
    const int rc =
        sqlite3_open_v2(name.c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
    db_.reset(raw);
    if (rc != SQLITE_OK) throw SqliteError(rc, raw ? sqlite3_errmsg(raw) : sqlite3_errstr(rc));
    sqlite3_extended_result_codes(raw, 1);
    sqlite3_busy_timeout(raw, kBusyMs);
    // The first SELECT takes the snapshot that all later ones see.
    if (sqlite3_exec(raw, "BEGIN", nullptr, nullptr, nullptr) != SQLITE_OK)
      throw SqliteError(sqlite3_extended_errcode(raw), sqlite3_errmsg(raw));
    position_ = read_position();
    return 0;
  });
}

Lsn MirrorReader::read_position() {
  Statement known(db_.get(), "SELECT 1 FROM sqlite_schema WHERE name = '_walspout_position'");
  if (!known.step()) return 0;
  Statement s(db_.get(), "SELECT lsn FROM _walspout_position WHERE pipeline = ? AND sink = ?");
  Database::bind_all(s, std::string_view(pipeline_), std::string_view(sink_));
  return s.step() ? parse_lsn(s.text(0)) : 0;
}

Reader::Presence MirrorReader::state_of(const walspout_relation& r, std::string& mirror) {
  Statement s(db_.get(),
              "SELECT mirror_table, state, coalesce(reason, ''), source_oid, created FROM "
              "_walspout_tables WHERE "
              "pipeline = ? AND sink = ? AND source_schema = ? AND source_table = ?");
  Database::bind_all(s, std::string_view(pipeline_), std::string_view(sink_), view(r.schema),
                     view(r.name));
  if (!s.step()) return {0, "the mirror does not have it"};
  mirror = s.text(0);
  const auto oid = static_cast<uint32_t>(s.integer(3));
  if (oid != 0 && r.oid != 0 && oid != r.oid)
    return {0, "the mirror still has the table that had this name before"};
  if (s.text(1) == "copying") return {0, "it is being copied"};
  if (s.text(1) == "failed") {
    const std::string why = printable(s.text(2));
    return {-1, "it has failed" + (why.empty() ? "" : ": " + why)};
  }
  if (s.integer(4) == 0) return {0, "the mirror does not have it yet"};
  return {};
}

Reader::Presence MirrorReader::table(const walspout_relation& r, uint8_t* forms) {
  return reading(path_, [&]() -> Presence {
    std::string mirror;
    if (Presence state = state_of(r, mirror); state.present != 1) return state;
    table_ = quote(mirror);
    columns_.clear();
    Statement exists(db_.get(),
                     "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? "
                     "COLLATE NOCASE");
    Database::bind_all(exists, std::string_view(mirror));
    if (!exists.step()) return {-1, "table " + printable(mirror) + " was dropped from the mirror"};
    Statement s(db_.get(),
                "SELECT c.mirror_column FROM _walspout_columns c JOIN pragma_table_info(?1) p ON "
                "p.name = c.mirror_column COLLATE NOCASE WHERE c.mirror_table = ?1 AND "
                "c.source_column = ?2");
    for (uint32_t i = 0; i < r.column_count; ++i) {
      const walspout_column& c = *r.columns[i];
      Database::bind_all(s, std::string_view(mirror), view(c.name));
      if (!s.step()) return {0, "the mirror has no column " + printable(view(c.name))};
      columns_.push_back({quote(s.text(0)), kind_of(c, mode_), c.element_type_oid});
      forms[i] = form_of(columns_.back().kind);
      s.reset();
    }
    return {};
  });
}

std::string MirrorReader::select() const {
  std::string sql = "SELECT ";
  for (const Column& c : columns_) sql += (&c == columns_.data() ? "" : ", ") + c.name;
  return sql + (columns_.empty() ? "1" : "") + " FROM " + table_;
}

// key: array columns of it are compared here, as the same array has several spellings in JSON.
void MirrorReader::rows(Statement& statement, const walspout_value* key, RowSink row) {
  std::vector<walspout_value> values(columns_.size());
  std::vector<std::string> buffers(columns_.size());
  while (statement.step()) {
    bool wanted = true;
    for (size_t i = 0; i < columns_.size(); ++i) {
      values[i] = read_value(statement, static_cast<int>(i), columns_[i].kind,
                             columns_[i].element_type_oid, buffers[i]);
      if (key != nullptr && columns_[i].kind == Kind::kArray && key[i].state == WALSPOUT_TEXT)
        wanted = wanted && values[i].state == WALSPOUT_TEXT && text(values[i]) == text(key[i]);
    }
    if (wanted && !row(values.data())) return;
  }
}

void MirrorReader::scan(RowSink row) {
  reading(path_, [&] {
    Statement s(db_.get(), select());
    rows(s, nullptr, row);
    return 0;
  });
}

void MirrorReader::find(const walspout_value* key, RowSink row) {
  const auto searched = [&](size_t i) {
    return key[i].state == WALSPOUT_NULL ||
           (key[i].state == WALSPOUT_TEXT && columns_[i].kind != Kind::kArray);
  };
  reading(path_, [&] {
    std::string sql = select();
    const char* separator = " WHERE ";
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (!searched(i)) continue;
      sql += separator + columns_[i].name + " IS ?";
      separator = " AND ";
    }
    Statement s(db_.get(), sql);
    Binder binder;
    int index = 0;
    try {
      for (size_t i = 0; i < columns_.size(); ++i)
        if (searched(i)) binder.bind(s, ++index, columns_[i].kind, 0, key[i]);
    } catch (const BadValue&) {
      return 0;  // what cannot be stored is in no row
    }
    rows(s, key, row);
    return 0;
  });
}

}  // namespace walspout::sqlite
