// What the user built on the mirror's tables: indexes, triggers, views. They stay where SQLite can
// keep them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "database.hpp"

namespace walspout::sqlite {

struct UserObject {
  std::string type, name, sql;  // index, trigger or view
};

// What cannot be kept: one log line names all of it.
class Notes {
 public:
  void add(const std::string& note) { text_ += (text_.empty() ? "" : "; ") + note; }
  void ask_for_resync() { resync_ = true; }
  const std::string& text() const { return text_; }
  bool resync() const { return resync_; }

 private:
  std::string text_;
  bool resync_ = false;
};

// Indexes and triggers on a table, in the order they were made.
std::vector<UserObject> objects_on(Database& db, const std::string& table);

// "index mine, view seen": what names the column, judged by its text, so that it may be one too
// many. Empty: nothing.
std::string users_of(Database& db, const std::string& table, const std::string& column);
// The same for views and triggers that name the table.
std::string users_of(Database& db, const std::string& table);

// Names of views that cannot be read.
std::vector<std::string> broken_views(Database& db);
// Notes those that are broken now and were not before.
void note_broken_views(Database& db, const std::vector<std::string>& before, Notes& notes);

// Whether statements on the table compile with its triggers.
bool triggers_compile(Database& db, const std::string& table);

// Creates the objects again, on the table that has their table's name now. Those that do not fit
// are noted; so are, when check_triggers, triggers that would fail every statement.
void restore_objects(Database& db, const std::string& table, const std::vector<UserObject>& objects,
                     bool check_triggers, Notes& notes);

}  // namespace walspout::sqlite
