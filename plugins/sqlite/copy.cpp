// Copies of whole tables, behind the readers' backs: rows go to a shadow table, which takes the
// mirror's place in one SQLite transaction.
#include <walspout/sink.hpp>

#include "mirrors.hpp"
#include "names.hpp"

namespace walspout::sqlite {

namespace {

bool is_of(const CopyRecord& copy, const walspout_relation& r) {
  if (copy.oid != 0 && r.oid != 0) return copy.oid == r.oid;
  return copy.schema == view(r.schema) && copy.table == view(r.name);
}

}  // namespace

CopyRecord Mirrors::shadow_of(const walspout_relation& r, uint64_t copy_id) {
  for (CopyRecord& copy : catalog_.copies())
    if (copy.id == copy_id && is_of(copy, r) && table_exists(db_, copy.shadow))
      return std::move(copy);
  throw BadChange(label_of(r) + ": the table of its copy is gone from " + db_.path() +
                  "; begin the copy anew: walspout resync FILE " + label_of(r));
}

void Mirrors::drop_shadow(const CopyRecord& copy) {
  forget(copy.shadow);
  db_.exec("DROP TABLE IF EXISTS " + quote(copy.shadow));
  catalog_.remove_copy(copy);
}

void Mirrors::begin_copy(const walspout_relation& r, uint64_t copy_id) {
  for (const CopyRecord& copy : catalog_.copies())
    if (is_of(copy, r)) drop_shadow(copy);
  TableRecord record = tables_.claim_for_copy(r);
  if (tables_.take_moved()) clear();
  const CopyRecord copy{copy_id, r.oid, record.schema, record.table,
                        tables_.hidden_name("_walspout_copy_" + std::to_string(copy_id))};
  shaper_.create(r, copy.shadow, catalog_.columns(record.mirror));
  catalog_.save_copy(copy);
  newest(r, copy_id) = r.version;
  record.state = "copying";
  catalog_.save(record);
}

// Columns that the mirror has and the shadow has not, of the user's own or gone from the source,
// stay when something of the user's needs them.
void Mirrors::keep_needed_columns(const std::string& mirror, const std::string& shadow,
                                  Notes& notes) {
  const std::vector<PhysicalColumn> there = physical_columns(db_, shadow);
  for (const PhysicalColumn& c : physical_columns(db_, mirror)) {
    if (c.name == kHiddenRow || has_column(there, c.name)) continue;
    const std::string users = users_of(db_, mirror, c.name);
    if (users.empty()) continue;
    db_.exec("ALTER TABLE " + quote(shadow) + " ADD COLUMN " + quote(c.name) + " " + c.type);
    notes.add("column " + c.name + " is not at the source but stays, NULL in all rows, for " +
              users);
  }
}

void Mirrors::end_copy(const walspout_relation& r, uint64_t copy_id) {
  const CopyRecord copy = shadow_of(r, copy_id);
  prepare(r, copy_id, {}, r.version >= newest(r, copy_id));
  TableRecord record = tables_.claim_for_copy(r);
  const std::vector<std::string> broken = broken_views(db_);
  Notes notes;
  if (tables_.stands(record)) keep_needed_columns(record.mirror, copy.shadow, notes);
  tables_.replace(record, copy.shadow, notes);
  tables_.take_moved();
  clear();
  catalog_.remove_copy(copy);
  // Copies that a table of this name before it left behind.
  for (const CopyRecord& other : catalog_.copies())
    if (other.schema == record.schema && other.table == record.table) drop_shadow(other);
  note_broken_views(db_, broken, notes);
  if (!notes.text().empty()) reporter_.warn(label_of(r) + ", copied anew: " + notes.text());
  const uint64_t version = newest(r, copy_id);
  newest_.erase({r.oid != 0 ? std::to_string(r.oid) : label_of(r), copy_id});
  newest(r, 0) = version;
  record.state = "live";
  record.reason.clear();
  record.oid = r.oid;
  record.created = true;
  catalog_.save(record);
}

void Mirrors::fail_copy(const walspout_relation& r, uint64_t copy_id, std::string_view reason) {
  if (copy_id == 0) return give_up(r, reason);
  bool another = false;
  for (const CopyRecord& copy : catalog_.copies()) {
    if (!is_of(copy, r)) continue;
    if (copy.id == copy_id) {
      drop_shadow(copy);
    } else {
      another = true;
    }
  }
  if (another) return;  // the table has a newer copy, which decides
  if (!reason.empty()) return mark_failed(tables_.own(r), reason);
  auto record = tables_.find(r);
  if (!record || record->parked || (record->oid != r.oid && record->oid != 0)) return;
  if (!record->created && record->reason.empty()) {
    tables_.withdraw(*record);
    return;
  }
  record->state = record->reason.empty() ? "live" : "failed";
  catalog_.save(*record);
}

void Mirrors::give_up(const walspout_relation& r, std::string_view reason) {
  const TableRecord record = tables_.own(r);
  const auto holder = catalog_.find(record.schema, record.table);
  if (record.parked && (!holder || !same_name(holder->mirror, record.mirror))) {
    tables_.drop_parked(record);  // readers have the other table of its name
    clear();
    return;
  }
  mark_failed(record, reason.empty() ? "the table is not mirrored any more" : reason);
}

void Mirrors::mark_failed(TableRecord record, std::string_view reason) {
  record.state = "failed";
  record.reason = reason;
  catalog_.save(record);
}

}  // namespace walspout::sqlite
