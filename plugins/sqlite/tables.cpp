#include "tables.hpp"

#include <utility>

#include "names.hpp"
#include "physical.hpp"
#include "shape.hpp"

namespace walspout::sqlite {

namespace {

constexpr const char* kParked = "_walspout_parked_1";

std::string_view view(walspout_str s) { return {s.data, s.size}; }

bool has_name(const TableRecord& record, const walspout_relation& r) {
  return record.schema == view(r.schema) && record.table == view(r.name);
}

std::string label_of(const TableRecord& record) { return record.schema + "." + record.table; }

}  // namespace

std::optional<TableRecord> Tables::find(const walspout_relation& r) {
  if (r.oid != 0)
    if (auto record = catalog_.find_oid(r.oid)) return record;
  return catalog_.find(view(r.schema), view(r.name));
}

std::string Tables::free_name(const TableRecord& record, const std::string& own) {
  return table_name(record.schema, record.table, [&](const std::string& name) {
    return same_name(name, own) ? catalog_.reserved(name) : catalog_.name_taken(name);
  });
}

std::string Tables::hidden_name(const std::string& base) {
  std::string name = base;
  for (int n = 2; catalog_.name_taken(name); ++n) name = base + "_" + std::to_string(n);
  return name;
}

bool Tables::take_moved() { return std::exchange(moved_, false); }

void Tables::move_mirror(const std::string& from, const std::string& to, Notes& notes) {
  if (from == to) return;
  moved_ = true;
  if (same_name(from, to)) {  // SQLite would find the name taken, by the table itself
    const std::string between = hidden_name(kParked);
    rename_table(db_, from, between, notes);
    rename_table(db_, between, to, notes);
  } else {
    rename_table(db_, from, to, notes);
  }
  catalog_.rename_columns(from, to);
}

TableRecord Tables::claim(const walspout_relation& r) {
  if (auto record = find(r)) {
    const bool same_table = record->oid == r.oid || r.oid == 0 || record->oid == 0;
    if (!same_table || (!record->parked && has_name(*record, r))) return *record;
    return renamed(r, *record);
  }
  TableRecord record;
  record.schema = view(r.schema);
  record.table = view(r.name);
  record.mirror = free_name(record);
  record.state = "live";
  record.oid = r.oid;
  const std::string plain =
      record.schema == "public" ? record.table : record.schema + "_" + record.table;
  if (record.mirror != plain)
    reporter_.warn(sqlite::label_of(r) + " is mirrored as table " + record.mirror +
                   ", since its own name is taken or reserved in this file");
  catalog_.save(record);
  return record;
}

// The source table has another name now; the mirror follows, and with it the user's views.
TableRecord Tables::renamed(const walspout_relation& r, TableRecord record) {
  if (auto holder = catalog_.find(view(r.schema), view(r.name)); holder && holder->oid != r.oid) {
    park(*holder, sqlite::label_of(r));
    if (auto again = catalog_.find_oid(r.oid)) record = *again;
  }
  const TableRecord before = record;
  catalog_.remove(before);
  record.schema = view(r.schema);
  record.table = view(r.name);
  record.mirror = free_name(record, before.mirror);
  record.parked = false;
  if (record.mirror != before.mirror) {
    Notes notes;
    if (record.created && table_exists(db_, before.mirror)) {
      move_mirror(before.mirror, record.mirror, notes);
      reporter_.info(sqlite::label_of(r) + ": the table was renamed, its mirror " + before.mirror +
                     " is now " + record.mirror);
    }
    if (!notes.text().empty())
      reporter_.warn(sqlite::label_of(r) + ", renamed from " + label_of(before) + ": " +
                     notes.text());
  }
  catalog_.save(record);
  return record;
}

// Another table has the record's name. Where this one went is not known yet.
void Tables::park(TableRecord record, const std::string& by) {
  Notes notes;
  catalog_.remove(record);
  const auto hide = [&](TableRecord parked) {
    const std::string from = parked.mirror;
    parked.parked = true;
    parked.mirror = hidden_name(kParked);
    if (table_exists(db_, from)) move_mirror(from, parked.mirror, notes);
    catalog_.save(parked);
    reporter_.info("another table is " + by + " now; the mirror of the one before is " +
                   parked.mirror + " until its new name comes");
  };
  if (const auto left = left_under(record.mirror)) hide(*left);
  // A copy under way claims a name when it ends.
  if (record.created && record.oid != 0) hide(record);
  if (!notes.text().empty()) reporter_.warn(by + ": " + notes.text());
}

std::optional<TableRecord> Tables::left_under(const std::string& mirror) {
  for (TableRecord& parked : catalog_.parked())
    if (same_name(parked.mirror, mirror)) return std::move(parked);
  return std::nullopt;
}

bool Tables::stands(const TableRecord& record) {
  return record.created || left_under(record.mirror).has_value();
}

TableRecord Tables::claim_for_copy(const walspout_relation& r) {
  TableRecord record = claim(r);
  if (record.oid == r.oid || r.oid == 0) return record;
  if (record.oid != 0) {
    catalog_.remove(record);
    if (record.created) {
      record.parked = true;
      catalog_.save(record);
      record.parked = false;
    }
    record.created = false;
    record.state = "live";
    record.reason.clear();
  }
  record.oid = r.oid;
  catalog_.save(record);
  return record;
}

TableRecord Tables::own(const walspout_relation& r) {
  auto record = find(r);
  if (record && (record->oid == r.oid || record->oid == 0 || r.oid == 0)) return *record;
  return claim_for_copy(r);
}

void Tables::replace(TableRecord& record, const std::string& shadow, Notes& notes) {
  std::string aside;
  if (!record.created) {
    // As long as only the name is reserved, a thing of that name is not ours to replace; unless
    // another table left it there.
    if (auto left = left_under(record.mirror)) {
      for (const TableRecord& parked : catalog_.parked())
        if (parked.mirror != left->mirror && parked.schema == record.schema &&
            parked.table == record.table)
          drop_parked(parked);
      catalog_.remove(*left);
      if (left->state == "failed" || !table_exists(db_, left->mirror)) {
        catalog_.remove_columns(left->mirror);
      } else {
        aside = hidden_name(kParked);
        catalog_.rename_columns(left->mirror, aside);
        left->mirror = aside;
        catalog_.save(*left);
        reporter_.info("another table is " + label_of(record) +
                       " now; the rows of the one before are in " + aside +
                       " until its new name comes");
      }
    } else if (db_.exists("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE",
                          std::string_view(record.mirror))) {
      catalog_.remove(record);
      record.mirror = free_name(record);
    }
  }
  moved_ = true;
  const std::vector<ColumnRecord> columns = catalog_.columns(shadow);
  replace_table(db_, record.mirror, shadow, aside, notes);
  catalog_.save_columns(record.mirror, columns);
}

void Tables::withdraw(const TableRecord& record) {
  catalog_.remove(record);
  auto left = left_under(record.mirror);
  if (!left) return;
  catalog_.remove(*left);
  left->parked = false;
  catalog_.save(*left);
}

void Tables::drop_parked(const TableRecord& record) {
  const std::vector<std::string> broken = broken_views(db_);
  moved_ = true;
  db_.exec("DROP TABLE IF EXISTS " + quote(record.mirror));
  catalog_.remove_columns(record.mirror);
  catalog_.remove(record);
  Notes notes;
  note_broken_views(db_, broken, notes);
  if (!notes.text().empty())
    reporter_.warn(record.mirror + ", which was " + label_of(record) +
                   ", is gone: " + notes.text());
}

}  // namespace walspout::sqlite
