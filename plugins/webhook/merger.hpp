// Which transactions are cut into batches together: each alone, or, with batch_time, whole ones
// until a batch is full or its first event has waited that long.
#pragma once

#include <cstdint>
#include <optional>

#include "borders.hpp"
#include "outbox.hpp"
#include "staged.hpp"

namespace walspout::webhook {

class Merger {
 public:
  // batch_time in microseconds; 0: each transaction alone.
  Merger(Outbox& outbox, Borders& borders, std::int64_t batch_time_us);

  // A piece of a transaction. now_us: the host's clock.
  void take(const Staged& piece, const walspout_txn& txn, bool first, bool last,
            std::int64_t now_us);
  void abort();  // the transaction that has not come to its last piece
  // What has waited long enough goes to the outbox.
  void close_due(std::int64_t now_us);
  // When that will be; nullopt: nothing waits.
  std::optional<std::int64_t> due_us() const;

 private:
  void take_alone(const Staged& piece, const walspout_txn& txn, bool first, bool last);
  void join(const walspout_txn& txn, std::int64_t now_us);
  void close();
  bool fits(std::size_t events, std::size_t bytes) const;

  Outbox& outbox_;
  Borders& borders_;
  const std::int64_t batch_time_us_;

  Staged txn_;          // the unfinished transaction
  bool alone_ = false;  // it went to the outbox, as it is larger than a batch

  Staged open_;  // whole transactions
  bool is_open_ = false;
  Span span_;
  std::optional<Span> known_;  // they are cut as they were before
  walspout_lsn position_ = 0;  // behind them
  std::int64_t since_us_ = 0;
};

}  // namespace walspout::webhook
