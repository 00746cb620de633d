#include "mirrors.hpp"

#include <walspout/sink.hpp>

#include "names.hpp"

namespace walspout::sqlite {

Mirror& Mirrors::get(const walspout_relation& r, uint64_t copy_id) {
  const Key key(r.version, copy_id);
  if (last_ != nullptr && last_key_ == key) return *last_;
  auto found = known_.find(key);
  if (found == known_.end()) {
    uint64_t& seen = newest(r, copy_id);
    const bool current = r.version >= seen;
    if (current) seen = r.version;
    const Target target = prepare(r, copy_id, {}, current);
    if (current) forget(target.physical);  // older versions' statements
    auto mirror =
        std::make_unique<Mirror>(shaper_.open(r, target.physical, current, target.same_source));
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

uint64_t& Mirrors::newest(const walspout_relation& r, uint64_t copy_id) {
  return newest_[{r.oid != 0 ? std::to_string(r.oid) : label_of(r), copy_id}];
}

void Mirrors::adapt(const walspout_change& change) {
  const walspout_relation& r = *change.relation;
  newest(r, change.copy_id) = r.version;
  if (change.copy_id == 0 && awaits_copy(r)) return;
  const ShapeHint hint{change.old_relation, change.old_index, change.fill};
  forget(prepare(r, change.copy_id, hint, true).physical);
}

// The table's first copy is under way, or has failed: readers must not find an empty table.
bool Mirrors::awaits_copy(const walspout_relation& r) {
  const auto record = tables_.find(r);
  if (!record || record->oid != r.oid || record->created || record->state == "live") return false;
  tables_.claim(r);
  if (tables_.take_moved()) clear();
  return true;
}

Mirrors::Target Mirrors::prepare(const walspout_relation& r, uint64_t copy_id,
                                 const ShapeHint& hint, bool current) {
  if (copy_id == 0) {
    Target target = prepare_mirror(r, hint, current);
    if (tables_.take_moved()) clear();
    return target;
  }
  CopyRecord copy = shadow_of(r, copy_id);
  if (current) {
    shaper_.reshape(r, copy.shadow, hint, true);
    if (copy.schema != view(r.schema) || copy.table != view(r.name)) {
      copy.schema = view(r.schema);
      copy.table = view(r.name);
      catalog_.save_copy(copy);
    }
  }
  return {copy.shadow, true};
}

Mirrors::Target Mirrors::prepare_mirror(const walspout_relation& r, const ShapeHint& hint,
                                        bool current) {
  // A late change of an older shape changes no names.
  std::optional<TableRecord> known;
  if (!current) known = tables_.find(r);
  TableRecord record = known ? *known : tables_.claim(r);
  if (record.created && !table_exists(db_, record.mirror)) {
    record.created = false;
    record.state = "failed";
    record.reason = "the table was dropped from the mirror";
    catalog_.save(record);
    reporter_.warn(label_of(r) + ": table " + record.mirror +
                   " was dropped from the mirror; it is created anew without its old rows; to have "
                   "them: walspout resync FILE " +
                   label_of(r));
  }
  if (!record.created) {
    // While only the name was reserved, the user may have made something of that name.
    if (db_.exists("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE",
                   std::string_view(record.mirror))) {
      catalog_.remove(record);
      record.mirror = tables_.free_name(record);
    }
    shaper_.create(r, record.mirror, {});
    if (record.state == "live")
      reporter_.info(label_of(r) + ": table " + record.mirror +
                     " begins with the stream: rows that the source had before are not in it");
    record.created = true;
    record.oid = r.oid;
    catalog_.save(record);
    return {record.mirror, true};
  }
  const bool replaced = record.oid != 0 && r.oid != 0 && record.oid != r.oid;
  if (!current) return {record.mirror, !replaced};
  if (replaced) {
    reporter_.warn(label_of(r) + ": another table has this name now (oid " +
                   std::to_string(record.oid) + ", now " + std::to_string(r.oid) +
                   "): the rows of the old one are removed from " + record.mirror);
    db_.exec("DELETE FROM " + quote(record.mirror));
  }
  if (r.oid != 0 && record.oid != r.oid) {
    record.oid = r.oid;
    catalog_.save(record);
  }
  shaper_.reshape(r, record.mirror, replaced ? ShapeHint{} : hint, !replaced);
  return {record.mirror, true};
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
