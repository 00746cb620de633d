// Turns pgoutput messages into chunks of committed transactions.
//
// The server sends a transaction only after it has committed (streaming of running ones is not
// asked for), so rows are delivered as they come: a transaction larger than a chunk arrives in
// pieces, and memory stays bounded. Messages of a streamed block would pass through a store of open
// transactions before this point; none is requested, so they are refused here.
//
// Threads: one, the reader.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "base/lsn.hpp"
#include "base/memory_budget.hpp"
#include "pgoutput/message.hpp"
#include "transaction/chunk.hpp"
#include "transaction/relation.hpp"

namespace walspout::transaction {

// Completes what a Relation message says with what only the catalogue knows (domains, primary keys,
// type names). Names, types and identity come from the message.
class ShapeResolver {
 public:
  virtual ~ShapeResolver() = default;
  // xid: the transaction whose changes come with it.
  virtual RelationPtr resolve(const pgoutput::Relation& message, std::uint32_t xid) = 0;
};

// The stream does not keep to the protocol, or brings what was not asked for.
struct StreamError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Assembler {
 public:
  static constexpr std::size_t kChunkBytes = 512 * 1024;

  // Both must outlive the assembler; the budget also every chunk.
  Assembler(ShapeResolver& resolver, base::MemoryBudget& budget);
  ~Assembler();

  // One payload of XLogData and the WAL position that came with it. Throws pgoutput::Malformed or
  // StreamError; the assembler must then be reset.
  void feed(std::span<const std::byte> payload, base::Lsn wal_start);

  // True when the chunk should be taken before more is fed. Small transactions are not cut: one
  // that is open may overshoot a little.
  bool full() const {
    const std::size_t bytes = chunk_->bytes();
    return bytes >= (open_ && piece_begin_ != 0 ? kChunkBytes + kChunkBytes / 4 : kChunkBytes);
  }

  // What has been assembled so far, sealed; nothing when there are no changes in it. The last piece
  // is without WALSPOUT_LAST when its transaction is still being received.
  ChunkPtr take();

  // Between Begin and Commit.
  bool transaction_open() const { return open_.has_value(); }
  // The end of the last transaction that was received whole, 0 before the first and after a reset:
  // what was not taken before it is gone.
  base::Lsn end_of_last() const { return end_of_last_; }

  // The connection was lost: forgets the chunk, the open transaction and the session's relations.
  void reset();

 private:
  struct Open {
    walspout_txn txn;
    std::uint64_t next_ordinal = 0;
    bool any_piece = false;  // a chunk with its FIRST piece was taken already
  };
  struct Known;  // a relation of this session

  void on(const pgoutput::Begin& message);
  void on(const pgoutput::Commit& message);
  void on(const pgoutput::Origin& message);
  void on(const pgoutput::Relation& message);
  void on(const pgoutput::Type& message);
  void on(const pgoutput::Insert& message);
  void on(const pgoutput::Update& message);
  void on(const pgoutput::Delete& message);
  void on(const pgoutput::Truncate& message);
  void on(const pgoutput::LogicalMessage& message);
  void on(const pgoutput::StreamAbort& message);
  template <class Other>
  void on(const Other& message);

  const Relation& relation(std::uint32_t oid);
  walspout_change* add(std::uint16_t op, const Relation* relation);
  void check_row(const Relation& relation, pgoutput::Row row) const;
  const walspout_value* old_row(const Relation& relation, pgoutput::OldRow kind, pgoutput::Row row,
                                walspout_change& change) const;
  void close_piece(std::uint32_t flags);

  ShapeResolver& resolver_;
  base::MemoryBudget& budget_;
  pgoutput::Context context_;
  std::shared_ptr<Chunk> chunk_;
  std::optional<Open> open_;
  std::uint32_t piece_begin_ = 0;
  base::Lsn wal_start_ = 0;
  base::Lsn end_of_last_ = 0;
  std::unordered_map<std::uint32_t, Known> relations_;
  std::uint32_t last_oid_ = 0;
  Known* last_ = nullptr;
  std::uint64_t chunk_number_ = 0;
};

}  // namespace walspout::transaction
