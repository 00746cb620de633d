#include "apply.hpp"

#include <algorithm>
#include <cstring>

namespace walspout::sqlite {

namespace {

bool has_value(const walspout_value& v) {
  return v.state == WALSPOUT_NULL || v.state == WALSPOUT_TEXT;
}

bool same_value(const walspout_value& a, const walspout_value& b) {
  return a.state == b.state && a.size == b.size &&
         (a.size == 0 || std::memcmp(a.data, b.data, a.size) == 0);
}

bool is_key_conflict(const SqliteError& e) {
  return e.code() == SQLITE_CONSTRAINT_PRIMARYKEY || e.code() == SQLITE_CONSTRAINT_ROWID;
}

}  // namespace

void Applier::apply(const walspout_change& change, uint32_t kind) {
  const uint64_t copy_id = change.copy_id;
  tolerant_ = copy_id != 0 || kind == WALSPOUT_TXN_SNAPSHOT;
  switch (change.op) {
    case WALSPOUT_INSERT:
      insert(mirrors_.get(*change.relation, copy_id), change.new_row);
      break;
    case WALSPOUT_UPDATE:
      update(mirrors_.get(*change.relation, copy_id), change);
      break;
    case WALSPOUT_DELETE:
      remove(mirrors_.get(*change.relation, copy_id), change);
      break;
    case WALSPOUT_TRUNCATE:
      // CASCADE and RESTART IDENTITY are the source's matter: it names every table it emptied.
      db_.exec("DELETE FROM " + mirrors_.get(*change.relation, copy_id).table);
      break;
    case WALSPOUT_SCHEMA:
      try {
        mirrors_.adapt(change);
      } catch (const BadValue& e) {
        throw BadChange(label_of(*change.relation) + ", default of a new column: " + e.what());
      }
      break;
    case WALSPOUT_COPY_BEGIN:
      mirrors_.begin_copy(*change.relation, copy_id);
      break;
    case WALSPOUT_COPY_END:
      mirrors_.end_copy(*change.relation, copy_id);
      break;
    case WALSPOUT_COPY_FAILED:
      mirrors_.fail_copy(*change.relation, copy_id, {change.content.data, change.content.size});
      break;
    default:
      // WALSPOUT_MESSAGE is not taken, and the host sends what abi_minor knows only.
      throw BadChange("a change of an unknown kind (" + std::to_string(change.op) + ")");
  }
  binder_.trim();
}

bool Applier::is_atomic(const walspout_change& change) const {
  return (change.op == WALSPOUT_INSERT || change.op == WALSPOUT_UPDATE ||
          change.op == WALSPOUT_DELETE) &&
         mirrors_.known(*change.relation, change.copy_id);
}

// Binds the columns of one part of the mask from the row; returns the next parameter's index.
int Applier::bind(Statement& s, const Mirror& m, const walspout_value* row, char part, int index) {
  for (size_t i = 0; i < m.columns.size(); ++i) {
    if ((mask_[i + 1] & part) == 0) continue;
    const MirrorColumn& c = m.columns[i];
    try {
      binder_.bind(s, index++, c.kind, c.element_type_oid, row[i]);
    } catch (const BadValue& e) {
      throw BadChange(m.label + ", column " + c.name + ": " + e.what());
    }
  }
  return index;
}

void Applier::unmatched(const Mirror& m, std::string_view what) {
  if (!tolerant_) reporter_.unmatched(m.label, what);
}

void Applier::insert(Mirror& m, const walspout_value* row) {
  start_mask(mask_, Operation::kUpsert, m.columns.size());
  for (size_t i = 0; i < m.columns.size(); ++i)
    if (m.columns[i].mapped && has_value(row[i])) mask_[i + 1] = kSet;
  Statement& s = m.statements.get(db_, m, mask_);
  bind(s, m, row, kSet, 1);
  s.run();
}

// Marks the columns to search by, in a mask that is started already.
Applier::Location Applier::locate(const Mirror& m, const walspout_change& change) {
  const size_t n = m.columns.size();
  if (n == 0) return {nullptr, true};  // rows without columns are all alike
  if (change.old_row == nullptr) {
    for (const uint32_t i : m.located_by) {
      if (!m.columns[i].mapped || change.new_row[i].state != WALSPOUT_TEXT) continue;
      mask_[i + 1] = kSearch;
    }
    return {change.new_row, false};
  }
  if ((change.flags & WALSPOUT_OLD_FULL) == 0) {
    for (size_t i = 0; i < n; ++i)
      if (m.columns[i].mapped && m.columns[i].identity && change.old_row[i].state == WALSPOUT_TEXT)
        mask_[i + 1] = kSearch;
    // A row to be mended is told by its primary key, whatever the identity is.
    if (mask_.find(kSearch, 1) == Mask::npos)
      for (size_t i = 0; i < n; ++i)
        if (m.columns[i].mapped && m.columns[i].primary && change.old_row[i].state == WALSPOUT_TEXT)
          mask_[i + 1] = kSearch;
    return {change.old_row, false};
  }
  // A whole old row. With a primary key the other columns are not trusted: a partition with its own
  // identity sends them as NULL under a root that is FULL.
  if (m.has_primary) {
    bool complete = true;
    for (size_t i = 0; i < n; ++i) {
      if (!m.columns[i].primary) continue;
      complete = complete && m.columns[i].mapped && change.old_row[i].state == WALSPOUT_TEXT;
      mask_[i + 1] = kSearch;
    }
    if (complete) return {change.old_row, false};
  }
  for (size_t i = 0; i < n; ++i)
    mask_[i + 1] = m.columns[i].mapped && has_value(change.old_row[i]) ? kSearch : '\0';
  return {change.old_row, true};
}

void Applier::mark_set(const Mirror& m, const walspout_change& change, const Location& location) {
  for (size_t i = 0; i < m.columns.size(); ++i) {
    if (!m.columns[i].mapped || !has_value(change.new_row[i])) continue;
    // A key that stays is not set: SQLite would take the row out and put it in again.
    const bool searched = (mask_[i + 1] & kSearch) != 0 && !location.whole_row;
    if (searched && same_value(location.row[i], change.new_row[i])) continue;
    mask_[i + 1] = static_cast<char>(mask_[i + 1] | kSet);
  }
}

int Applier::run_update(Mirror& m, const walspout_change& change, const Location& location) {
  Statement& s = m.statements.get(db_, m, mask_);
  const int index = bind(s, m, change.new_row, kSet, 1);
  // The searched columns' parameters have buffers of their own, behind those of the set ones.
  bind(s, m, location.row, kSearch, index);
  s.run();
  return db_.changes();
}

void Applier::update(Mirror& m, const walspout_change& change) {
  start_mask(mask_, Operation::kUpdateByKey, m.columns.size());
  const Location location = locate(m, change);
  const bool searches = location.whole_row || mask_.find(kSearch, 1) != Mask::npos;
  if (!searches) throw BadChange(m.label + ": an update without any key column");
  if (location.whole_row) mask_[0] = static_cast<char>(Operation::kUpdateWholeRow);
  mark_set(m, change, location);

  int changed = 0;
  try {
    changed = run_update(m, change, location);
  } catch (const SqliteError& e) {
    if (!is_key_conflict(e)) throw;
    // The row moves to a key that is taken: at the source it was free, so that row is a stray one.
    unmatched(m, "an updated row replaced another one of its new key");
    Savepoint savepoint(db_);
    const Mask mask = mask_;
    make_way(m, change.new_row);
    mask_ = mask;
    changed = run_update(m, change, location);
    savepoint.release();
  }
  if (changed != 0) return;
  const bool complete = std::all_of(change.new_row, change.new_row + m.columns.size(), has_value);
  unmatched(m, complete ? "an update found no row, the new one was inserted"
                        : "an update found no row and was dropped, as its row is "
                          "incomplete");
  if (complete) insert(m, change.new_row);
}

// Deletes the row that has the key of `row`.
void Applier::make_way(Mirror& m, const walspout_value* row) {
  start_mask(mask_, Operation::kDeleteByKey, m.columns.size());
  for (const uint32_t k : m.key) {
    if (row[k].state != WALSPOUT_TEXT)
      throw BadChange(m.label + ": an update moves a row to a key that is taken");
    mask_[k + 1] = kSearch;
  }
  Statement& s = m.statements.get(db_, m, mask_);
  bind(s, m, row, kSearch, 1);
  s.run();
}

void Applier::remove(Mirror& m, const walspout_change& change) {
  start_mask(mask_, Operation::kDeleteByKey, m.columns.size());
  if (change.old_row == nullptr && !m.columns.empty())
    throw BadChange(m.label + ": a delete without an old row");
  const Location location = locate(m, change);
  if (location.whole_row) {
    mask_[0] = static_cast<char>(Operation::kDeleteWholeRow);
  } else if (mask_.find(kSearch, 1) == Mask::npos) {
    throw BadChange(m.label + ": a delete without any key column");
  }
  Statement& s = m.statements.get(db_, m, mask_);
  bind(s, m, location.row, kSearch, 1);
  s.run();
  if (db_.changes() == 0) unmatched(m, "a delete found no row");
}

}  // namespace walspout::sqlite
