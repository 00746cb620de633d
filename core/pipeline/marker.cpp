#include "pipeline/marker.hpp"

#include <chrono>
#include <utility>

namespace walspout {

namespace {

walspout_txn new_txn(std::uint32_t kind, base::Lsn lsn) {
  walspout_txn txn{};
  txn.struct_size = sizeof txn;
  txn.kind = kind;
  txn.commit_lsn = txn.end_lsn = lsn;
  txn.commit_time_us = std::chrono::duration_cast<std::chrono::microseconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
  return txn;
}

transaction::ChunkPtr seal(std::shared_ptr<transaction::Chunk> chunk, const walspout_txn& txn) {
  const auto end = static_cast<std::uint32_t>(chunk->changes().size());
  chunk->add(transaction::Piece{txn, WALSPOUT_FIRST | WALSPOUT_LAST, 0, end});
  chunk->account();
  return chunk;
}

walspout_change* add_change(transaction::Chunk& chunk, const transaction::RelationPtr& relation,
                            std::uint16_t op) {
  chunk.keep(relation);
  auto* change = chunk.arena().make(walspout_change{});
  change->struct_size = sizeof *change;
  change->op = op;
  change->relation = relation.get();
  chunk.add(change);
  return change;
}

}  // namespace

transaction::ChunkPtr copy_marker(base::MemoryBudget& budget,
                                  const transaction::RelationPtr& relation, std::uint16_t op,
                                  std::uint64_t copy_id, const std::string& content,
                                  base::Lsn position) {
  auto chunk = std::make_shared<transaction::Chunk>(budget);
  walspout_change* change = add_change(*chunk, relation, op);
  change->copy_id = copy_id;
  const std::string_view text = chunk->arena().copy(std::string_view(content));
  change->content = {text.data(), text.size()};
  walspout_txn txn = new_txn(WALSPOUT_TXN_SNAPSHOT, position);
  txn.position = position;
  txn.copy_id = copy_id;
  return seal(std::move(chunk), txn);
}

transaction::ChunkPtr shape_marker(base::MemoryBudget& budget,
                                   const transaction::RelationPtr& relation, base::Lsn position,
                                   std::uint64_t ordinal) {
  auto chunk = std::make_shared<transaction::Chunk>(budget);
  add_change(*chunk, relation, WALSPOUT_SCHEMA)->ordinal = ordinal;
  return seal(std::move(chunk), new_txn(WALSPOUT_TXN_COMMIT, position));
}

transaction::ChunkPtr sealed_copy_rows(std::shared_ptr<transaction::Chunk> chunk,
                                       std::uint64_t copy_id, base::Lsn snapshot) {
  walspout_txn txn = new_txn(WALSPOUT_TXN_SNAPSHOT, snapshot);
  txn.copy_id = copy_id;
  return seal(std::move(chunk), txn);
}

}  // namespace walspout
