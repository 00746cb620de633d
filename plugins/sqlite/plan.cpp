#include "plan.hpp"

#include <algorithm>

namespace walspout::sqlite {

namespace {

std::string_view view(walspout_str s) { return {s.data, s.size}; }

class Matcher {
 public:
  Matcher(const walspout_relation& relation, const std::vector<ColumnRecord>& records)
      : relation_(relation),
        records_(records),
        used_(records.size(), false),
        origin_(relation.column_count, -1) {}

  void by_mapping(const walspout_relation& old_relation, const int32_t* old_index) {
    for (uint32_t i = 0; i < relation_.column_count; ++i) {
      if (old_index[i] >= 0) {
        take(i, by_name(view(old_relation.columns[old_index[i]]->name)));
        continue;
      }
      // New in this change; but if the old shape did not have the name either, a record of that
      // name is the column itself, seen already.
      for (uint32_t j = 0; j < old_relation.column_count; ++j)
        if (view(old_relation.columns[j]->name) == view(relation_.columns[i]->name))
          fresh_.push_back(i);
    }
  }

  void by_attnum() {
    for (uint32_t i = 0; i < relation_.column_count; ++i) {
      const int attnum = relation_.columns[i]->attnum;
      if (attnum == 0 || is_fresh(i)) continue;
      for (size_t j = 0; j < records_.size(); ++j)
        if (records_[j].attnum == attnum) take(i, static_cast<int>(j));
      const int named = by_name(view(relation_.columns[i]->name));
      if (named >= 0 && records_[static_cast<size_t>(named)].attnum != 0 &&
          records_[static_cast<size_t>(named)].attnum != attnum)
        fresh_.push_back(i);
    }
  }

  void by_names() {
    for (uint32_t i = 0; i < relation_.column_count; ++i)
      if (!is_fresh(i)) take(i, by_name(view(relation_.columns[i]->name)));
  }

  std::vector<int> origin() const { return origin_; }

 private:
  int by_name(std::string_view name) const {
    for (size_t j = 0; j < records_.size(); ++j)
      if (records_[j].source == name) return static_cast<int>(j);
    return -1;
  }
  bool is_fresh(uint32_t i) const {
    return std::find(fresh_.begin(), fresh_.end(), i) != fresh_.end();
  }
  void take(uint32_t i, int record) {
    if (record < 0 || origin_[i] >= 0 || used_[static_cast<size_t>(record)]) return;
    origin_[i] = record;
    used_[static_cast<size_t>(record)] = true;
  }

  const walspout_relation& relation_;
  const std::vector<ColumnRecord>& records_;
  std::vector<bool> used_;
  std::vector<int> origin_;
  std::vector<uint32_t> fresh_;  // certainly new
};

}  // namespace

std::vector<int> match_columns(const walspout_relation& relation,
                               const std::vector<ColumnRecord>& records,
                               const walspout_relation* old_relation, const int32_t* old_index,
                               bool same_source) {
  Matcher matcher(relation, records);
  if (old_relation != nullptr && old_index != nullptr) matcher.by_mapping(*old_relation, old_index);
  if (same_source) matcher.by_attnum();
  matcher.by_names();
  return matcher.origin();
}

bool same_records(const walspout_relation& relation, const std::vector<ColumnRecord>& records,
                  const std::vector<std::string>& names) {
  if (records.size() != relation.column_count) return false;
  for (uint32_t i = 0; i < relation.column_count; ++i) {
    const walspout_column& c = *relation.columns[i];
    if (std::none_of(records.begin(), records.end(), [&](const ColumnRecord& r) {
          return r.source == view(c.name) && r.mirror == names[i] && r.type == view(c.type_name) &&
                 r.attnum == c.attnum;
        }))
      return false;
  }
  return true;
}

}  // namespace walspout::sqlite
