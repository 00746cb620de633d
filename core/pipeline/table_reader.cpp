#include "pipeline/table_reader.hpp"

#include <pthread.h>

#include <utility>

#include "pipeline/block_readers.hpp"
#include "pipeline/source.hpp"
#include "postgres/copy_reader.hpp"
#include "postgres/identify.hpp"

namespace walspout {

using Kind = ReaderEvent::Kind;

TableReader::TableReader(const config::Config& config, base::MemoryBudget& budget, base::Wake& wake)
    : config_(config), budget_(budget), wake_(wake), interrupt_(end_.fd()), thread_([this] {
        run();
      }) {}

TableReader::~TableReader() {
  end_.ring();
  commands_.push({Command::Kind::kEnd, 0, 0, {}});
  thread_.join();
}

void TableReader::prepare(std::uint64_t attempt, std::uint32_t oid) {
  commands_.push({Command::Kind::kPrepare, attempt, oid, {}});
}
void TableReader::take_snapshot() { commands_.push({Command::Kind::kSnapshot, 0, 0, {}}); }
void TableReader::read(RangeRequest request) {
  commands_.push({Command::Kind::kRead, 0, 0, std::move(request)});
}
void TableReader::ask_reached() { commands_.push({Command::Kind::kReached, 0, 0, {}}); }
void TableReader::release() { commands_.push({Command::Kind::kRelease, 0, 0, {}}); }

std::vector<ReaderEvent> TableReader::take_events() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

ReaderEvent TableReader::event(Kind kind) const {
  ReaderEvent made{};
  made.kind = kind;
  made.attempt = attempt_;
  return made;
}

void TableReader::post(ReaderEvent event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  wake_.ring();
}

void TableReader::run() {
  pthread_setname_np(pthread_self(), "table reader");
  std::deque<Command> commands;
  while (true) {
    if (commands.empty() &&
        !commands_.pop_all(commands, std::chrono::steady_clock::now() + std::chrono::hours(1)))
      continue;
    Command command = std::move(commands.front());
    commands.pop_front();
    if (command.kind == Command::Kind::kEnd) return;
    try {
      handle(command);
    } catch (const postgres::Interrupted&) {
      return;
    } catch (const std::exception& error) {
      post_error(error);
    }
  }
}

void TableReader::post_error(const std::exception& error) {
  Kind kind = Kind::kRefused;
  if (dynamic_cast<const postgres::TableChanged*>(&error) != nullptr) kind = Kind::kChanged;
  if (postgres::is_transient(error)) kind = Kind::kLost;
  const auto* sql = dynamic_cast<const postgres::SqlError*>(&error);
  if (sql != nullptr && sql->sqlstate == "55P03") kind = Kind::kLocked;  // lock_not_available
  in_transaction_ = false;
  connection_.reset();  // whatever state it is in
  ReaderEvent failed = event(kind);
  failed.text = error.what();
  post(std::move(failed));
}

void TableReader::handle(Command& command) {
  switch (command.kind) {
    case Command::Kind::kPrepare:
      return on_prepare(command);
    case Command::Kind::kSnapshot:
      return on_snapshot();
    case Command::Kind::kRead:
      return on_read(command.request);
    case Command::Kind::kReached: {
      if (!connection_) connection_ = connect_ordinary(config_, interrupt_);
      ReaderEvent reached = event(Kind::kReached);
      reached.position = postgres::committed_end(*connection_, interrupt_);
      return post(std::move(reached));
    }
    case Command::Kind::kRelease:
      connection_.reset();
      in_transaction_ = false;
      return;
    case Command::Kind::kEnd:
      return;
  }
}

void TableReader::end_transaction() {
  if (!in_transaction_) return;
  in_transaction_ = false;
  connection_->exec("COMMIT", interrupt_);
}

// The lock comes before the snapshot: nothing can rewrite the table between them, and a snapshot
// from before a rewrite would see it empty.
void TableReader::on_prepare(const Command& command) {
  attempt_ = command.attempt;
  if (!connection_) connection_ = connect_ordinary(config_, interrupt_);
  end_transaction();
  fingerprint_ = postgres::table_fingerprint(*connection_, command.oid, interrupt_);
  table_ =
      postgres::published_table(*connection_, config_.source.publication, command.oid, interrupt_);
  if (!table_) return post(event(Kind::kGone));
  connection_->exec("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", interrupt_);
  in_transaction_ = true;
  // Others are not to wait behind a table that somebody holds.
  connection_->exec("SET LOCAL lock_timeout = 1000", interrupt_);
  postgres::lock_table_name(*connection_, *table_, interrupt_);
  ReaderEvent prepared = event(Kind::kPrepared);
  prepared.table = table_;
  post(std::move(prepared));
}

void TableReader::on_snapshot() {
  if (!in_transaction_) return;  // it failed meanwhile, and said so
  const postgres::TableSnapshot taken =
      postgres::take_table_snapshot(*connection_, table_->oid, interrupt_);
  if (taken.fingerprint != fingerprint_)
    throw postgres::TableChanged("table " + table_->full_name() + " changed before it was locked");
  ReaderEvent made = event(Kind::kSnapshot);
  made.snapshot = transaction::SnapshotXids::parse(taken.xids);
  made.position = taken.position;
  if (!made.snapshot)
    throw std::runtime_error("the server's snapshot cannot be read: " + taken.xids);
  post(std::move(made));
}

void TableReader::on_read(const RangeRequest& request) {
  if (!in_transaction_) return;
  ReaderEvent done = event(Kind::kDone);
  RangeRows rows(
      request, budget_, [this] { return attempt_ >= wanted_.load(); },
      [this](transaction::ChunkPtr chunk) {
        ReaderEvent brought = event(Kind::kRows);
        brought.rows = std::move(chunk);
        post(std::move(brought));
      });
  BlockReaders several(config_, *connection_, *table_, rows);
  if (request.key.empty() && several.worth_it(interrupt_)) {
    several.read(interrupt_);
    done.complete = !rows.stopped();
  } else {
    postgres::CopyReader reader(*connection_, *table_, range_of(request), interrupt_);
    const bool all = rows.read(reader, interrupt_);
    done.complete = all && (request.limit == 0 || rows.count() < request.limit);
  }
  done.row_count = rows.count();
  done.byte_count = rows.bytes();
  done.last_key = rows.last_key();
  done.keys = std::move(rows.keys());
  end_transaction();
  post(std::move(done));
}

}  // namespace walspout
