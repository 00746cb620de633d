#include "verify/compare.hpp"

#include <algorithm>
#include <cstdlib>
#include <future>
#include <unordered_set>

namespace walspout::verify {

namespace {

constexpr int kFetchRows = 2000;
constexpr std::size_t kKeysAtOnce = 200;
constexpr std::uint64_t kLookUpEvery = 1024;  // rows between two looks at the interrupt

auto reader_of(const walspout_value* row) {
  return [row](std::size_t i) { return text_of(row[i]); };
}

}  // namespace

Comparison::Comparison(Session& session, Target& target, const TablePlan& plan, Overlay& overlay,
                       const postgres::Interrupt& interrupt, OnDifference on_difference)
    : session_(session),
      target_(target),
      plan_(plan),
      overlay_(overlay),
      interrupt_(interrupt),
      on_difference_(std::move(on_difference)) {}

// A result of any size, a piece at a time.
void Comparison::fetch(const std::string& query,
                       const std::function<void(const postgres::Result&, int)>& row) {
  postgres::Connection& connection = session_.snapshot();
  connection.exec("DECLARE walspout_rows NO SCROLL CURSOR FOR " + query, interrupt_);
  const std::string next = "FETCH " + std::to_string(kFetchRows) + " FROM walspout_rows";
  while (true) {
    const postgres::Result rows = connection.exec(next, interrupt_);
    for (int i = 0; i < rows.rows(); ++i) row(rows, i);
    if (rows.rows() == 0) break;
  }
  connection.exec("CLOSE walspout_rows", interrupt_);
}

Row Comparison::spread(const Row& key) const {
  Row row(plan_.columns().size());
  for (std::size_t i = 0; i < key.size(); ++i) row[plan_.key()[i]] = key[i];
  return row;
}

Row Comparison::copy(const walspout_value* row) const {
  Row values(plan_.columns().size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const auto text = text_of(row[i])) values[i] = std::string(*text);
  return values;
}

void Comparison::read_keys(const std::vector<Row>& keys,
                           const std::function<void(std::string key, Found found)>& on_row) {
  const int first_key = 3;
  for (std::size_t i = 0; i < keys.size(); i += kKeysAtOnce) {
    const std::size_t size = std::min(kKeysAtOnce, keys.size() - i);
    fetch(plan_.keys_query({keys.data() + i, size}), [&](const postgres::Result& rows, int row) {
      Row key(plan_.key().size());
      for (std::size_t k = 0; k < key.size(); ++k)
        key[k] = rows.string(row, first_key + static_cast<int>(k));
      Found found{static_cast<Digest>(rows.integer(row, 2)),
                  rows.string(row, 0),
                  rows.string(row, 1),
                  1,
                  {}};
      ++counts_.singly;
      on_row(plan_.key_of(spread(key), Origin::kSource), std::move(found));
    });
  }
}

Row Comparison::read_row(const Found& found) {
  const postgres::Result rows =
      session_.snapshot().exec(plan_.row_query(found.tableoid, found.ctid), interrupt_);
  if (rows.rows() != 1) throw std::runtime_error("a row of the snapshot is not where it was");
  ++counts_.singly;
  Row row(plan_.columns().size());
  for (std::size_t i = 0; i < row.size(); ++i)
    if (const auto text = rows.text(0, static_cast<int>(i))) row[i] = std::string(*text);
  return row;
}

// The rows of the snapshot that the overlay covers do not count; values that no change brought come
// from them.
void Comparison::complete_overlay() {
  std::vector<Row> keys;
  std::unordered_set<std::string> bases;
  for (const auto& [key, state] : overlay_.keys()) {
    keys.push_back(state.key);
    if (!state.unchanged.empty()) bases.insert(state.base);
  }
  std::unordered_map<std::string, Row> base_rows;
  std::vector<std::pair<std::string, Found>> wanted;
  read_keys(keys, [&](std::string key, Found found) {
    if (overlay_.keys().count(key) == 0) return;  // equal only by the type's operator
    replaced_.emplace_back(plan_.bucket(key, found.digest), Bucket{found.digest, 1});
    if (bases.count(key) != 0) wanted.emplace_back(std::move(key), std::move(found));
  });
  for (auto& [key, found] : wanted) base_rows.emplace(std::move(key), read_row(found));
  for (auto& [key, state] : overlay_.keys()) {
    for (const std::uint32_t i : state.unchanged) {
      const auto base = base_rows.find(state.base);
      if (base == base_rows.end())
        throw postgres::TableChanged("the stream changes a row that the snapshot has not");
      state.row[i] = base->second[i];
    }
    state.unchanged.clear();
  }
}

void Comparison::add_overlay_rows(std::vector<Bucket>& source) {
  for (const auto& [bucket, row] : replaced_) {
    source[bucket].sum -= row.sum;
    --source[bucket].count;
    --counts_.rows;
  }
  for (const auto& [key, state] : overlay_.keys()) {
    if (state.what == Overlay::KeyState::What::kPresent) ++counts_.rows;
    if (state.what == Overlay::KeyState::What::kUnknown) ++counts_.waiting;
  }
  for (const auto& [digest, delta] : overlay_.deltas()) {
    Bucket& bucket = source[plan_.bucket({}, digest)];
    const auto times = static_cast<std::uint64_t>(delta.count);
    bucket.sum += digest * times;
    bucket.count += delta.count;
    counts_.rows += times;
  }
}

void Comparison::count_source(std::vector<Bucket>& buckets) {
  fetch(plan_.buckets_query(), [&](const postgres::Result& rows, int row) {
    Bucket& bucket = buckets.at(static_cast<std::size_t>(rows.integer(row, 0)));
    bucket.count = rows.integer(row, 1);
    const auto sum = parse_modulo(rows.string(row, 2));
    if (!sum) throw std::runtime_error("sum() gave no number");
    bucket.sum = *sum;
    counts_.rows += static_cast<std::uint64_t>(bucket.count);
  });
}

// A row of the target that the overlay knows is compared at once. False when it does not know it.
bool Comparison::laid_over(const std::string& key, const walspout_value* row) {
  const auto found = overlay_.keys().find(key);
  if (found == overlay_.keys().end()) return false;
  Overlay::KeyState& state = found->second;
  using What = Overlay::KeyState::What;
  if (state.what == What::kUnknown) return true;
  if (state.what == What::kDeleted || state.seen) {
    report(Difference::What::kExtra, copy(row));
  } else {
    compare_row(state.row, copy(row));
  }
  state.seen = true;
  return true;
}

void Comparison::report_unseen() {
  for (auto& [key, state] : overlay_.keys())
    if (state.what == Overlay::KeyState::What::kPresent && !state.seen)
      report(Difference::What::kMissing, state.row);
}

void Comparison::count_target(std::vector<Bucket>& buckets, const std::atomic<bool>& stop) {
  std::string key, text;
  std::uint64_t seen = 0;
  target_.scan([&](const walspout_value* row) {
    if (++seen % kLookUpEvery == 0) interrupt_.check();
    if (stop) return false;
    key.clear();
    text.clear();
    plan_.append_key(key, Origin::kTarget, reader_of(row));
    if (!overlay_.keys().empty() && laid_over(key, row)) return true;
    plan_.append_row(text, Origin::kTarget, reader_of(row));
    const Digest digest = plan_.digest_of(text);
    Bucket& bucket = buckets[plan_.bucket(key, digest)];
    bucket.sum += digest;
    ++bucket.count;
    return true;
  });
}

Counts Comparison::all() {
  complete_overlay();
  std::vector<Bucket> source(plan_.buckets()), target(plan_.buckets());
  {
    // The server computes while the target is read here.
    std::atomic<bool> stop = false;
    auto counting = std::async(std::launch::async, [&] { count_target(target, stop); });
    try {
      count_source(source);
    } catch (...) {
      stop = true;  // the future's destructor waits
      throw;
    }
    counting.get();
  }
  add_overlay_rows(source);
  report_unseen();
  const std::vector<std::uint32_t> left = narrow(source, target);
  for (const std::uint32_t bucket : left) {
    const auto apart = std::abs(source[bucket].count - target[bucket].count);
    counts_.differences += static_cast<std::uint64_t>(std::max<std::int64_t>(apart, 1));
    counts_.more = true;
  }
  return std::move(counts_);
}

Counts Comparison::only(const std::vector<Row>& keys) {
  complete_overlay();
  Rows rows;
  read_keys(keys,
            [&](std::string key, Found found) { rows.emplace(std::move(key), std::move(found)); });
  for (const Row& key : keys) {
    Row expected = spread(key);
    const std::string text = plan_.key_of(expected, Origin::kSource);
    const auto over = overlay_.keys().find(text);
    const auto at_source = rows.find(text);
    bool there = at_source != rows.end();
    if (over != overlay_.keys().end()) {
      there = over->second.what == Overlay::KeyState::What::kPresent;
      if (over->second.what == Overlay::KeyState::What::kUnknown) {
        ++counts_.waiting;
        continue;
      }
      if (there) expected = over->second.row;
    } else if (there) {
      expected = read_row(at_source->second);
    }
    const auto at_target = find_at_target(expected);
    if (there) ++counts_.rows;
    if (there && !at_target) report(Difference::What::kMissing, expected);
    if (!there && at_target) report(Difference::What::kExtra, *at_target);
    if (there && at_target) compare_row(expected, *at_target);
  }
  return std::move(counts_);
}

}  // namespace walspout::verify
