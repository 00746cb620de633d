#include "transaction/assembler.hpp"

#include <utility>
#include <vector>

namespace walspout::transaction {

// A Relation message is completed by the catalogue only when a change needs it: leaves of a
// published partition root are announced, too, but no change ever refers to them.
struct Assembler::Known {
  // The message as it was received, with memory of its own.
  std::string schema, name;
  std::vector<std::string> column_names;
  std::vector<pgoutput::RelationColumn> columns;
  std::uint32_t oid = 0;
  char replica_identity = 'd';

  RelationPtr relation;             // once resolved
  std::uint64_t kept_in_chunk = 0;  // the number of the chunk that holds it
};

namespace {

walspout_str str(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

Assembler::Assembler(ShapeResolver& resolver, base::MemoryBudget& budget)
    : resolver_(resolver), budget_(budget) {
  reset();
}

Assembler::~Assembler() = default;

void Assembler::reset() {
  chunk_ = std::make_shared<Chunk>(budget_);
  ++chunk_number_;
  open_.reset();
  piece_begin_ = 0;
  end_of_last_ = 0;
  relations_.clear();
  last_ = nullptr;
}

void Assembler::feed(std::span<const std::byte> payload, base::Lsn wal_start) {
  if (payload.empty()) throw StreamError("the server sent an empty message; reconnecting may help");
  wal_start_ = wal_start;
  // Rows stay where they are decoded: their bytes go to the chunk first.
  if (pgoutput::carries_data(payload.front())) payload = chunk_->arena().copy(payload);
  const pgoutput::Message message = pgoutput::decode(payload, context_, chunk_->arena());
  std::visit([this](const auto& m) { on(m); }, message);
}

void Assembler::on(const pgoutput::Begin& message) {
  if (open_) throw StreamError("a transaction begins inside of another");
  open_.emplace(Open());
  walspout_txn& txn = open_->txn;
  txn = {};
  txn.struct_size = sizeof txn;
  txn.kind = WALSPOUT_TXN_COMMIT;
  txn.xid = message.xid;
  txn.commit_lsn = message.commit_lsn;
  txn.commit_time_us = message.commit_time_us;
  piece_begin_ = static_cast<std::uint32_t>(chunk_->changes().size());
}

void Assembler::on(const pgoutput::Commit& message) {
  if (!open_) throw StreamError("a commit without a begin");
  if (message.commit_lsn != open_->txn.commit_lsn)
    throw StreamError("a commit at " + base::format_lsn(message.commit_lsn) +
                      " for the transaction announced at " +
                      base::format_lsn(open_->txn.commit_lsn));
  open_->txn.end_lsn = message.end_lsn;
  close_piece(WALSPOUT_LAST);
  open_.reset();
  end_of_last_ = message.end_lsn;
}

void Assembler::on(const pgoutput::Origin& message) {
  if (!open_) throw StreamError("an origin outside of a transaction");
  open_->txn.origin_lsn = message.lsn;
  open_->txn.origin = str(chunk_->arena().copy(message.name));
}

void Assembler::on(const pgoutput::Relation& message) {
  Known& known = relations_[message.oid];
  known = Known();
  known.oid = message.oid;
  known.schema = message.schema;
  known.name = message.name;
  known.replica_identity = message.replica_identity;
  known.columns.assign(message.columns.begin(), message.columns.end());
  known.column_names.reserve(known.columns.size());
  for (pgoutput::RelationColumn& column : known.columns) {
    known.column_names.emplace_back(column.name);
    column.name = known.column_names.back();
  }
  last_ = nullptr;
}

void Assembler::on(const pgoutput::Type&) {}  // names of types come from the catalogue

const Relation& Assembler::relation(std::uint32_t oid) {
  if (last_ == nullptr || last_oid_ != oid) {
    const auto found = relations_.find(oid);
    if (found == relations_.end())
      throw StreamError("a change of relation " + std::to_string(oid) +
                        ", which was not announced");
    last_oid_ = oid;
    last_ = &found->second;
  }
  Known& known = *last_;
  if (!known.relation) {
    pgoutput::Relation message{
        0, known.oid, known.schema, known.name, known.replica_identity, known.columns};
    known.relation = resolver_.resolve(message, open_ ? open_->txn.xid : 0);
  }
  if (known.kept_in_chunk != chunk_number_) {
    chunk_->keep(known.relation);
    known.kept_in_chunk = chunk_number_;
  }
  return *known.relation;
}

walspout_change* Assembler::add(std::uint16_t op, const Relation* relation) {
  if (!open_) throw StreamError("a change outside of a transaction");
  auto* change = chunk_->arena().make(walspout_change{});
  change->struct_size = sizeof *change;
  change->op = op;
  change->ordinal = open_->next_ordinal++;
  change->lsn = wal_start_;
  change->relation = relation;
  chunk_->add(change);
  return change;
}

void Assembler::check_row(const Relation& relation, pgoutput::Row row) const {
  if (row.size() != relation.column_count)
    throw StreamError("a row of " + std::to_string(row.size()) + " columns for " +
                      relation.shape().schema + '.' + relation.shape().name + ", which has " +
                      std::to_string(relation.column_count));
}

const walspout_value* Assembler::old_row(const Relation& relation, pgoutput::OldRow kind,
                                         pgoutput::Row row, walspout_change& change) const {
  if (kind == pgoutput::OldRow::kNone) return nullptr;
  check_row(relation, row);
  if (kind == pgoutput::OldRow::kFull) {
    change.flags |= WALSPOUT_OLD_FULL;
    return row.data();
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool key = (relation.columns[i]->flags & WALSPOUT_COLUMN_KEY) != 0;
    if (!key && row[i].state == WALSPOUT_NULL) row[i].state = WALSPOUT_ABSENT;
  }
  return row.data();
}

namespace {

// What an update leaves out because it did not change it, a whole old row has: sinks that need
// whole rows get them then.
void complete(pgoutput::Row new_row, pgoutput::Row old_row) {
  for (std::size_t i = 0; i < new_row.size(); ++i)
    if (new_row[i].state == WALSPOUT_UNCHANGED) new_row[i] = old_row[i];
}

}  // namespace

void Assembler::on(const pgoutput::Insert& message) {
  const Relation& table = relation(message.relation_oid);
  check_row(table, message.new_row);
  add(WALSPOUT_INSERT, &table)->new_row = message.new_row.data();
}

void Assembler::on(const pgoutput::Update& message) {
  const Relation& table = relation(message.relation_oid);
  check_row(table, message.new_row);
  walspout_change* change = add(WALSPOUT_UPDATE, &table);
  change->old_row = old_row(table, message.old_kind, message.old_row, *change);
  if (message.old_kind == pgoutput::OldRow::kFull) complete(message.new_row, message.old_row);
  change->new_row = message.new_row.data();
}

void Assembler::on(const pgoutput::Delete& message) {
  const Relation& table = relation(message.relation_oid);
  walspout_change* change = add(WALSPOUT_DELETE, &table);
  change->old_row = old_row(table, message.old_kind, message.old_row, *change);
}

void Assembler::on(const pgoutput::Truncate& message) {
  for (const std::uint32_t oid : message.relation_oids) {
    walspout_change* change = add(WALSPOUT_TRUNCATE, &relation(oid));
    if (message.cascade) change->flags |= WALSPOUT_TRUNCATE_CASCADE;
    if (message.restart_identity) change->flags |= WALSPOUT_TRUNCATE_RESTART_IDENTITY;
  }
}

void Assembler::on(const pgoutput::LogicalMessage& message) {
  if (message.transactional != open_.has_value())
    throw StreamError("a logical message that is not where its kind belongs");
  if (message.transactional) {
    walspout_change* change = add(WALSPOUT_MESSAGE, nullptr);
    change->prefix = str(message.prefix);
    change->content = str(message.content);
    return;
  }
  // A transaction of its own, without a time. The server names the end of the message's record
  // (logicalmsg_decode passes endptr), which may well be where a commit record begins. What stands
  // for the commit's LSN is the record's last byte: inside of the position that contains the
  // message, and never that of a commit, as records begin at multiples of 8.
  open_.emplace(Open());
  open_->txn = {};
  open_->txn.struct_size = sizeof open_->txn;
  open_->txn.kind = WALSPOUT_TXN_COMMIT;
  open_->txn.commit_lsn = message.lsn - 1;
  open_->txn.end_lsn = message.lsn;
  piece_begin_ = static_cast<std::uint32_t>(chunk_->changes().size());
  walspout_change* change = add(WALSPOUT_MESSAGE, nullptr);
  change->prefix = str(message.prefix);
  change->content = str(message.content);
  close_piece(WALSPOUT_LAST);
  open_.reset();
  end_of_last_ = message.lsn;
}

void Assembler::on(const pgoutput::StreamAbort&) {
  // Servers have sent it for transactions of which nothing was streamed: there is nothing to
  // forget.
}

template <class Other>
void Assembler::on(const Other&) {
  throw StreamError(
      "the server streams running or prepared transactions, which was not asked for; recreate the "
      "slot without two_phase");
}

void Assembler::close_piece(std::uint32_t flags) {
  const auto end = static_cast<std::uint32_t>(chunk_->changes().size());
  if (!open_->any_piece) flags |= WALSPOUT_FIRST;
  // A transaction without changes is nothing to deliver; its last piece ends what was begun.
  const bool needed = end != piece_begin_ || (open_->any_piece && (flags & WALSPOUT_LAST) != 0);
  if (needed) {
    chunk_->add(Piece{open_->txn, flags, piece_begin_, end});
    open_->any_piece = true;
  }
  piece_begin_ = end;
}

ChunkPtr Assembler::take() {
  if (open_) close_piece(0);
  // Transactions without a change leave a little behind in the arena.
  if (chunk_->empty() && !full()) return nullptr;
  chunk_->account();
  std::shared_ptr<Chunk> taken = std::move(chunk_);
  chunk_ = std::make_shared<Chunk>(budget_);
  ++chunk_number_;
  piece_begin_ = 0;
  // The name of the origin lies in the chunk that was taken.
  if (open_ && open_->txn.origin.size != 0)
    open_->txn.origin =
        str(chunk_->arena().copy(std::string_view(open_->txn.origin.data, open_->txn.origin.size)));
  if (taken->empty()) return nullptr;
  return taken;
}

}  // namespace walspout::transaction
