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

// The legacy rename leaves views and triggers that speak of the table as they are: its old name
// means another table from now on, or they are broken anyway.
void rename_alone(Database& db, const std::string& table, const std::string& name) {
  db.exec("PRAGMA legacy_alter_table = ON");
  try {
    db.exec("ALTER TABLE " + quote(table) + " RENAME TO " + quote(name));
  } catch (...) {
    sqlite3_exec(db.get(), "PRAGMA legacy_alter_table = OFF", nullptr, nullptr, nullptr);
    throw;
  }
  db.exec("PRAGMA legacy_alter_table = OFF");
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

bool has_column(const std::vector<PhysicalColumn>& columns, const std::string& name) {
  return std::any_of(columns.begin(), columns.end(),
                     [&name](const PhysicalColumn& c) { return same_name(c.name, name); });
}

bool table_exists(Database& db, const std::string& table) {
  return db.exists("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE",
                   std::string_view(table));
}

void create_table(Database& db, const std::string& table,
                  const std::vector<PhysicalColumn>& columns, bool loose_key) {
  const auto keys =
      std::count_if(columns.begin(), columns.end(), [](const auto& c) { return c.key != 0; });
  std::string sql = "CREATE TABLE " + quote(table) + "(";
  bool inline_key = false;
  for (size_t i = 0; i < columns.size(); ++i) {
    const PhysicalColumn& c = columns[i];
    if (i != 0) sql += ", ";
    sql += quote(c.name) + " " + c.type;
    // In this form the column is the rowid itself: no index, the fastest look-up there is. With
    // DESC it is not (a quirk that SQLite keeps for ever, "ROWIDs and the INTEGER PRIMARY KEY").
    if (c.key != 0 && keys == 1 && c.type == "INTEGER") {
      sql += loose_key ? " PRIMARY KEY DESC" : " PRIMARY KEY";
      inline_key = true;
    }
  }
  if (keys != 0 && !inline_key) sql += ", PRIMARY KEY(" + key_list(columns) + ")";
  db.exec(sql + ")");
}

void rename_table(Database& db, const std::string& table, const std::string& name, Notes& notes) {
  try {
    db.exec("ALTER TABLE " + quote(table) + " RENAME TO " + quote(name));
  } catch (const SqliteError& e) {
    if (e.primary() != SQLITE_ERROR) throw;
    rename_alone(db, table, name);
    if (const std::string users = users_of(db, table); !users.empty())
      notes.add(users + " still names " + table + ", as SQLite could not rename it: " + e.what());
  }
}

void replace_table(Database& db, const std::string& table, const std::string& replacement,
                   const std::string& aside, Notes& notes) {
  const std::vector<UserObject> objects = objects_on(db, table);
  const bool compiled = objects.empty() || triggers_compile(db, table);
  if (aside.empty()) {
    db.exec("DROP TABLE IF EXISTS " + quote(table));
  } else {
    for (const UserObject& o : objects) db.exec("DROP " + o.type + " " + quote(o.name));
    rename_alone(db, table, aside);
  }
  rename_alone(db, replacement, table);
  restore_objects(db, table, objects, compiled, notes);
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
    if (!has_column(columns, alias)) return alias;
  return {};
}

}  // namespace walspout::sqlite
