#include "transaction/column_match.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace walspout::transaction {

namespace {

// An attnum as it may have been when the new shape was sent.
struct Candidate {
  const AttributeNow* now = nullptr;
  std::int32_t old_index = -1;
  bool must = false;    // it was in the new shape
  bool never = false;   // it was not
  bool pinned = false;  // it had the name and type that it has now
};

// Nothing when the catalogue lacks a column of the old shape: it is not this table's, or older.
std::optional<std::vector<Candidate>> candidates(const TableShape& old_shape, const TableNow& now) {
  std::unordered_map<std::int16_t, std::int32_t> old_places;
  for (std::size_t i = 0; i < old_shape.columns.size(); ++i) {
    const std::int16_t attnum = old_shape.columns[i].attnum;
    if (attnum == 0) return std::nullopt;
    old_places.emplace(attnum, static_cast<std::int32_t>(i));
  }
  std::vector<Candidate> all;
  std::size_t found = 0;
  for (const AttributeNow& one : now.attributes) {
    Candidate& candidate = all.emplace_back();
    candidate.now = &one;
    const auto place = old_places.find(one.attnum);
    const bool was_old = place != old_places.end();
    if (was_old) {
      candidate.old_index = place->second;
      ++found;
    }
    // What lives now has lived since it was first seen; what is dropped is so for ever.
    candidate.must = !one.dropped && one.always_sent && (was_old || one.unchanged);
    candidate.never = one.dropped && one.unchanged;
    candidate.pinned = !one.dropped && one.unchanged;
  }
  if (found != old_places.size()) return std::nullopt;
  return all;
}

bool can_be(const Candidate& candidate, const ColumnShape& column) {
  if (candidate.never) return false;
  return !candidate.pinned ||
         (candidate.now->name == column.name && candidate.now->type_oid == column.type_oid);
}

// A table of truth values: [columns placed so far][candidates looked at so far].
class Grid {
 public:
  Grid(std::size_t columns, std::size_t candidates)
      : width_(candidates + 1), cells_((columns + 1) * width_, false) {}
  std::vector<bool>::reference at(std::size_t column, std::size_t candidate) {
    return cells_[column * width_ + candidate];
  }

 private:
  std::size_t width_;
  std::vector<bool> cells_;
};

// The new columns are some of the candidates, in their order, all that must be there among them.
// Looks at every way in which that can be, and keeps what is the same in all of them.
ColumnMatch deduce(const std::vector<Candidate>& all, const std::vector<ColumnShape>& columns) {
  const std::size_t m = columns.size(), n = all.size();
  Grid head(m, n), tail(m, n);  // can the first, the last ones be placed?
  head.at(0, 0) = true;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t p = 0; p <= std::min(m, i); ++p) {
      const bool skip = !all[i - 1].must && head.at(p, i - 1);
      const bool take = p > 0 && head.at(p - 1, i - 1) && can_be(all[i - 1], columns[p - 1]);
      head.at(p, i) = skip || take;
    }
  }
  tail.at(m, n) = true;
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t p = 0; p <= m; ++p) {
      const bool skip = !all[i].must && tail.at(p, i + 1);
      const bool take = p < m && tail.at(p + 1, i + 1) && can_be(all[i], columns[p]);
      tail.at(p, i) = skip || take;
    }
  }
  ColumnMatch match;
  match.certain = true;
  for (std::size_t p = 0; p < m; ++p) {
    const Candidate* only = nullptr;
    bool same_place = true, same_number = true;
    for (std::size_t i = 0; i < n; ++i) {
      if (!head.at(p, i) || !tail.at(p + 1, i + 1) || !can_be(all[i], columns[p])) continue;
      if (only != nullptr) {
        same_number = false;
        same_place = same_place && only->old_index == all[i].old_index;
      }
      only = &all[i];
    }
    const bool placed = only != nullptr && same_place;
    match.certain = match.certain && placed;
    match.old_index.push_back(placed ? only->old_index : -1);
    match.attnum.push_back(placed && same_number ? only->now->attnum : std::int16_t{0});
  }
  if (m == 0) match.certain = tail.at(0, 0);
  return match;
}

ColumnMatch by_name(const TableShape& old_shape, const TableShape& new_shape) {
  std::unordered_map<std::string, std::int32_t> places;
  for (std::size_t i = 0; i < old_shape.columns.size(); ++i)
    places.emplace(old_shape.columns[i].name, static_cast<std::int32_t>(i));
  ColumnMatch match;
  for (const ColumnShape& column : new_shape.columns) {
    const auto found = places.find(column.name);
    match.old_index.push_back(found == places.end() ? -1 : found->second);
    match.attnum.push_back(0);
  }
  return match;
}

}  // namespace

ColumnMatch match_columns(const TableShape& old_shape, const TableShape& new_shape,
                          const TableNow& now) {
  if (now.current && old_shape.oid == new_shape.oid) {
    if (const auto all = candidates(old_shape, now)) {
      ColumnMatch match = deduce(*all, new_shape.columns);
      if (match.certain) return match;
    }
  }
  return by_name(old_shape, new_shape);
}

}  // namespace walspout::transaction
