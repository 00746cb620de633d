#include "verify/session.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "postgres/copy_reader.hpp"
#include "postgres/identify.hpp"
#include "postgres/publication.hpp"
#include "postgres/quote.hpp"
#include "postgres/slot.hpp"
#include "transaction/chunk.hpp"
#include "verify/digest.hpp"

namespace walspout::verify {

namespace {

constexpr std::size_t kMemory = std::size_t{64} << 20;  // only a count here: chunks go at once
constexpr std::chrono::milliseconds kAskEvery{100};
constexpr std::chrono::seconds kSilence{30};
constexpr const char* kFetch = "FETCH 1000 FROM walspout_peek";

std::unique_ptr<postgres::Connection> connect(const config::Config& config, bool replication,
                                              const postgres::Interrupt& interrupt) {
  postgres::ConnectOptions options;
  options.url = config.source.url;
  options.replication = replication;
  options.application_name = "walspout verify";
  return std::make_unique<postgres::Connection>(std::move(options), interrupt);
}

std::vector<std::byte> from_hex(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 2; i + 1 < text.size(); i += 2)  // behind the \x
    bytes.push_back(static_cast<std::byte>(digit(text[i]) << 4 | digit(text[i + 1])));
  return bytes;
}

// What both sides compute has to be the same.
void check_digest(postgres::Connection& connection, const postgres::Interrupt& interrupt) {
  constexpr const char* kSample = "a sample of more than twelve bytes";
  const postgres::Result row = connection.exec(
      fmt::format("SELECT hashtextextended({} COLLATE \"C\", 0)", postgres::quote_literal(kSample)),
      interrupt);
  if (static_cast<Digest>(row.integer(0, 0)) != digest(kSample))
    throw postgres::Refused(
        "hashtextextended() of this server is another than that of PostgreSQL 14 to 18 on "
        "little-endian machines, which rows are compared by");
}

}  // namespace

Session::Session(const config::Config& config, const postgres::Interrupt& interrupt)
    : config_(config), interrupt_(interrupt), budget_(kMemory, wake_), resolver_(cache_) {
  present_ = connect(config, false, interrupt);
  if (!postgres::find_publication(*present_, config.source.publication, interrupt))
    throw postgres::Refused("publication " + config.source.publication +
                            " does not exist; `walspout setup` creates it");
  replication_ = connect(config, true, interrupt);
  postgres::SlotOptions slot;
  slot.name = postgres::temporary_name("walspout_verify");
  slot.temporary = true;
  slot.snapshot = postgres::ExportSnapshot::kExport;
  const postgres::CreatedSlot made = postgres::create_slot(*replication_, slot, interrupt);
  point_ = made.consistent_point;
  slot_ = slot.name;
  snapshot_ = connect(config, false, interrupt);
  check_digest(*snapshot_, interrupt);
  postgres::begin_snapshot(*snapshot_, made.snapshot_name, interrupt);
  resolver_.refresh_within(*snapshot_, config.source.publication, interrupt);
}

bool Session::converts() const {
  const std::string& encoding = snapshot_->server_encoding();
  return encoding != "UTF8" && encoding != "SQL_ASCII";
}

// Transactions are told by where their commit record begins, as the positions are: one that begins
// below a position is contained in it.
void Session::take(transaction::Assembler& assembler, base::Lsn from, base::Lsn until,
                   const OnChange& on_change) {
  const transaction::ChunkPtr chunk = assembler.take();
  if (!chunk) return;
  for (const transaction::Piece& piece : chunk->pieces()) {
    if (piece.txn.commit_lsn < from || piece.txn.commit_lsn >= until) continue;
    for (std::uint32_t i = piece.begin; i < piece.end; ++i) on_change(*chunk->changes()[i]);
  }
}

void Session::stream(base::Lsn until, const OnChange& on_change) {
  if (postgres::current_wal_lsn(*present_, interrupt_) < until)
    throw postgres::Refused(
        "the target stands at " + base::format_lsn(until) +
        ", beyond the end of the source's log: it belongs to another server, or a backup of the "
        "source was restored");
  postgres::StreamOptions options;
  options.slot = slot_;
  options.publications = {config_.source.publication};
  postgres::ReplicationStream stream(std::move(*replication_), options, interrupt_);
  replication_.reset();
  transaction::Assembler assembler(resolver_, budget_);
  base::Lsn reached = 0;
  auto asked = std::chrono::steady_clock::time_point();
  auto moved = std::chrono::steady_clock::now();
  while (reached < until) {
    postgres::Frame frame;
    const postgres::Read read = stream.read(frame);
    const auto now = std::chrono::steady_clock::now();
    if (read == postgres::Read::kEnded)
      throw postgres::ConnectionLost("the server ended the stream (it shuts down)");
    if (read == postgres::Read::kMessage) {
      const bool wal = frame.kind == postgres::Frame::Kind::kWal;
      base::Lsn seen = frame.wal_end;
      if (wal) {
        assembler.feed(frame.payload, frame.start);
        if (assembler.full()) take(assembler, point_, until, on_change);
        seen = assembler.end_of_last();
      }
      if (wal || seen > reached) moved = now;
      if (wal || !assembler.transaction_open()) reached = std::max(reached, seen);
      continue;
    }
    if (now - moved > kSilence)
      throw postgres::ConnectionLost(
          fmt::format("the server's stream stands still at {} and does not come to {}",
                      base::format_lsn(reached), base::format_lsn(until)));
    // How far an idle server is it tells when it is asked. Nothing is confirmed.
    if (now - asked >= kAskEvery) {
      stream.send_status({point_, 0, 0, true});
      asked = now;
    }
    const short events = static_cast<short>(POLLIN | (stream.wants_write() ? POLLOUT : 0));
    interrupt_.wait(stream.fd(), events, postgres::deadline_in(kAskEvery));
    if (stream.wants_write()) stream.flush();
  }
  take(assembler, point_, until, on_change);
}

bool Session::peek(const std::string& slot, base::Lsn from, const OnChange& on_change) {
  const auto found = postgres::find_slot(*present_, slot, interrupt_);
  if (!found || found->lost())
    throw postgres::Refused("slot " + slot + (found ? " is lost" : " does not exist") +
                            ": what the target lacks is not known; `walspout check` says more");
  if (found->active) return false;
  const std::string options =
      fmt::format("'proto_version', '1', 'publication_names', {}",
                  postgres::quote_publication_names({config_.source.publication}));
  transaction::Assembler assembler(resolver_, budget_);
  present_->exec("BEGIN", interrupt_);
  try {
    present_->exec(fmt::format("DECLARE walspout_peek NO SCROLL CURSOR FOR SELECT lsn, data FROM "
                               "pg_logical_slot_peek_binary_changes({}, {}, NULL, {})",
                               postgres::quote_literal(slot),
                               postgres::quote_literal(base::format_lsn(point_)), options),
                   interrupt_);
    while (true) {
      const postgres::Result rows = present_->exec(kFetch, interrupt_);
      for (int row = 0; row < rows.rows(); ++row) {
        const std::vector<std::byte> payload = from_hex(rows.string(row, 1));
        assembler.feed(payload, base::parse_lsn(rows.string(row, 0)).value_or(0));
        if (assembler.full()) take(assembler, from, point_, on_change);
      }
      if (rows.rows() == 0) break;
    }
    take(assembler, from, point_, on_change);
    present_->exec("COMMIT", interrupt_);
  } catch (const postgres::SqlError& error) {
    present_->exec("ROLLBACK", interrupt_);
    if (error.sqlstate == "55006") return false;  // the host was faster
    throw;
  }
  return true;
}

}  // namespace walspout::verify
