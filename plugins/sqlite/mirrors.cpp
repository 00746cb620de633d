#include "mirrors.hpp"

#include <walspout/sink.hpp>

namespace walspout::sqlite {

Mirror& Mirrors::get(const walspout_relation& r, uint64_t copy_id) {
  const Key key(r.version, copy_id);
  if (last_ != nullptr && last_key_ == key) return *last_;
  auto found = known_.find(key);
  if (found == known_.end()) {
    const std::string label = label_of(r);
    uint64_t& newest = newest_[label];
    const bool current = r.version >= newest;
    if (current) newest = r.version;
    const std::string physical = prepare(r, copy_id, {}, current);
    if (current) forget(physical);  // older versions' statements
    auto mirror = std::make_unique<Mirror>(shaper_.open(r, physical, current));
    found = known_.emplace(key, std::move(mirror)).first;
  }
  last_key_ = key;
  last_ = found->second.get();
  return *last_;
}

bool Mirrors::known(const walspout_relation& r, uint64_t copy_id) const {
  const Key key(r.version, copy_id);
  return (last_ != nullptr && last_key_ == key) || known_.count(key) != 0;
}

void Mirrors::adapt(const walspout_change& change, uint64_t copy_id) {
  const walspout_relation& r = *change.relation;
  newest_[label_of(r)] = r.version;
  const ShapeHint hint{change.old_relation, change.old_index};
  const std::string physical = prepare(r, copy_id, hint, true);
  forget(physical);
  if (change.fill == nullptr || change.old_index == nullptr) return;
  Mirror& mirror = get(r, copy_id);
  Binder binder;
  for (uint32_t i = 0; i < r.column_count; ++i) {
    if (change.old_index[i] >= 0 || change.fill[i].state != WALSPOUT_TEXT) continue;
    const MirrorColumn& c = mirror.columns[i];
    Statement fill = db_.prepare("UPDATE " + mirror.table + " SET " + c.name + " = ? WHERE " +
                                 c.name + " IS NULL");
    binder.bind(fill, 1, c.kind, c.element_type_oid, change.fill[i]);
    fill.run();
  }
}

std::string Mirrors::prepare(const walspout_relation& r, uint64_t copy_id, const ShapeHint& hint,
                             bool current) {
  if (copy_id == 0) return prepare_mirror(r, hint, current);
  const std::string shadow = shadow_of(r, copy_id);
  if (current) shaper_.reshape(r, shadow, hint, true);
  return shadow;
}

std::string Mirrors::shadow_of(const walspout_relation& r, uint64_t copy_id) {
  const auto shadow = catalog_.find_copy(copy_id, view(r.schema), view(r.name));
  if (!shadow) throw Reopen(label_of(r) + ": the copy under way is not known here any more");
  return *shadow;
}

std::string Mirrors::free_name(const walspout_relation& r) {
  return table_name(view(r.schema), view(r.name),
                    [this](const std::string& name) { return catalog_.name_taken(name); });
}

// The source table has another name now; the mirror follows, and with it the user's views.
TableRecord Mirrors::renamed(const walspout_relation& r, TableRecord record) {
  const std::string old = record.mirror;
  record.mirror = free_name(r);
  reporter_.info(label_of(r) + ": the table was renamed, its mirror " + old + " is now " +
                 record.mirror);
  if (record.created && table_exists(db_, old))
    db_.exec("ALTER TABLE " + quote(old) + " RENAME TO " + quote(record.mirror));
  catalog_.rename_columns(old, record.mirror);
  catalog_.save(view(r.schema), view(r.name), record);
  forget(old);
  return record;
}

// The table's row in _walspout_tables, with a name found for it when it is new.
TableRecord Mirrors::reserve(const walspout_relation& r) {
  if (auto record = catalog_.find(view(r.schema), view(r.name))) return *record;
  if (r.oid != 0 && catalog_.rename_source(r.oid, view(r.schema), view(r.name)))
    return renamed(r, *catalog_.find(view(r.schema), view(r.name)));
  TableRecord record;
  record.mirror = free_name(r);
  record.state = "live";
  record.oid = r.oid;
  const std::string plain = view(r.schema) == "public"
                                ? std::string(view(r.name))
                                : std::string(view(r.schema)) + "_" + std::string(view(r.name));
  if (record.mirror != plain)
    reporter_.warn(label_of(r) + " is mirrored as table " + record.mirror +
                   ", since its own name is taken or reserved in this file");
  catalog_.save(view(r.schema), view(r.name), record);
  return record;
}

std::string Mirrors::prepare_mirror(const walspout_relation& r, const ShapeHint& hint,
                                    bool current) {
  TableRecord record = reserve(r);
  if (record.created && !table_exists(db_, record.mirror)) {
    record.created = false;
    record.state = "failed";
    catalog_.save(view(r.schema), view(r.name), record, "the table was dropped from the mirror");
    reporter_.warn(label_of(r) + ": table " + record.mirror +
                   " was dropped from the mirror; it is created anew without its old rows; to have "
                   "them, remove the mirror's file, so that all is copied anew");
  }
  if (!record.created) {
    // While only the name was reserved, the user may have made something of that name.
    if (db_.exists("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE",
                   std::string_view(record.mirror)))
      record.mirror = free_name(r);
    shaper_.create(r, record.mirror, {});
    reporter_.warn(
        label_of(r) + ": table " + record.mirror +
        " begins with the stream: rows that the source had before are not in it; to have "
        "them, remove the mirror's file, so that all is copied anew");
    record.created = true;
    record.oid = r.oid;
    catalog_.save(view(r.schema), view(r.name), record,
                  record.state == "failed" ? "the table was dropped from the mirror" : "");
    return record.mirror;
  }
  if (!current) return record.mirror;
  const bool replaced = record.oid != 0 && r.oid != 0 && record.oid != r.oid;
  if (replaced) {
    reporter_.warn(label_of(r) + ": another table has this name now (oid " +
                   std::to_string(record.oid) + ", now " + std::to_string(r.oid) +
                   "): the rows of the old one are removed from " + record.mirror);
    db_.exec("DELETE FROM " + quote(record.mirror));
  }
  shaper_.reshape(r, record.mirror, replaced ? ShapeHint{} : hint, !replaced);
  if (r.oid != 0 && record.oid != r.oid) {
    record.oid = r.oid;
    catalog_.save(view(r.schema), view(r.name), record);
  }
  return record.mirror;
}

void Mirrors::forget(const std::string& physical) {
  last_ = nullptr;
  for (auto it = known_.begin(); it != known_.end();)
    it = it->second->physical == physical ? known_.erase(it) : std::next(it);
}

void Mirrors::clear() {
  last_ = nullptr;
  known_.clear();
}

}  // namespace walspout::sqlite
