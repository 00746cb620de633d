#include "verify/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <walspout/oid.hpp>

#include "base/table_pattern.hpp"
#include "postgres/quote.hpp"

namespace walspout::verify {

namespace {

constexpr double kRowsPerBucket = 256;
constexpr std::uint32_t kFewestBuckets = 1;
constexpr std::uint32_t kMostBuckets = 1U << 20;
constexpr double kSmallRow = 64;  // bytes; a row takes 28 at least
constexpr int kNeighbours = 8;    // bits: 256 neighbours of an integer share one

// Folded, so that keys with idle low bits (a time and a counter, say) are spread as well.
std::uint32_t fold(std::int64_t key) {
  return static_cast<std::uint32_t>((key >> kNeighbours) ^ (key >> 20) ^ (key >> 37));
}

std::uint32_t column_at(const transaction::TableShape& whole, const std::string& name) {
  const auto found = std::find_if(whole.columns.begin(), whole.columns.end(),
                                  [&](const auto& column) { return column.name == name; });
  return static_cast<std::uint32_t>(found - whole.columns.begin());
}

}  // namespace

transaction::TableShape without_columns(const transaction::TableShape& shape,
                                        const std::vector<std::string>& exclude_columns) {
  transaction::TableShape kept = shape;
  const std::string table = shape.schema + '.' + shape.name + '.';
  std::erase_if(kept.columns, [&](const transaction::ColumnShape& column) {
    return std::any_of(exclude_columns.begin(), exclude_columns.end(), [&](const auto& pattern) {
      return base::glob_match(pattern, table + column.name);
    });
  });
  return kept;
}

TablePlan::TablePlan(postgres::PublishedTable table, transaction::RelationPtr whole,
                     transaction::RelationPtr relation, const std::vector<std::uint8_t>& forms,
                     bool convert)
    : table_(std::move(table)),
      whole_(std::move(whole)),
      relation_(std::move(relation)),
      name_(table_.full_name()),
      convert_(convert),
      pieces_(convert) {
  for (std::uint32_t i = 0; i < relation_->column_count; ++i) {
    const walspout_column& column = *relation_->columns[i];
    columns_.emplace_back(column.name.data, column.name.size);
    from_whole_.push_back(column_at(whole_->shape(), columns_.back()));
    forms_.push_back({forms[i], column.base_type_oid, column.element_type_oid});
  }
  choose_key();
}

// The columns by which the stream names a row: the primary key, or with USING INDEX the columns of
// that index, since an old row has no others.
void TablePlan::choose_key() {
  const auto column = [&](std::uint32_t i) -> const walspout_column& {
    return *relation_->columns[i];
  };
  for (std::uint32_t i = 0; i < relation_->column_count; ++i) {
    const bool by_index = relation_->replica_identity == 'i';
    if (by_index ? (column(i).flags & WALSPOUT_COLUMN_KEY) != 0 : column(i).key_ordinal != 0)
      key_.push_back(i);
  }
  std::sort(key_.begin(), key_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return column(a).key_ordinal < column(b).key_ordinal ||
           (column(a).key_ordinal == column(b).key_ordinal && a < b);
  });
  // A key that cannot be compared is none.
  if (std::any_of(key_.begin(), key_.end(), [&](std::uint32_t i) { return !compared(i); }))
    key_.clear();
  if (key_.size() != 1 || forms_[key_[0]].form != WALSPOUT_FORM_TEXT) return;
  const std::uint32_t type = forms_[key_[0]].base_type_oid;
  integer_key_ = type == oid::kInt2 || type == oid::kInt4 || type == oid::kInt8;
}

// Too many of them cost little, too few make narrowing long; an estimate may be old.
void TablePlan::choose_buckets(std::int64_t bytes) {
  const double rows = std::max(table_.estimated_rows, static_cast<double>(bytes) / kSmallRow);
  const double wanted = std::clamp(rows / kRowsPerBucket, static_cast<double>(kFewestBuckets),
                                   static_cast<double>(kMostBuckets));
  mask_ = std::bit_ceil(static_cast<std::uint32_t>(wanted)) - 1;
}

bool TablePlan::key_can_be_asked() const {
  return std::none_of(key_.begin(), key_.end(),
                      [&](std::uint32_t i) { return forms_[i].form == WALSPOUT_FORM_ELEMENTS; });
}

std::string TablePlan::key_of(const Row& row, Origin origin) const {
  std::string key;
  append_key(key, origin, [&](std::size_t i) { return std::optional<std::string_view>(row[i]); });
  return key;
}

std::string TablePlan::text_of(const Row& row, Origin origin) const {
  std::string text;
  append_row(text, origin, [&](std::size_t i) { return std::optional<std::string_view>(row[i]); });
  return text;
}

std::uint32_t TablePlan::bucket(std::string_view key, Digest row) const {
  if (!keyed()) return static_cast<std::uint32_t>(row) & mask_;
  if (!integer_key_) return static_cast<std::uint32_t>(digest_of(key)) & mask_;
  std::int64_t number = 0;  // a key that is no number is only at the target: any bucket will do
  std::from_chars(key.data(), key.data() + key.size(), number);
  return fold(number) & mask_;
}

std::string TablePlan::column_sql(std::uint32_t column) const {
  return "t." + postgres::quote_identifier(columns_[column]);
}

std::string TablePlan::digest_sql() const {
  std::vector<std::string> arguments;
  for (std::uint32_t i = 0; i < forms_.size(); ++i)
    if (compared(i)) pieces_.append(arguments, forms_[i], column_sql(i));
  return pieces_.digest(arguments);
}

// Of a table with a key; without one the bucket is made of the digest.
std::string TablePlan::bucket_sql() const {
  if (integer_key_) {
    return fmt::format("((({0}::int8 >> {1}) # ({0}::int8 >> 20) # ({0}::int8 >> 37)) & {2})::int4",
                       column_sql(key_[0]), kNeighbours, mask_);
  }
  std::vector<std::string> arguments;
  for (const std::uint32_t i : key_) pieces_.append(arguments, forms_[i], column_sql(i));
  return fmt::format("({} & {})::int4", pieces_.digest(arguments), mask_);
}

std::string TablePlan::from_where(const std::string& condition) const {
  std::string where = condition.empty() ? "" : " AND " + condition;
  if (table_.row_filter) where += fmt::format(" AND ({})", *table_.row_filter);
  return fmt::format(" FROM {}{} t WHERE true{}", table_.relkind == 'p' ? "" : "ONLY ",
                     postgres::quote_table(table_.schema, table_.name), where);
}

std::string TablePlan::size_query() const {
  return fmt::format(
      "SELECT coalesce(sum(pg_relation_size(relid)), 0)::int8 FROM (SELECT {0}::oid UNION SELECT "
      "relid::oid FROM pg_partition_tree({0}::oid::regclass)) tree(relid)",
      table_.oid);
}

std::string TablePlan::buckets_query() const {
  // OFFSET 0 keeps the planner from computing a digest once for each use of it.
  return fmt::format("SELECT {}, count(*), sum(d) FROM (SELECT {}{} AS d{} OFFSET 0) r GROUP BY 1",
                     keyed() ? std::string("b") : fmt::format("(d & {})::int4", mask_),
                     keyed() ? bucket_sql() + " AS b, " : std::string(), digest_sql(),
                     from_where(""));
}

std::string TablePlan::narrow_query(std::span<const std::uint32_t> buckets) const {
  const std::string wanted = fmt::format("'{{{}}}'::int4[]", fmt::join(buckets, ","));
  if (!keyed()) {
    return fmt::format(
        "SELECT (min(ARRAY[o, c]))[1], (min(ARRAY[o, c]))[2], d, count(*) FROM (SELECT "
        "t.tableoid::text AS o, t.ctid::text AS c, {} AS d{} OFFSET 0) r WHERE (d & {})::int4 = "
        "ANY ({}) GROUP BY d",
        digest_sql(), from_where(""), mask_, wanted);
  }
  std::string keys;
  for (const std::uint32_t i : key_) keys += ", " + column_sql(i);
  return fmt::format("SELECT t.tableoid, t.ctid, {}{}{}", digest_sql(), keys,
                     from_where(fmt::format("{} = ANY ({})", bucket_sql(), wanted)));
}

std::string TablePlan::keys_query(std::span<const Row> keys) const {
  std::string columns, tuples;
  for (const std::uint32_t i : key_) columns += (columns.empty() ? "" : ", ") + column_sql(i);
  for (const Row& key : keys) {
    std::string tuple;
    for (const auto& value : key)
      tuple += (tuple.empty() ? "" : ", ") +
               (value ? postgres::quote_literal(*value) : std::string("NULL"));
    tuples += (tuples.empty() ? "(" : ", (") + tuple + ")";
  }
  return fmt::format("SELECT t.tableoid, t.ctid, {}, {}{}", digest_sql(), columns,
                     from_where(fmt::format("({}) IN ({})", columns, tuples)));
}

std::string TablePlan::row_query(const std::string& tableoid, const std::string& ctid) const {
  std::string columns;
  for (std::uint32_t i = 0; i < forms_.size(); ++i)
    columns += (columns.empty() ? "" : ", ") + column_sql(i);
  std::string at = "t.ctid = " + postgres::quote_literal(ctid);
  if (table_.relkind == 'p') at += " AND t.tableoid = " + postgres::quote_literal(tableoid);
  return fmt::format("SELECT {}{}", columns, from_where(at));
}

}  // namespace walspout::verify
