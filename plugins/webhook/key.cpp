#include "key.hpp"

#include <walspout/change.hpp>

namespace walspout::webhook {
namespace {

std::uint64_t table_hash(const walspout_relation& table) {
  const std::uint64_t schema = hash(view(table.schema));
  return hash(view(table.name), hash(std::string_view("\0", 1), schema));
}

// The column flag that makes the key; 0 = the table has none. Under FULL every column is flagged as
// part of the identity, which makes no key.
std::uint32_t key_flag(const walspout_relation& table) {
  std::uint32_t all = 0;
  for (std::uint32_t i = 0; i < table.column_count; ++i) all |= table.columns[i]->flags;
  if ((all & WALSPOUT_COLUMN_PRIMARY) != 0) return WALSPOUT_COLUMN_PRIMARY;
  return table.replica_identity == 'f' ? 0 : all & WALSPOUT_COLUMN_KEY;
}

std::optional<std::uint64_t> row_hash(const walspout_relation& table, const walspout_value* row,
                                      std::uint32_t flag) {
  std::uint64_t sum = table_hash(table);
  for (std::uint32_t i = 0; i < table.column_count; ++i) {
    if ((table.columns[i]->flags & flag) == 0) continue;
    const Value value(row[i]);
    if (value.unchanged() || value.absent()) return std::nullopt;
    const char state = static_cast<char>(value.state());
    sum = hash(value.text(), hash(std::string_view(&state, 1), sum));
  }
  return sum;
}

}  // namespace

std::optional<std::uint64_t> key_hash(const walspout_change& change) {
  const bool row =
      change.op == WALSPOUT_INSERT || change.op == WALSPOUT_UPDATE || change.op == WALSPOUT_DELETE;
  if (!row) return std::nullopt;
  const walspout_relation& table = *change.relation;
  const std::uint32_t flag = key_flag(table);
  if (flag == 0) return table_hash(table);
  std::optional<std::uint64_t> now, was;
  if (change.new_row != nullptr) now = row_hash(table, change.new_row, flag);
  if (change.old_row != nullptr) was = row_hash(table, change.old_row, flag);
  if (change.op == WALSPOUT_INSERT) return now;
  if (change.op == WALSPOUT_DELETE) return was;
  // Without an old row the key is as it was.
  return change.old_row == nullptr || now == was ? now : std::nullopt;
}

}  // namespace walspout::webhook
