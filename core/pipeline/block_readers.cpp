#include "pipeline/block_readers.hpp"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "log/log.hpp"
#include "pipeline/source.hpp"
#include "postgres/copy_reader.hpp"

namespace walspout {

namespace {

constexpr std::size_t kMostReaders = 4;
constexpr int kTidRangeScans = 140000;  // before, each run would read the whole table

std::string tid(std::uint64_t block) { return "'(" + std::to_string(block) + ",0)'::tid"; }

}  // namespace

BlockRuns::BlockRuns(std::uint64_t blocks, std::uint64_t bytes, const BlockSizes& sizes)
    : blocks_(blocks),
      step_(bytes == 0 ? 1 : std::max<std::uint64_t>(1, blocks * sizes.per_run / bytes)),
      readers_(std::clamp<std::size_t>(bytes / sizes.per_reader, 1, kMostReaders)) {}

std::optional<std::string> BlockRuns::next() {
  const std::uint64_t first = given_.fetch_add(step_);
  if (first >= blocks_) return std::nullopt;
  std::string where = "ctid >= " + tid(first);
  if (first + step_ < blocks_) where += " AND ctid < " + tid(first + step_);
  return where;
}

BlockReaders::BlockReaders(const config::Config& config, postgres::Connection& connection,
                           const postgres::PublishedTable& table, RangeRows& rows,
                           const BlockSizes& sizes)
    : config_(config), connection_(connection), table_(table), rows_(rows), sizes_(sizes) {}

BlockReaders::~BlockReaders() { stop(); }

void BlockReaders::stop() {
  rows_.stop();
  begins_no_more_.ring();
  stop_.ring();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool BlockReaders::worth_it(const postgres::Interrupt& interrupt) {
  if (table_.relkind != 'r' || connection_.server_version() < kTidRangeScans) return false;
  const postgres::TableSize size = postgres::table_size(connection_, table_.oid, interrupt);
  runs_.emplace(size.blocks, size.bytes, sizes_);
  return runs_->readers() > 1;
}

void BlockReaders::read(const postgres::Interrupt& interrupt) {
  const std::string snapshot = postgres::export_snapshot(connection_, interrupt);
  for (std::size_t i = 1; i < runs_->readers(); ++i)
    threads_.emplace_back([this, snapshot] { run(snapshot); });
  read_runs(connection_, interrupt);
  begins_no_more_.ring();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  if (failure_) std::rethrow_exception(failure_);
}

// A further reader.
void BlockReaders::run(const std::string& snapshot) {
  pthread_setname_np(pthread_self(), "block reader");
  bool begun = false;
  try {
    const postgres::Interrupt beginning(begins_no_more_.fd());
    const auto connection = connect_ordinary(config_, beginning);
    postgres::begin_snapshot(*connection, snapshot, beginning);
    // Whoever waits to lock the table exclusively would stand between this and the first reader.
    connection->exec("SET LOCAL lock_timeout = 1000", beginning);
    postgres::lock_table_name(*connection, table_, beginning);
    begun = true;
    read_runs(*connection, postgres::Interrupt(stop_.fd()));
  } catch (const postgres::Interrupted&) {
    // Not needed any more, or stopped: whoever did that knows why.
  } catch (const std::exception& error) {
    if (!begun) {
      log::info("copy of " + table_.full_name() + ": one reader less: " + error.what());
      return;
    }
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    rows_.stop();
  }
}

void BlockReaders::read_runs(postgres::Connection& connection,
                             const postgres::Interrupt& interrupt) {
  while (!rows_.stopped()) {
    const auto where = runs_->next();
    if (!where) return;
    postgres::CopyOptions options;
    options.where = *where;
    postgres::CopyReader reader(connection, table_, options, interrupt);
    rows_.read(reader, interrupt);
  }
}

}  // namespace walspout
