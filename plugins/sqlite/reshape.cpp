// Brings a table that has rows into another shape. ALTER TABLE does most of it, and takes the
// user's indexes, views and triggers along; types and keys need a new table.
#include <algorithm>

#include "names.hpp"
#include "plan.hpp"
#include "shape.hpp"

namespace walspout::sqlite {

namespace {

// What the source did not do row by row fires no trigger of the user's.
class TriggersOff {
 public:
  explicit TriggersOff(Database& db) : db_(db) { set(0); }
  ~TriggersOff() { set(1); }
  TriggersOff(const TriggersOff&) = delete;
  TriggersOff& operator=(const TriggersOff&) = delete;

 private:
  void set(int on) { sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_ENABLE_TRIGGER, on, nullptr); }
  Database& db_;
};

// PostgreSQL prints a numeric(10,2) with two decimals, and goes on to when the declaration goes; a
// number has no trailing zeros. What is text already, NaN, stays.
std::string as_text(const std::string& column, int scale) {
  const std::string zeros = scale > 0 ? "." + std::string(static_cast<size_t>(scale), '0') : "";
  return "CASE typeof(" + column + ") WHEN 'integer' THEN " + column + " || '" + zeros +
         "' WHEN 'real' THEN printf('%." + std::to_string(scale) + "f', " + column + ") ELSE " +
         column + " END";
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(),
                     [&name](const std::string& n) { return same_name(n, name); });
}

}  // namespace

void Shaper::reshape(const walspout_relation& r, const std::string& physical, const ShapeHint& hint,
                     bool same_source) {
  Plan plan = make_plan(r, physical, hint, same_source);
  if (plan.unchanged) return;
  const std::vector<std::string> broken = broken_views(db_);
  Notes notes;
  drop_columns(physical, plan, notes);
  rename_columns(physical, plan, notes);
  if (plan.rebuild) {
    reporter_.info(label_of(r) + ": rebuilding " + physical + " for its new shape");
    rebuild(physical, plan, notes);
  } else {
    add_columns(physical, plan);
  }
  record(r, physical, plan.names);
  note_broken_views(db_, broken, notes);
  if (notes.text().empty()) return;
  reporter_.warn(label_of(r) + ", whose shape changed: " + notes.text() +
                 (notes.resync() ? "; to have it exact: walspout resync FILE " + label_of(r) : ""));
}

// A column that something of the user's needs stays, unless another one gets its name. What SQLite
// drops for other reasons only, a key column say, the rebuild leaves out.
void Shaper::drop_columns(const std::string& physical, Plan& plan, Notes& notes) {
  if (plan.gone.empty()) return;
  set_identity_index(db_, physical, {});  // it may hold one of them
  for (const std::string& gone : plan.gone) {
    const std::string users = users_of(db_, physical, gone);
    if (users.empty() || contains(plan.names, gone)) {
      try {
        db_.exec("ALTER TABLE " + quote(physical) + " DROP COLUMN " + quote(gone));
      } catch (const SqliteError& e) {
        if (e.primary() != SQLITE_ERROR) throw;
        plan.rebuild = true;
      }
      continue;
    }
    for (const PhysicalColumn& c : plan.present)
      if (same_name(c.name, gone)) plan.extra.push_back(c);
    std::string what = "column " + gone;
    what += " is gone from the source but stays, NULL in new rows, for ";
    notes.add(what += users);
  }
}

// Names may go round in circles: where the new name is still another column's, by way of one that
// nobody has.
void Shaper::rename_columns(const std::string& physical, Plan& plan, Notes& notes) {
  const std::vector<PhysicalColumn> present = physical_columns(db_, physical);
  std::vector<std::pair<std::string, std::string>> first, then;
  for (size_t i = 0; i < plan.names.size(); ++i) {
    if (plan.from[i].empty() || plan.from[i] == plan.names[i]) continue;
    std::string from = plan.from[i];
    if (has_column(present, plan.names[i])) {
      const std::string between = "_walspout_column_" + std::to_string(i);
      first.emplace_back(from, between);
      from = between;
    }
    then.emplace_back(from, plan.names[i]);
  }
  if (then.empty()) return;
  first.insert(first.end(), then.begin(), then.end());
  try {
    Savepoint savepoint(db_);
    for (const auto& [from, to] : first)
      db_.exec("ALTER TABLE " + quote(physical) + " RENAME COLUMN " + quote(from) + " TO " +
               quote(to));
    savepoint.release();
    for (size_t i = 0; i < plan.names.size(); ++i)
      if (!plan.from[i].empty()) plan.from[i] = plan.names[i];
  } catch (const SqliteError& e) {
    if (e.primary() != SQLITE_ERROR) throw;
    plan.rebuild = true;
    if (const std::string users = users_of(db_, physical); !users.empty())
      notes.add(users +
                " may still have columns' old names, as SQLite could not rename them: " + e.what());
  }
}

void Shaper::add_columns(const std::string& physical, const Plan& plan) {
  std::string sets;
  for (size_t i = 0; i < plan.names.size(); ++i) {
    if (!plan.from[i].empty()) continue;
    db_.exec("ALTER TABLE " + quote(physical) + " ADD COLUMN " + quote(plan.names[i]) + " " +
             plan.wanted[i].type);
    if (plan.fill[i] != nullptr) sets += (sets.empty() ? "" : ", ") + quote(plan.names[i]) + " = ?";
  }
  if (sets.empty()) return;
  const TriggersOff off(db_);
  Statement fill = db_.prepare("UPDATE " + quote(physical) + " SET " + sets);
  Binder binder;
  int index = 0;
  for (size_t i = 0; i < plan.names.size(); ++i)
    if (plan.fill[i] != nullptr)
      binder.bind(fill, ++index, plan.kinds[i], plan.elements[i], *plan.fill[i]);
  fill.run();
}

// Whether each old row has a value in every column of the new key.
bool Shaper::key_is_sure(const std::string& physical, const Plan& plan) {
  std::string nulls;
  for (size_t i = 0; i < plan.names.size(); ++i) {
    if (plan.wanted[i].key == 0) continue;
    if (plan.from[i].empty()) {
      if (plan.fill[i] == nullptr) return false;
      continue;
    }
    nulls += (nulls.empty() ? "" : " OR ") + quote(plan.from[i]) + " IS NULL";
  }
  return nulls.empty() || !db_.exists("SELECT 1 FROM " + quote(physical) + " WHERE " + nulls);
}

void Shaper::move_rows(const std::string& physical, const std::string& target, const Plan& plan,
                       const std::vector<PhysicalColumn>& columns) {
  std::string to, from;
  const auto add = [&](const std::string& name, const std::string& value) {
    to += (to.empty() ? "" : ", ") + quote(name);
    from += (from.empty() ? "" : ", ") + value;
  };
  for (size_t i = 0; i < plan.names.size(); ++i) {
    if (!plan.from[i].empty()) {
      const std::string column = quote(plan.from[i]);
      add(plan.names[i], plan.scale[i] ? as_text(column, *plan.scale[i]) : column);
    } else if (plan.fill[i] != nullptr) {
      add(plan.names[i], "?");
    }
  }
  for (const PhysicalColumn& extra : plan.extra) add(extra.name, quote(extra.name));
  // No column stays: the rows do, as far as there is something to tell them.
  for (const PhysicalColumn& c : columns)
    if (to.empty() && (c.key == 0 || c.name == kHiddenRow)) add(c.name, "NULL");
  if (to.empty()) add(columns.front().name, "NULL");
  // OR REPLACE: a new key may be one that rows of a mirror out of step share.
  Statement move = db_.prepare("INSERT OR REPLACE INTO " + quote(target) + "(" + to + ") SELECT " +
                               from + " FROM " + quote(physical));
  Binder binder;
  int index = 0;
  for (size_t i = 0; i < plan.names.size(); ++i)
    if (plan.from[i].empty() && plan.fill[i] != nullptr)
      binder.bind(move, ++index, plan.kinds[i], plan.elements[i], *plan.fill[i]);
  move.run();
}

// A new table, the rows moved over, swapped in.
void Shaper::rebuild(const std::string& physical, const Plan& plan, Notes& notes) {
  std::string name = "_walspout_new";
  for (int n = 2; catalog_.name_taken(name); ++n) name = "_walspout_new_" + std::to_string(n);
  std::vector<PhysicalColumn> columns = plan.wanted;
  for (PhysicalColumn extra : plan.extra) {
    extra.key = 0;
    columns.push_back(extra);
  }
  const auto count = [this](const std::string& table) {
    return db_.column("SELECT count(*) FROM " + quote(table)).front();
  };
  const auto note = [&](const std::string& what) {
    notes.add(what);
    notes.ask_for_resync();
    catalog_.fail(physical, what);
  };
  const bool sure = !plan.key_changed || key_is_sure(physical, plan);
  create_table(db_, name, columns, !sure);
  try {
    Savepoint savepoint(db_);
    move_rows(physical, name, plan, columns);
    savepoint.release();
  } catch (const SqliteError& e) {
    // A key of one INTEGER takes integers only. What else is there now, the change itself has made
    // into integers at the source, and a new copy will bring them.
    if (e.primary() != SQLITE_MISMATCH) throw;
    db_.exec("DROP TABLE " + quote(name));
    create_table(db_, name, columns, true);
    move_rows(physical, name, plan, columns);
    note("old rows have other values than integers in the key");
  }
  if (!sure) note("the key got a column whose values in old rows did not come with the change");
  if (plan.key_changed && sure) {
    const std::string before = count(physical), after = count(name);
    if (before != after)
      note("old rows shared a key, of " + before + " there are " + after + " left");
  }
  if (plan.scale_unknown) note("old numbers became text without the zeros at their ends");
  replace_table(db_, physical, name, {}, notes);
}

}  // namespace walspout::sqlite
