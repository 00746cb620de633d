// Copies of whole tables, behind the readers' backs: rows go to a shadow table, which takes the
// mirror's place in one SQLite transaction.
#include <walspout/sink.hpp>

#include "mirrors.hpp"

namespace walspout::sqlite {

void Mirrors::begin_copy(const walspout_relation& r, uint64_t copy_id) {
  TableRecord record = reserve(r);
  if (const auto old = catalog_.find_copy(copy_id, view(r.schema), view(r.name))) {
    forget(*old);
    db_.exec("DROP TABLE IF EXISTS " + quote(*old));
    catalog_.forget_copy(*old);
  }
  const std::string base = "_walspout_copy_" + std::to_string(copy_id);
  std::string shadow = base;
  for (int n = 2; catalog_.name_taken(shadow); ++n) shadow = base + "_" + std::to_string(n);
  shaper_.create(r, shadow,
                 record.created ? catalog_.columns(record.mirror) : std::vector<ColumnRecord>());
  catalog_.save_copy(copy_id, view(r.schema), view(r.name), shadow);
  record.state = "copying";
  catalog_.save(view(r.schema), view(r.name), record);
}

void Mirrors::end_copy(const walspout_relation& r, uint64_t copy_id) {
  const std::string shadow = prepare(r, copy_id, {}, true);
  TableRecord record = reserve(r);
  // As long as only the name is reserved, a thing of that name is not ours to replace.
  if (!record.created && db_.exists("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE",
                                    std::string_view(record.mirror)))
    record.mirror = free_name(r);
  forget(shadow);
  forget(record.mirror);
  newest_[label_of(r)] = r.version;
  const std::vector<ColumnRecord> columns = catalog_.columns(shadow);
  replace_table(db_, reporter_, record.mirror, shadow);
  catalog_.forget_copy(shadow);
  catalog_.save_columns(record.mirror, columns);
  record.state = "live";
  record.oid = r.oid;
  record.created = true;
  catalog_.save(view(r.schema), view(r.name), record);
}

void Mirrors::drop_shadows() {
  for (const std::string& shadow : catalog_.shadows()) {
    reporter_.info("dropping " + shadow + ", left behind by an unfinished copy");
    db_.exec("DROP TABLE IF EXISTS " + quote(shadow));
    catalog_.forget_copy(shadow);
  }
}

}  // namespace walspout::sqlite
