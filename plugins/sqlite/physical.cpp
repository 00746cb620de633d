#include "physical.hpp"

#include <algorithm>

#include "names.hpp"

namespace walspout::sqlite {

namespace {

constexpr const char* kIdentityIndex = "_walspout_identity_";

std::string key_list(const std::vector<PhysicalColumn>& columns) {
  std::vector<const PhysicalColumn*> key;
  for (const PhysicalColumn& c : columns)
    if (c.key != 0) key.push_back(&c);
  std::sort(key.begin(), key.end(), [](auto* a, auto* b) { return a->key < b->key; });
  std::string list;
  for (const PhysicalColumn* c : key) list += (list.empty() ? "" : ", ") + quote(c->name);
  return list;
}

// The user's indexes and triggers on a table, as their CREATE statements.
struct UserObject {
  std::string type, name, sql;
};

std::vector<UserObject> user_objects(Database& db, const std::string& table) {
  std::vector<UserObject> objects;
  Statement s = db.prepare(
      "SELECT type, name, sql FROM sqlite_schema WHERE tbl_name = ? COLLATE NOCASE AND type IN "
      "('index', 'trigger') AND sql IS NOT NULL AND name NOT LIKE '\\_walspout%' ESCAPE '\\' "
      "ORDER BY rowid");
  Database::bind_all(s, std::string_view(table));
  while (s.step())
    objects.push_back({std::string(s.text(0)), std::string(s.text(1)), std::string(s.text(2))});
  return objects;
}

}  // namespace

std::vector<PhysicalColumn> physical_columns(Database& db, const std::string& table) {
  std::vector<PhysicalColumn> columns;
  Statement s = db.prepare("SELECT name, type, pk FROM pragma_table_info(?)");
  Database::bind_all(s, std::string_view(table));
  while (s.step())
    columns.push_back(
        {std::string(s.text(0)), std::string(s.text(1)), static_cast<int>(s.integer(2))});
  return columns;
}

bool table_exists(Database& db, const std::string& table) {
  return db.exists("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE",
                   std::string_view(table));
}

void create_table(Database& db, const std::string& table,
                  const std::vector<PhysicalColumn>& columns) {
  const auto keys =
      std::count_if(columns.begin(), columns.end(), [](const auto& c) { return c.key != 0; });
  std::string sql = "CREATE TABLE " + quote(table) + "(";
  bool inline_key = false;
  for (size_t i = 0; i < columns.size(); ++i) {
    const PhysicalColumn& c = columns[i];
    if (i != 0) sql += ", ";
    sql += quote(c.name) + " " + c.type;
    // In this form the column is the rowid itself: no index, the fastest look-up there is.
    if (c.key != 0 && keys == 1 && c.type == "INTEGER") {
      sql += " PRIMARY KEY";
      inline_key = true;
    }
  }
  if (keys != 0 && !inline_key) sql += ", PRIMARY KEY(" + key_list(columns) + ")";
  db.exec(sql + ")");
}

void replace_table(Database& db, const Reporter& reporter, const std::string& table,
                   const std::string& replacement) {
  const std::vector<UserObject> objects = user_objects(db, table);
  db.exec("DROP TABLE IF EXISTS " + quote(table));
  // The legacy rename leaves views and triggers that speak of `table` as they are, which is what
  // is wanted: the name means the new table from now on.
  db.exec("PRAGMA legacy_alter_table = ON");
  try {
    db.exec("ALTER TABLE " + quote(replacement) + " RENAME TO " + quote(table));
  } catch (...) {
    sqlite3_exec(db.get(), "PRAGMA legacy_alter_table = OFF", nullptr, nullptr, nullptr);
    throw;
  }
  db.exec("PRAGMA legacy_alter_table = OFF");
  for (const UserObject& o : objects) {
    try {
      db.exec(o.sql);
    } catch (const SqliteError& e) {
      if (e.primary() != SQLITE_ERROR && e.primary() != SQLITE_CONSTRAINT) throw;
      reporter.warn("the " + o.type + " " + o.name + " on " + table +
                    " does not fit the table any more and was dropped: " + e.what() +
                    "; it was: " + o.sql);
    }
  }
}

void set_identity_index(Database& db, const std::string& table,
                        const std::vector<std::string>& columns) {
  std::string wanted;
  for (const std::string& c : columns) wanted += (wanted.empty() ? "" : ", ") + c;
  const auto names = db.column(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? COLLATE NOCASE AND "
      "name LIKE '\\_walspout\\_identity\\_%' ESCAPE '\\'",
      std::string_view(table));
  bool found = false;
  for (const std::string& name : names) {
    std::string present;
    for (const std::string& c :
         db.column("SELECT name FROM pragma_index_info(?) ORDER BY seqno", std::string_view(name)))
      present += (present.empty() ? "" : ", ") + quote(c);
    if (present == wanted) {
      found = true;
    } else {
      db.exec("DROP INDEX " + quote(name));
    }
  }
  if (found || columns.empty()) return;
  std::string name;
  for (int n = 1;; ++n) {
    name = kIdentityIndex + std::to_string(n);
    if (!db.exists("SELECT 1 FROM sqlite_schema WHERE name = ?", std::string_view(name))) break;
  }
  db.exec("CREATE INDEX " + quote(name) + " ON " + quote(table) + "(" + wanted + ")");
}

std::string free_row_id(const std::vector<PhysicalColumn>& columns) {
  for (const char* alias : {"rowid", "_rowid_", "oid"})
    if (std::none_of(columns.begin(), columns.end(),
                     [alias](const PhysicalColumn& c) { return same_name(c.name, alias); }))
      return alias;
  return {};
}

}  // namespace walspout::sqlite
