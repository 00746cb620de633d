#include "pipeline/range_rows.hpp"

#include <utility>

#include "pipeline/marker.hpp"
#include "postgres/quote.hpp"

namespace walspout {

using transaction::Chunk;

namespace {

constexpr std::size_t kChunkBytes = 512 * 1024;

std::string key_columns(const RangeRequest& request) {
  std::string list;
  for (const std::uint32_t column : request.key) {
    const walspout_str name = request.relation->columns[column]->name;
    list += (list.empty() ? "" : ", ") + postgres::quote_identifier({name.data, name.size});
  }
  return list;
}

// ('1', 'b'): literals of no type yet take that of their column.
std::string key_literals(std::string_view encoded) {
  std::string list;
  for (const std::string& value : route::decode_key(encoded))
    list += (list.empty() ? "(" : ", ") + postgres::quote_literal(value);
  return list + ")";
}

}  // namespace

postgres::CopyOptions range_of(const RangeRequest& request) {
  postgres::CopyOptions options;
  if (request.key.empty()) return options;
  const std::string columns = key_columns(request);
  if (!request.keys.empty()) {
    for (const std::string& key : request.keys)
      options.where +=
          (options.where.empty() ? "(" + columns + ") IN (" : ", ") + key_literals(key);
    options.where += ")";
    return options;
  }
  if (!request.after.empty()) options.where = "(" + columns + ") > " + key_literals(request.after);
  options.order_by = columns;
  options.limit = request.limit;
  return options;
}

struct RangeRows::Filled {
  std::shared_ptr<Chunk> chunk;
  std::vector<walspout_change*> changes;
};

RangeRows::RangeRows(const RangeRequest& request, base::MemoryBudget& budget, Wanted wanted,
                     HandOver hand_over)
    : request_(request),
      budget_(budget),
      wanted_(std::move(wanted)),
      hand_over_(std::move(hand_over)),
      next_ordinal_(request.first_ordinal) {}

void RangeRows::wait_for_room(const postgres::Interrupt& interrupt) const {
  // Sinks free memory on threads of their own; the wake that is rung belongs to the stream's
  // reader.
  while (budget_.exhausted() && !stopped())
    interrupt.wait(-1, 0, postgres::deadline_in(std::chrono::milliseconds(5)));
}

bool RangeRows::read(postgres::CopyReader& rows, const postgres::Interrupt& interrupt) {
  bool more = true;
  while (more && !stopped()) {
    if (request_.max_bytes != 0 && rows.bytes() >= request_.max_bytes) return false;
    wait_for_room(interrupt);
    const std::uint64_t bytes_before = rows.bytes();
    Filled filled{std::make_shared<Chunk>(budget_), {}};
    filled.chunk->keep(request_.relation);
    std::span<walspout_value> row;
    while (filled.chunk->bytes() < kChunkBytes && (more = rows.next(filled.chunk->arena(), row))) {
      auto* change = filled.chunk->arena().make(walspout_change{});
      change->struct_size = sizeof *change;
      change->op = WALSPOUT_INSERT;
      change->relation = request_.relation.get();
      change->new_row = row.data();
      change->copy_id = request_.in_shadow ? request_.copy_id : 0;
      filled.chunk->add(change);
      filled.changes.push_back(change);
    }
    if (filled.changes.empty()) break;
    const std::lock_guard lock(mutex_);
    bytes_ += rows.bytes() - bytes_before;
    hand_over(std::move(filled));
  }
  return !more;
}

// The numbers are given out in the order of the hand-over, so that a sink sees them rise.
void RangeRows::hand_over(Filled filled) {
  for (walspout_change* change : filled.changes) {
    change->ordinal = next_ordinal_++;
    if (request_.keep_keys) keys_.add(change->new_row, request_.key);
  }
  if (!request_.key.empty())
    if (auto key = route::encode_key(filled.changes.back()->new_row, request_.key))
      last_key_ = std::move(*key);
  hand_over_(sealed_copy_rows(std::move(filled.chunk), request_.copy_id, request_.position));
}

}  // namespace walspout
