// The second half of a comparison: from buckets that differ to the rows that do.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "verify/compare.hpp"

namespace walspout::verify {

namespace {

constexpr std::int64_t kRowsAtOnce = 200'000;  // held in memory, at about 200 bytes and their keys
constexpr std::uint64_t kLookUpEvery = 1024;

std::string digest_key(const Digest& digest) {
  return {reinterpret_cast<const char*>(&digest), sizeof digest};
}

auto reader_of(const walspout_value* row) {
  return [row](std::size_t i) { return text_of(row[i]); };
}

}  // namespace

void Comparison::report(Difference difference, const Row& row) {
  counts_.differences += difference.copies;
  if (reported_ >= kMostReported) return;
  ++reported_;
  if (plan_.keyed()) {
    Row key;
    for (const std::uint32_t i : plan_.key()) {
      difference.row.emplace_back(plan_.columns()[i], row[i]);
      key.push_back(row[i]);
    }
    counts_.keys.push_back(std::move(key));
  } else {
    for (std::size_t i = 0; i < row.size(); ++i)
      difference.row.emplace_back(plan_.columns()[i], row[i]);
  }
  on_difference_(difference);
}

void Comparison::report(Difference::What what, const Row& row, std::uint64_t copies) {
  Difference difference;
  difference.what = what;
  difference.copies = copies;
  report(std::move(difference), row);
}

void Comparison::compare_row(const Row& source, const Row& target) {
  Difference difference;
  difference.what = Difference::What::kDiffers;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (!plan_.compared(i)) continue;
    const ColumnForm& form = plan_.forms()[i];
    const bool same = source[i].has_value() == target[i].has_value() &&
                      (!source[i] || canonical(form, *source[i], Origin::kSource) ==
                                         canonical(form, *target[i], Origin::kTarget));
    if (!same) difference.columns.push_back({plan_.columns()[i], source[i], target[i]});
  }
  if (!difference.columns.empty()) report(std::move(difference), source);
}

std::optional<Row> Comparison::find_at_target(const Row& row) {
  std::vector<walspout_value> key(plan_.columns().size());
  for (auto& value : key) value.state = WALSPOUT_ABSENT;
  std::vector<std::string> texts(plan_.key().size());
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const std::uint32_t i = plan_.key()[k];
    if (!row[i]) {
      key[i].state = WALSPOUT_NULL;
      continue;
    }
    const bool elements = plan_.forms()[i].form == WALSPOUT_FORM_ELEMENTS;
    texts[k] = elements ? canonical(plan_.forms()[i], *row[i], Origin::kSource) : *row[i];
    key[i].state = WALSPOUT_TEXT;
    key[i].data = texts[k].data();
    key[i].size = static_cast<std::uint32_t>(texts[k].size());
  }
  std::optional<Row> found;
  target_.find(key.data(), [&](const walspout_value* values) {
    found = copy(values);
    return false;
  });
  return found;
}

// Looks into as many buckets as it takes to report what is to be reported; gives back the others.
std::vector<std::uint32_t> Comparison::narrow(const std::vector<Bucket>& source,
                                              const std::vector<Bucket>& target) {
  std::vector<std::uint32_t> apart;
  for (std::uint32_t i = 0; i < source.size(); ++i)
    if (source[i].count != target[i].count || source[i].sum != target[i].sum) apart.push_back(i);
  auto next = apart.begin();
  while (next != apart.end() && reported_ < kMostReported) {
    std::vector<std::uint32_t> buckets;
    for (std::int64_t rows = 0; next != apart.end() && rows < kRowsAtOnce; ++next) {
      rows += std::max(source[*next].count, target[*next].count);
      buckets.push_back(*next);
    }
    look_into(buckets);
  }
  return {next, apart.end()};
}

void Comparison::look_into(const std::vector<std::uint32_t>& buckets) {
  std::vector<bool> wanted(plan_.buckets());
  for (const std::uint32_t bucket : buckets) wanted[bucket] = true;
  Rows rows = rows_of(buckets);
  if (plan_.keyed()) {
    match_keyed(rows, wanted);
  } else {
    match_keyless(rows, wanted);
  }
}

Comparison::Rows Comparison::rows_of(const std::vector<std::uint32_t>& buckets) {
  Rows found;
  const int first_key = 3;
  fetch(plan_.narrow_query(buckets), [&](const postgres::Result& rows, int row) {
    const auto digest = static_cast<Digest>(rows.integer(row, 2));
    Found one{digest, rows.string(row, 0), rows.string(row, 1), 1, {}};
    if (!plan_.keyed()) {
      one.copies = rows.integer(row, 3);
      found.emplace(digest_key(digest), std::move(one));
      return;
    }
    Row key(plan_.key().size());
    for (std::size_t k = 0; k < key.size(); ++k)
      key[k] = rows.string(row, first_key + static_cast<int>(k));
    std::string text = plan_.key_of(spread(key), Origin::kSource);
    if (overlay_.keys().count(text) == 0) found.emplace(std::move(text), std::move(one));
  });
  return found;
}

void Comparison::match_keyed(Rows& rows, const std::vector<bool>& wanted) {
  std::vector<Found> differing;
  std::string key, text;
  std::uint64_t seen = 0;
  target_.scan([&](const walspout_value* row) {
    if (++seen % kLookUpEvery == 0) interrupt_.check();
    key.clear();
    plan_.append_key(key, Origin::kTarget, reader_of(row));
    if (!wanted[plan_.bucket(key, 0)] || overlay_.keys().count(key) != 0) return true;
    const auto found = rows.find(key);
    if (found == rows.end()) {  // or its key has been there already
      report(Difference::What::kExtra, copy(row));
      return true;
    }
    text.clear();
    plan_.append_row(text, Origin::kTarget, reader_of(row));
    if (found->second.digest != plan_.digest_of(text))
      differing.push_back(std::move(found->second));
    rows.erase(found);
    return true;
  });
  for (const Found& found : differing) {
    if (reported_ >= kMostReported) {
      ++counts_.differences;
      continue;
    }
    const Row source = read_row(found);
    if (const auto target = find_at_target(source)) compare_row(source, *target);
  }
  for (const auto& [text_of_key, found] : rows) {
    if (reported_ >= kMostReported) {
      ++counts_.differences;
      continue;
    }
    report(Difference::What::kMissing, read_row(found));
  }
}

void Comparison::match_keyless(Rows& rows, const std::vector<bool>& wanted) {
  for (const auto& [digest, delta] : overlay_.deltas()) {
    if (!wanted[plan_.bucket({}, digest)]) continue;
    Found& found = rows.try_emplace(digest_key(digest), Found{digest, "", "", 0, {}}).first->second;
    found.copies += delta.count;
    found.row = delta.row;
  }
  std::string text;
  std::uint64_t seen = 0, kept = 0;
  target_.scan([&](const walspout_value* row) {
    if (++seen % kLookUpEvery == 0) interrupt_.check();
    text.clear();
    plan_.append_row(text, Origin::kTarget, reader_of(row));
    const Digest digest = plan_.digest_of(text);
    if (!wanted[plan_.bucket({}, digest)]) return true;
    const auto [found, added] = rows.try_emplace(digest_key(digest), Found{digest, "", "", 0, {}});
    if (added && kept < kMostReported) {  // the target alone has it
      found->second.row = copy(row);
      ++kept;
    }
    --found->second.copies;
    return true;
  });
  for (auto& [digest, found] : rows) {
    if (found.copies == 0) continue;
    const auto copies = static_cast<std::uint64_t>(std::abs(found.copies));
    if (found.row.empty() && !found.ctid.empty() && reported_ < kMostReported)
      found.row = read_row(found);
    report(found.copies > 0 ? Difference::What::kMissing : Difference::What::kExtra, found.row,
           copies);
  }
}

}  // namespace walspout::verify
