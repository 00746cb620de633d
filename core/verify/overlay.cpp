#include "verify/overlay.hpp"

#include <algorithm>
#include <utility>

namespace walspout::verify {

namespace {

std::string_view view(walspout_str text) { return {text.data, text.size}; }

std::optional<std::string> value_of(const walspout_value& value) {
  if (value.state != WALSPOUT_TEXT) return std::nullopt;
  return std::string(static_cast<const char*>(value.data), value.size);
}

std::size_t bytes_of(const Row& row) {
  std::size_t bytes = row.size() * sizeof(Row::value_type);
  for (const auto& value : row) bytes += value ? value->size() : 0;
  return bytes;
}

// What decides on how rows are told and found.
bool same_column(const walspout_column& a, const walspout_column& b) {
  return view(a.name) == view(b.name) && a.type_oid == b.type_oid && a.type_mod == b.type_mod &&
         a.key_ordinal == b.key_ordinal &&
         (a.flags & WALSPOUT_COLUMN_KEY) == (b.flags & WALSPOUT_COLUMN_KEY);
}

}  // namespace

void Overlay::spoil(const char* why) {
  spoilt_ = why;
  keys_.clear();
  deltas_.clear();
  bytes_ = 0;
}

bool Overlay::same_shape(const walspout_relation& relation) {
  if (relation.version == checked_version_) return true;
  const walspout_relation& mine = plan_.whole();
  bool same = relation.column_count == mine.column_count &&
              relation.replica_identity == mine.replica_identity;
  for (std::uint32_t i = 0; same && i < mine.column_count; ++i)
    same = same_column(*relation.columns[i], *mine.columns[i]);
  if (same) checked_version_ = relation.version;
  return same;
}

void Overlay::apply(const walspout_change& change) {
  if (!spoilt_.empty()) return;
  if (change.op == WALSPOUT_TRUNCATE) return spoil("it was emptied by TRUNCATE meanwhile");
  if (change.op > WALSPOUT_TRUNCATE) return;
  if (!same_shape(*change.relation)) return spoil("its columns or its key changed meanwhile");
  if (plan_.keyed()) {
    apply_keyed(change);
  } else {
    apply_keyless(change);
  }
}

std::optional<Row> Overlay::key_from(const walspout_value* row) const {
  if (row == nullptr) return std::nullopt;
  Row key;
  for (const std::uint32_t i : plan_.key()) {
    const walspout_value& value = row[plan_.from_whole()[i]];
    if (value.state != WALSPOUT_TEXT) return std::nullopt;
    key.push_back(value_of(value));
  }
  return key;
}

Overlay::KeyState& Overlay::at(const Row& key) {
  Row spread(plan_.columns().size());
  for (std::size_t i = 0; i < key.size(); ++i) spread[plan_.key()[i]] = key[i];
  const auto [found, added] = keys_.try_emplace(plan_.key_of(spread, Origin::kSource));
  KeyState& state = found->second;
  if (added) bytes_ += sizeof(KeyState) + 2 * found->first.size() + bytes_of(key);
  state.key = key;
  return state;
}

// fallback: the whole old row, which has the values that were not sent again.
Row Overlay::row_of(const walspout_value* values, const walspout_value* fallback,
                    std::vector<std::uint32_t>& unchanged) const {
  Row row(plan_.columns().size());
  for (std::uint32_t i = 0; i < row.size(); ++i) {
    const std::uint32_t from = plan_.from_whole()[i];
    if (values[from].state != WALSPOUT_UNCHANGED) {
      row[i] = value_of(values[from]);
    } else if (fallback != nullptr && fallback[from].state == WALSPOUT_TEXT) {
      row[i] = value_of(fallback[from]);
    } else {
      unchanged.push_back(i);
    }
  }
  return row;
}

void Overlay::apply_keyed(const walspout_change& change) {
  auto old_key = key_from(change.old_row);
  if (change.op == WALSPOUT_DELETE) {
    if (!old_key) return spoil("a row was deleted that the stream does not name");
    KeyState& gone = at(*old_key);
    bytes_ -= bytes_of(gone.row);
    gone.what = side_ == Side::kWaiting ? KeyState::What::kUnknown : KeyState::What::kDeleted;
    gone.row.clear();
    gone.unchanged.clear();
    return;
  }
  // A key column that was not sent again is in the old row.
  std::vector<std::uint32_t> unchanged;
  Row row = row_of(change.new_row, change.old_row, unchanged);
  Row new_key;
  for (const std::uint32_t i : plan_.key()) {
    if (!row[i]) return spoil("a row was changed that the stream does not name");
    new_key.push_back(row[i]);
  }
  if (!old_key) old_key = new_key;
  if (side_ == Side::kWaiting) {
    at(*old_key).what = KeyState::What::kUnknown;
    at(new_key).what = KeyState::What::kUnknown;
    return;
  }
  std::string base;
  if (change.op == WALSPOUT_UPDATE) {
    KeyState& old = at(*old_key);
    const bool known = old.what == KeyState::What::kPresent;
    std::vector<std::uint32_t> still;
    for (const std::uint32_t i : unchanged) {
      const bool carried =
          known && std::find(old.unchanged.begin(), old.unchanged.end(), i) == old.unchanged.end();
      if (carried) {
        row[i] = old.row[i];
      } else {
        still.push_back(i);
      }
    }
    unchanged = std::move(still);
    Row spread(plan_.columns().size());
    for (std::size_t i = 0; i < old_key->size(); ++i) spread[plan_.key()[i]] = (*old_key)[i];
    if (!unchanged.empty()) base = known ? old.base : plan_.key_of(spread, Origin::kSource);
    bytes_ -= bytes_of(old.row);
    old.what = KeyState::What::kDeleted;
    old.row.clear();
    old.unchanged.clear();
  }
  KeyState& state = at(new_key);
  bytes_ += bytes_of(row) - bytes_of(state.row);
  state.what = KeyState::What::kPresent;
  state.row = std::move(row);
  state.unchanged = std::move(unchanged);
  state.base = std::move(base);
}

void Overlay::count(const Row& row, std::int64_t by) {
  Delta& delta = deltas_[plan_.digest_of(plan_.text_of(row, Origin::kSource))];
  if (delta.row.empty()) {
    delta.row = row;
    bytes_ += sizeof(Delta) + sizeof(Digest) + bytes_of(row);
  }
  // What waits is undone: the target has what the snapshot had before it.
  delta.count += side_ == Side::kWaiting ? -by : by;
}

void Overlay::apply_keyless(const walspout_change& change) {
  const bool has_old = change.op != WALSPOUT_INSERT;
  if (has_old && (change.old_row == nullptr || (change.flags & WALSPOUT_OLD_FULL) == 0))
    return spoil("a row was changed that the stream does not name");
  std::vector<std::uint32_t> unchanged;
  if (has_old) count(row_of(change.old_row, nullptr, unchanged), -1);
  if (change.op != WALSPOUT_DELETE) count(row_of(change.new_row, change.old_row, unchanged), 1);
  if (!unchanged.empty()) spoil("a row was changed that the stream does not name");
}

}  // namespace walspout::verify
