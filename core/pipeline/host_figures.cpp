// What the admin server tells of the host.
#include <fmt/format.h>

#include "base/units.hpp"
#include "control/status_json.hpp"
#include "pipeline/host_status.hpp"

namespace walspout {

// One pass over what was just made; the counters are touched once a chunk.
void HostStatus::count(const transaction::Chunk& chunk) {
  std::array<std::uint64_t, 7> changes{};
  for (const walspout_change* change : chunk.changes())
    if (change->op < changes.size()) ++changes[change->op];
  for (std::size_t op = 0; op < changes.size(); ++op)
    if (changes[op] != 0) changes_[op].fetch_add(changes[op], std::memory_order_relaxed);
  std::uint64_t transactions = 0;
  for (const transaction::Piece& piece : chunk.pieces())
    if ((piece.flags & WALSPOUT_LAST) != 0) ++transactions;
  transactions_.fetch_add(transactions, std::memory_order_relaxed);
}

void HostStatus::copied(const std::string& table, std::uint64_t rows, double ratio) {
  const std::lock_guard lock(mutex_);
  copies_[table] = {rows, ratio};
}

admin::Figures HostStatus::figures() const {
  admin::Figures figures;
  figures.status = get();
  figures.transactions = transactions_.load(std::memory_order_relaxed);
  for (std::size_t op = 0; op < changes_.size(); ++op)
    figures.changes[op] = changes_[op].load(std::memory_order_relaxed);
  if (figures.status.confirmed < figures.status.received)
    if (const auto behind = lag_.behind(figures.status.confirmed, Clock::now()))
      figures.lag_s = std::chrono::duration<double>(*behind).count();
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    const sink::Runner& runner = sinks_.runner(i);
    admin::SinkFigures& sink = figures.sinks.emplace_back();
    for (std::size_t call = 0; call < sink.calls.size(); ++call)
      sink.calls[call] = runner.meters().calls[call].load(std::memory_order_relaxed);
    sink.flush = runner.meters().flush.figures();
    sink.commit_to_durable = runner.meters().commit_to_durable.figures();
    sink.own = runner.plugin_metrics();
  }
  const std::lock_guard lock(mutex_);
  figures.written = written_;
  for (const auto& [table, copy] : copies_)
    figures.copies.push_back({table, copy.first, copy.second});
  return figures;
}

admin::Health HostStatus::health() const {
  admin::Health health;
  const Clock::rep beat = beat_.load(std::memory_order_relaxed);
  health.alive = beat == 0 || Clock::now() - Clock::time_point(Clock::duration(beat)) < kHangs;
  if (!health.alive) {
    health.why = "the reader does not go on";
    return health;
  }
  for (std::size_t i = 0; i < sinks_.size(); ++i) {
    const sink::Runner& runner = sinks_.runner(i);
    if (runner.state() == sink::Runner::State::kFailed) {
      health.why = runner.failure().text;
      return health;
    }
    const auto busy = runner.busy();
    if (!busy || busy->time < kHangs) continue;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(busy->time).count();
    health.why = fmt::format("sink {} has been in {} for {}", runner.name(), busy->call,
                             base::format_seconds(seconds));
    return health;
  }
  if (!streaming_.load(std::memory_order_relaxed))
    health.why = "not streaming: the source is being connected to";
  return health;
}

std::string HostStatus::status_json() const {
  const control::Status status = get();
  return control::to_json(config_.host.name, status, status.slot, config_.source.slot, "");
}

}  // namespace walspout
