#include "shape.hpp"

#include <algorithm>

#include "names.hpp"
#include "plan.hpp"

namespace walspout::sqlite {

namespace {

std::string_view view(walspout_str s) { return {s.data, s.size}; }

std::vector<uint32_t> flagged(const walspout_relation& r, uint32_t flag) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < r.column_count; ++i)
    if ((r.columns[i]->flags & flag) != 0) found.push_back(i);
  return found;
}

// The primary key; without one the replica identity's columns, unless that is the whole row. In the
// key's order.
std::vector<uint32_t> key_of(const walspout_relation& r) {
  std::vector<uint32_t> key = flagged(r, WALSPOUT_COLUMN_PRIMARY);
  if (key.empty() && (r.replica_identity == 'i' || r.replica_identity == 'd'))
    key = flagged(r, WALSPOUT_COLUMN_KEY);
  std::stable_sort(key.begin(), key.end(), [&r](uint32_t a, uint32_t b) {
    return r.columns[a]->key_ordinal < r.columns[b]->key_ordinal;
  });
  return key;
}

// The columns that find a row when no old row came: the replica identity's. Under FULL that happens
// only when a partition's own identity is its primary key.
std::vector<uint32_t> located_by(const walspout_relation& r) {
  if (r.replica_identity == 'i' || r.replica_identity == 'd') {
    std::vector<uint32_t> identity = flagged(r, WALSPOUT_COLUMN_KEY);
    if (!identity.empty()) return identity;
  }
  return flagged(r, WALSPOUT_COLUMN_PRIMARY);
}

bool same_keys(const std::vector<PhysicalColumn>& a, const std::vector<PhysicalColumn>& b) {
  const auto key = [](const std::vector<PhysicalColumn>& columns) {
    std::vector<std::string> names;
    for (int place = 1;; ++place) {
      const auto c = std::find_if(columns.begin(), columns.end(),
                                  [place](const PhysicalColumn& p) { return p.key == place; });
      if (c == columns.end()) return names;
      names.push_back(fold(c->name));
    }
  };
  return key(a) == key(b);
}

const PhysicalColumn* find(const std::vector<PhysicalColumn>& columns, std::string_view name) {
  for (const PhysicalColumn& c : columns)
    if (same_name(c.name, name)) return &c;
  return nullptr;
}

}  // namespace

std::string label_of(const walspout_relation& r) {
  return std::string(view(r.schema)) + "." + std::string(view(r.name));
}

std::string Shaper::give_name(const walspout_relation& r, uint32_t column,
                              const std::vector<std::string>& taken) {
  std::vector<std::string> sources;
  for (uint32_t i = 0; i < r.column_count; ++i)
    if (i != column) sources.emplace_back(view(r.columns[i]->name));
  const std::string_view source = view(r.columns[column]->name);
  std::string name = column_name(source, taken, sources);
  if (name != source)
    reporter_.warn(label_of(r) + ": column " + std::string(source) + " is mirrored as " + name +
                   ", since SQLite ignores case or the name is reserved");
  return name;
}

std::vector<PhysicalColumn> Shaper::wanted(const walspout_relation& r,
                                           const std::vector<std::string>& names) {
  std::vector<PhysicalColumn> columns;
  for (uint32_t i = 0; i < r.column_count; ++i)
    columns.push_back({names[i], declared_type(kind_of(*r.columns[i], mode_)), 0});
  int place = 0;
  for (const uint32_t k : key_of(r)) columns[k].key = ++place;
  if (place == 0 && (columns.empty() || free_row_id(columns).empty()))
    columns.push_back({kHiddenRow, "INTEGER", 1});
  return columns;
}

void Shaper::record(const walspout_relation& r, const std::string& physical,
                    const std::vector<std::string>& names) {
  std::vector<ColumnRecord> records;
  for (uint32_t i = 0; i < r.column_count; ++i)
    records.push_back({std::string(view(r.columns[i]->name)), names[i],
                       std::string(view(r.columns[i]->type_name)), r.columns[i]->attnum});
  catalog_.save_columns(physical, records);
}

void Shaper::create(const walspout_relation& r, const std::string& physical,
                    const std::vector<ColumnRecord>& like) {
  std::vector<std::string> names(r.column_count), taken;
  for (uint32_t i = 0; i < r.column_count; ++i)
    for (const ColumnRecord& c : like)
      if (c.source == view(r.columns[i]->name)) taken.push_back(names[i] = c.mirror);
  for (uint32_t i = 0; i < r.column_count; ++i)
    if (names[i].empty()) taken.push_back(names[i] = give_name(r, i, taken));
  create_table(db_, physical, wanted(r, names));
  record(r, physical, names);
}

Shaper::Plan Shaper::make_plan(const walspout_relation& r, const std::string& physical,
                               const ShapeHint& hint, bool same_source) {
  Plan plan;
  plan.present = physical_columns(db_, physical);
  std::vector<ColumnRecord> records = catalog_.columns(physical);
  // A column that the user dropped from the mirror is new again.
  std::erase_if(records, [&](const ColumnRecord& c) { return !find(plan.present, c.mirror); });
  const std::vector<int> origin =
      match_columns(r, records, hint.old_relation, hint.old_index, same_source);

  std::vector<std::string> taken;
  for (const PhysicalColumn& c : plan.present) {
    const bool mapped =
        std::any_of(records.begin(), records.end(),
                    [&](const ColumnRecord& record) { return same_name(record.mirror, c.name); });
    if (mapped) continue;
    if (c.name != kHiddenRow) plan.extra.push_back(c);
    taken.push_back(c.name);
  }
  plan.from.resize(r.column_count);
  plan.names.resize(r.column_count);
  std::vector<bool> used(records.size(), false);
  for (uint32_t i = 0; i < r.column_count; ++i) {
    if (origin[i] < 0) continue;
    const ColumnRecord& c = records[static_cast<size_t>(origin[i])];
    used[static_cast<size_t>(origin[i])] = true;
    plan.from[i] = c.mirror;
    if (c.source == view(r.columns[i]->name)) taken.push_back(plan.names[i] = c.mirror);
  }
  for (size_t j = 0; j < records.size(); ++j)
    if (!used[j]) plan.gone.push_back(records[j].mirror);
  for (uint32_t i = 0; i < r.column_count; ++i)
    if (plan.names[i].empty()) taken.push_back(plan.names[i] = give_name(r, i, taken));

  plan.wanted = wanted(r, plan.names);
  std::vector<PhysicalColumn> kept = plan.present;  // under their future names
  for (PhysicalColumn& c : kept)
    for (uint32_t i = 0; i < r.column_count; ++i)
      if (same_name(plan.from[i], c.name)) {
        if (c.type != plan.wanted[i].type) plan.rebuild = true;
        c.name = plan.names[i];
        break;
      }
  if (!same_keys(kept, plan.wanted)) plan.rebuild = true;
  plan.unchanged = plan.gone.empty() && !plan.rebuild && plan.from == plan.names &&
                   same_records(r, records, plan.names);
  return plan;
}

void Shaper::reshape(const walspout_relation& r, const std::string& physical, const ShapeHint& hint,
                     bool same_source) {
  const Plan plan = make_plan(r, physical, hint, same_source);
  if (plan.unchanged) return;
  if (same_source) warn_of_old_rows(r, physical, plan);
  if (plan.rebuild || !alter(r, physical, plan)) rebuild(r, physical, plan);
  record(r, physical, plan.names);
}

// No message carries what the change itself did to the rows that were there.
void Shaper::warn_of_old_rows(const walspout_relation& r, const std::string& physical,
                              const Plan& plan) {
  std::string added;
  for (uint32_t i = 0; i < r.column_count; ++i)
    if (plan.from[i].empty()) added += (added.empty() ? "" : ", ") + plan.names[i];
  if (!added.empty()) added = ": " + added + " (NULL in older rows)";
  reporter_.warn(
      label_of(r) + ": the shape of " + physical + " changed" + added +
      "; values that the change itself gave to older rows come with their next update; to "
      "have all exact at once, remove the mirror's file, so that all is copied anew");
}

// The cheap way: ALTER TABLE. False, with the table as it was, when SQLite refuses a rename.
bool Shaper::alter(const walspout_relation& r, const std::string& physical, const Plan& plan) {
  const std::string table = "ALTER TABLE " + quote(physical);
  Savepoint savepoint(db_);
  if (!plan.gone.empty()) set_identity_index(db_, physical, {});  // it may hold one of them
  for (const std::string& gone : plan.gone) {
    try {
      db_.exec(table + " DROP COLUMN " + quote(gone));
    } catch (const SqliteError& e) {
      if (e.primary() != SQLITE_ERROR) throw;
      // A view, an index or a trigger of the user's needs it: SQLite's message names it.
      reporter_.warn(
          label_of(r) + ": column " + gone +
          " is gone from the source but stays in the mirror, NULL in new rows: " + e.what());
      for (uint32_t i = 0; i < r.column_count; ++i)
        if (plan.from[i].empty() && same_name(plan.names[i], gone)) return false;
    }
  }
  try {
    for (uint32_t i = 0; i < r.column_count; ++i)
      if (!plan.from[i].empty() && plan.from[i] != plan.names[i])
        db_.exec(table + " RENAME COLUMN " + quote(plan.from[i]) + " TO " + quote(plan.names[i]));
  } catch (const SqliteError& e) {
    if (e.primary() != SQLITE_ERROR) throw;
    return false;
  }
  for (uint32_t i = 0; i < r.column_count; ++i)
    if (plan.from[i].empty())
      db_.exec(table + " ADD COLUMN " + quote(plan.names[i]) + " " + plan.wanted[i].type);
  savepoint.release();
  return true;
}

// The thorough way: a new table, the rows moved over, swapped in.
void Shaper::rebuild(const walspout_relation& r, const std::string& physical, const Plan& plan) {
  reporter_.info(label_of(r) + ": rebuilding " + physical + " for its new shape");
  std::string name = "_walspout_new";
  for (int n = 2; catalog_.name_taken(name); ++n) name = "_walspout_new_" + std::to_string(n);
  std::vector<PhysicalColumn> columns = plan.wanted;
  std::string to, from;
  const auto add = [&](const std::string& target, const std::string& source) {
    to += (to.empty() ? "" : ", ") + quote(target);
    from += (from.empty() ? "" : ", ") + quote(source);
  };
  for (uint32_t i = 0; i < r.column_count; ++i)
    if (!plan.from[i].empty()) add(plan.names[i], plan.from[i]);
  for (PhysicalColumn extra : plan.extra) {
    extra.key = 0;
    columns.push_back(extra);
    add(extra.name, extra.name);
  }
  create_table(db_, name, columns);
  bool keys_known = true;
  for (uint32_t i = 0; i < r.column_count; ++i)
    if (plan.wanted[i].key != 0 && plan.from[i].empty()) keys_known = false;
  if (to.empty()) {  // no column stays: the rows do, as far as there is something to tell them
    for (const PhysicalColumn& c : columns)
      if (to.empty() && (c.key == 0 || c.name == kHiddenRow)) to = quote(c.name);
    from = "NULL";
  }
  if (!keys_known) {
    // Their keys were given at the source without a message. Made-up ones would be worse than none.
    const std::string reason = "the key got a column that is new: old rows cannot be told apart";
    catalog_.mark_failed(physical, reason);
    reporter_.warn(label_of(r) + ": " + reason +
                   " and were removed from the mirror; to have them, remove the mirror's file, so "
                   "that all is copied anew");
  } else {
    // OR REPLACE: a new key may be one that rows of a mirror out of step share.
    db_.exec("INSERT OR REPLACE INTO " + quote(name) + "(" + to + ") SELECT " + from + " FROM " +
             quote(physical));
  }
  replace_table(db_, reporter_, physical, name);
}

Mirror Shaper::open(const walspout_relation& r, const std::string& physical, bool current) {
  const std::vector<PhysicalColumn> present = physical_columns(db_, physical);
  const std::vector<ColumnRecord> records = catalog_.columns(physical);
  Mirror m;
  m.physical = physical;
  m.table = quote(physical);
  m.label = label_of(r);
  for (uint32_t i = 0; i < r.column_count; ++i) {
    const walspout_column& c = *r.columns[i];
    MirrorColumn column;
    column.kind = kind_of(c, mode_);
    column.element_type_oid = c.element_type_oid;
    column.identity = (c.flags & WALSPOUT_COLUMN_KEY) != 0;
    column.primary = (c.flags & WALSPOUT_COLUMN_PRIMARY) != 0;
    const auto found =
        std::find_if(records.begin(), records.end(),
                     [&](const ColumnRecord& record) { return record.source == view(c.name); });
    column.mapped = found != records.end();
    if (column.mapped) column.name = quote(found->mirror);
    m.has_primary = m.has_primary || column.primary;
    m.columns.push_back(std::move(column));
  }
  const auto mapped = [&m](uint32_t i) { return m.columns[i].mapped; };
  m.key = key_of(r);
  if (!std::all_of(m.key.begin(), m.key.end(), mapped)) m.key.clear();
  m.located_by = located_by(r);
  m.row_id = free_row_id(present);
  if (find(present, kHiddenRow) != nullptr) {
    m.hidden_row = true;
    m.row_id = kHiddenRow;
  }
  m.row_id = quote(m.row_id);
  if (current) {
    std::vector<std::string> index;
    std::vector<uint32_t> key = m.key;
    std::sort(key.begin(), key.end());  // located_by is in the columns' order
    if (r.replica_identity == 'i' && m.located_by != key)
      for (const uint32_t i : m.located_by) index.push_back(m.columns[i].name);
    set_identity_index(db_, physical, index);
  }
  return m;
}

}  // namespace walspout::sqlite
