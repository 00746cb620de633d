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
  plan.scale.resize(r.column_count);
  std::vector<PhysicalColumn> kept = plan.present;  // under their future names
  for (PhysicalColumn& c : kept)
    for (uint32_t i = 0; i < r.column_count; ++i)
      if (same_name(plan.from[i], c.name)) {
        if (c.type != plan.wanted[i].type) {
          plan.rebuild = true;
          if (c.type == declared_type(Kind::kNumeric) &&
              kind_of(*r.columns[i], mode_) == Kind::kText) {
            if (hint.old_index != nullptr && hint.old_index[i] >= 0)
              plan.scale[i] = declared_scale(*hint.old_relation->columns[hint.old_index[i]]);
            plan.scale_unknown = plan.scale_unknown || !plan.scale[i];
          }
        }
        c.name = plan.names[i];
        break;
      }
  plan.key_changed = !same_keys(kept, plan.wanted);
  plan.rebuild = plan.rebuild || plan.key_changed;
  plan.fill.resize(r.column_count);
  for (uint32_t i = 0; i < r.column_count; ++i) {
    plan.kinds.push_back(kind_of(*r.columns[i], mode_));
    plan.elements.push_back(r.columns[i]->element_type_oid);
    if (hint.fill != nullptr && plan.from[i].empty() && hint.fill[i].state == WALSPOUT_TEXT)
      plan.fill[i] = &hint.fill[i];
  }
  plan.unchanged = plan.gone.empty() && !plan.rebuild && plan.from == plan.names &&
                   same_records(r, records, plan.names);
  return plan;
}

Mirror Shaper::open(const walspout_relation& r, const std::string& physical, bool current,
                    bool same_source) {
  const std::vector<PhysicalColumn> present = physical_columns(db_, physical);
  const std::vector<ColumnRecord> records = catalog_.columns(physical);
  const std::vector<int> origin = match_columns(r, records, nullptr, nullptr, same_source);
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
    column.mapped = origin[i] >= 0;
    if (column.mapped) column.name = quote(records[static_cast<size_t>(origin[i])].mirror);
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
