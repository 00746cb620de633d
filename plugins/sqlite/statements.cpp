#include "statements.hpp"

#include "mirror.hpp"

namespace walspout::sqlite {

namespace {

constexpr size_t kMaxStatements = 64;  // of one table; rows differ in their unchanged columns

// "a" IS ?3 AND ("b" IS ?4 AND ...): as a tree, since SQLite limits an expression's depth.
std::string all_of(const std::vector<std::string>& terms, size_t from, size_t to) {
  if (to - from == 1) return terms[from];
  const size_t middle = from + (to - from) / 2;
  return "(" + all_of(terms, from, middle) + " AND " + all_of(terms, middle, to) + ")";
}

std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& p : parts) out.append(out.empty() ? "" : ", ").append(p);
  return out;
}

std::string upsert(const Mirror& m, const Mask& mask) {
  std::vector<std::string> names, places, sets;
  for (size_t i = 0; i < m.columns.size(); ++i) {
    if ((mask[i + 1] & kSet) == 0) continue;
    names.push_back(m.columns[i].name);
    places.emplace_back("?");
    bool key = false;
    for (const uint32_t k : m.key) key = key || k == i;
    if (!key) sets.push_back(names.back() + " = excluded." + names.back());
  }
  if (names.empty()) return "INSERT INTO " + m.table + " DEFAULT VALUES";
  std::string sql =
      "INSERT INTO " + m.table + "(" + join(names) + ") VALUES (" + join(places) + ")";
  if (m.key.empty()) return sql;
  std::vector<std::string> key;
  for (const uint32_t k : m.key) key.push_back(m.columns[k].name);
  sql += " ON CONFLICT(" + join(key) + ") DO ";
  return sql + (sets.empty() ? "NOTHING" : "UPDATE SET " + join(sets));
}

std::string search(const Mirror& m, const Mask& mask, bool whole_row) {
  std::vector<std::string> terms;
  for (size_t i = 0; i < m.columns.size(); ++i)
    if ((mask[i + 1] & kSearch) != 0)
      terms.push_back(m.columns[i].name + (whole_row ? " IS ?" : " = ?"));
  const std::string where = terms.empty() ? "" : " WHERE " + all_of(terms, 0, terms.size());
  if (!whole_row) return where;
  // Equal rows may be there more than once: exactly one of them is meant.
  return " WHERE " + m.row_id + " = (SELECT " + m.row_id + " FROM " + m.table + where + " LIMIT 1)";
}

std::string update(const Mirror& m, const Mask& mask, bool whole_row) {
  std::vector<std::string> sets;
  for (size_t i = 0; i < m.columns.size(); ++i)
    if ((mask[i + 1] & kSet) != 0) sets.push_back(m.columns[i].name + " = ?");
  if (sets.empty()) {  // nothing but the key: the statement still tells whether the row is there
    std::string same = m.row_id;
    for (const MirrorColumn& c : m.columns)
      if (c.mapped) same = c.name;
    sets.push_back(same + " = " + same);
  }
  return "UPDATE " + m.table + " SET " + join(sets) + search(m, mask, whole_row);
}

std::string text_of(const Mirror& m, const Mask& mask) {
  switch (static_cast<Operation>(mask[0])) {
    case Operation::kUpsert:
      return upsert(m, mask);
    case Operation::kUpdateByKey:
      return update(m, mask, false);
    case Operation::kUpdateWholeRow:
      return update(m, mask, true);
    case Operation::kDeleteByKey:
      return "DELETE FROM " + m.table + search(m, mask, false);
    case Operation::kDeleteWholeRow:
      break;
  }
  return "DELETE FROM " + m.table + search(m, mask, true);
}

}  // namespace

void start_mask(Mask& mask, Operation operation, size_t columns) {
  mask.assign(columns + 1, '\0');
  mask[0] = static_cast<char>(operation);
}

Statement& StatementCache::get(Database& db, const Mirror& mirror, const Mask& mask) {
  if (last_ < entries_.size() && entries_[last_]->mask == mask) return entries_[last_]->statement;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i]->mask != mask) continue;
    last_ = i;
    return entries_[i]->statement;
  }
  if (entries_.size() == kMaxStatements) entries_.clear();
  entries_.push_back(std::make_unique<Entry>(Entry{mask, db.prepare(text_of(mirror, mask))}));
  last_ = entries_.size() - 1;
  return entries_.back()->statement;
}

}  // namespace walspout::sqlite
