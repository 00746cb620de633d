#include "route/schema_change.hpp"

#include <algorithm>

namespace walspout::route {
namespace {

std::uint32_t table_column(const SinkShape& shape, std::uint32_t column) {
  return shape.columns.empty() ? column : shape.columns[column];
}

// The sink's column that is this one of the table, or -1: it is left out.
std::int32_t sink_column(const SinkShape& shape, std::int32_t of_table) {
  if (of_table < 0 || shape.columns.empty()) return of_table;
  const auto found =
      std::find(shape.columns.begin(), shape.columns.end(), static_cast<std::uint32_t>(of_table));
  return found == shape.columns.end() ? -1
                                      : static_cast<std::int32_t>(found - shape.columns.begin());
}

walspout_value value_of(const Fill& fill, base::Arena& arena) {
  walspout_value value{};
  value.state = WALSPOUT_ABSENT;
  if (fill.kind == Fill::Kind::kNull) value.state = WALSPOUT_NULL;
  if (fill.kind == Fill::Kind::kText) {
    const std::string_view text = arena.copy(std::string_view(fill.text));
    value.state = WALSPOUT_TEXT;
    value.data = text.data();
    value.size = static_cast<std::uint32_t>(text.size());
  }
  return value;
}

}  // namespace

walspout_change* make_schema_change(const walspout_change& next, const SinkShape& before,
                                    const SinkShape& now, const ShapeStep& step,
                                    base::Arena& arena) {
  auto* change = arena.make(walspout_change{});
  change->struct_size = sizeof *change;
  change->op = WALSPOUT_SCHEMA;
  change->ordinal = next.ordinal;
  change->lsn = next.lsn;
  change->relation = now.relation;
  const std::uint32_t count = now.relation->column_count;
  if (before.relation != nullptr && !step.old_index.empty()) {
    change->old_relation = before.relation;
    const auto index = arena.array<std::int32_t>(count);
    for (std::uint32_t i = 0; i < count; ++i)
      index[i] = sink_column(before, step.old_index[table_column(now, i)]);
    change->old_index = index.data();
  }
  if (!step.fill.empty()) {
    const auto fill = arena.array<walspout_value>(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool fresh = change->old_index == nullptr || change->old_index[i] < 0;
      fill[i] = value_of(fresh ? step.fill[table_column(now, i)] : Fill(), arena);
    }
    change->fill = fill.data();
  }
  return change;
}

}  // namespace walspout::route
