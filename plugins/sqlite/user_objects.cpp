#include "user_objects.hpp"

#include <algorithm>

#include "names.hpp"
#include "physical.hpp"

namespace walspout::sqlite {

namespace {

bool is_word(char c) {
  return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || (static_cast<unsigned char>(c) & 0x80) != 0;
}

// Whether the SQL holds the name as a word of its own.
bool mentions(const std::string& sql, const std::string& name) {
  const std::string text = fold(sql), word = fold(name);
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end])))
      return true;
  }
  return false;
}

std::vector<UserObject> select(Database& db, const std::string& where, const std::string& table) {
  std::vector<UserObject> objects;
  Statement s = db.prepare(
      "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE "
      "'\\_walspout%' ESCAPE '\\' AND " +
      where + " ORDER BY rowid");
  s.bind(1, std::string_view(table));
  while (s.step())
    objects.push_back({std::string(s.text(0)), std::string(s.text(1)), std::string(s.text(2))});
  return objects;
}

void append(std::string& list, const UserObject& o) {
  list += (list.empty() ? "" : ", ") + o.type + " " + o.name;
}

// Whether the statement compiles. What keeps it from that otherwise (no memory, say) is thrown.
bool compiles(Database& db, const std::string& sql) {
  try {
    db.prepare(sql);
    return true;
  } catch (const SqliteError& e) {
    if (e.primary() != SQLITE_ERROR) throw;
    return false;
  }
}

}  // namespace

std::vector<UserObject> objects_on(Database& db, const std::string& table) {
  return select(db, "tbl_name = ?1 COLLATE NOCASE AND type IN ('index', 'trigger')", table);
}

std::string users_of(Database& db, const std::string& table, const std::string& column) {
  std::string list;
  for (const UserObject& o : select(
           db, "(type IN ('view', 'trigger') OR type = 'index' AND tbl_name = ?1 COLLATE NOCASE)",
           table))
    if (mentions(o.sql, table) && mentions(o.sql, column)) append(list, o);
  return list;
}

std::string users_of(Database& db, const std::string& table) {
  std::string list;
  for (const UserObject& o : select(db, "type IN ('view', 'trigger') AND ?1 <> ''", table))
    if (mentions(o.sql, table)) append(list, o);
  return list;
}

std::vector<std::string> broken_views(Database& db) {
  std::vector<std::string> broken;
  for (const std::string& name : db.column("SELECT name FROM sqlite_schema WHERE type = 'view'"))
    if (!compiles(db, "SELECT * FROM " + quote(name))) broken.push_back(name);
  return broken;
}

void note_broken_views(Database& db, const std::vector<std::string>& before, Notes& notes) {
  std::string list;
  for (const std::string& name : broken_views(db))
    if (std::find(before.begin(), before.end(), name) == before.end())
      append(list, {"view", name, {}});
  if (!list.empty()) notes.add(list + " cannot be read any more");
}

bool triggers_compile(Database& db, const std::string& table) {
  std::string sets;
  for (const PhysicalColumn& c : physical_columns(db, table))
    sets += (sets.empty() ? "" : ", ") + quote(c.name) + " = " + quote(c.name);
  return compiles(db, "INSERT INTO " + quote(table) + " DEFAULT VALUES") &&
         compiles(db, "UPDATE " + quote(table) + " SET " + sets) &&
         compiles(db, "DELETE FROM " + quote(table));
}

void restore_objects(Database& db, const std::string& table, const std::vector<UserObject>& objects,
                     bool check_triggers, Notes& notes) {
  const auto lost = [&notes](const UserObject& o, const std::string& why) {
    notes.add(o.type + " " + o.name + " does not fit any more and was dropped" + why +
              "; it was: " + o.sql);
  };
  for (const UserObject& o : objects) {
    try {
      db.exec(o.sql);
    } catch (const SqliteError& e) {
      if (e.primary() != SQLITE_ERROR && e.primary() != SQLITE_CONSTRAINT) throw;
      lost(o, std::string(" (") + e.what() + ")");
      continue;
    }
    if (o.type != "trigger" || !check_triggers || triggers_compile(db, table)) continue;
    db.exec("DROP TRIGGER " + quote(o.name));
    lost(o, {});
  }
}

}  // namespace walspout::sqlite
