#include <fcntl.h>
#include <poll.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "admin/server.hpp"
#include "base/backoff.hpp"
#include "control/requests.hpp"
#include "log/log.hpp"
#include "pipeline/host_status.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/rule_check.hpp"
#include "pipeline/slot_watch.hpp"
#include "pipeline/source_history.hpp"
#include "pipeline/stream.hpp"
#include "pipeline/table_sync.hpp"
#include "pipeline/table_watch.hpp"
#include "pipeline/watchdog.hpp"
#include "postgres/publication.hpp"

namespace walspout {
namespace {

// The configuration asks of a sink what cannot be done with these tables, as was logged: exit
// status 2.
struct BadRules {};

constexpr std::chrono::milliseconds kStopSinks{2'000};

// Everything of one run, in the order in which it depends on each other.
class Run {
 public:
  Run(const config::Config& config, const RunOptions& options, StopSignal& stop,
      std::vector<PreparedSink> prepared)
      : config_(config),
        options_(options),
        stop_(stop),
        budget_(config.host.memory, wake_),
        store_(config.state.directory),
        progress_(prepared.size()),
        sinks_(config, std::move(prepared), store_, progress_, wake_),
        status_(config, sinks_, progress_, budget_),
        router_(sinks_.rules(), relations_),
        resolver_(relations_),
        tables_(config, sinks_, router_, resolver_, budget_, status_, wake_),
        watch_(config, sinks_, router_, resolver_, tables_, store_, budget_, status_, wake_),
        history_(config, store_) {
    router_.watch(watch_);
    if (!config.admin.host.empty()) {
      admin_.emplace(config.admin.host, config.admin.port, status_);
      log::info("metrics, health and status at http://" + address_of_admin());
    }
  }

  // Returns an ExitStatus.
  int run() {
    open_sinks();
    bool again = false;
    do {
      Start start = start_with_retries(again);
      std::vector<base::Lsn> begins = begin_sinks(start, again);
      watch_.start();
      history_.begin(start.source, start.fresh);
      slot_watch_.reset();
      slot_watch_.emplace(config_, start.source.slot, status_);
      Streamer streamer(config_, options_, sinks_, router_, resolver_, tables_, watch_, history_,
                        budget_, progress_, status_, wake_, stop_);
      again = !stream(streamer, std::move(start), std::move(begins));
    } while (again);
    return options_.until_caught_up && report_failed() ? kFailed : kDone;
  }

  std::optional<sink::Runner::Failure> failure() const { return sinks_.failure(); }

  // Before anything is destroyed: a sink that hangs in a call must not keep the process.
  void stop_sinks() {
    for (std::size_t i = 0; i < sinks_.size(); ++i) sinks_.runner(i).stop_now();
    const auto deadline = std::chrono::steady_clock::now() + kStopSinks;
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      if (sinks_.runner(i).wait_finished(deadline)) continue;
      log::error("sink " + sinks_.name(i) +
                 " hangs in a call of its plugin; the process ends without it");
      std::_Exit(kFailed);
    }
  }

 private:
  std::string address_of_admin() const {
    const std::string& host = config_.admin.host;
    const std::string port = ":" + std::to_string(admin_->port());
    return host.find(':') == std::string::npos ? host + port : "[" + host + "]" + port;
  }

  void open_sinks() {
    sinks_.start();
    while (!sinks_.all_open()) {
      wake_.clear();
      if (sinks_.all_open()) return;
      if (sinks_.failure()) throw SinkFailed();
      postgres::Interrupt(stop_.fd()).wait(wake_.fd(), POLLIN);
    }
  }

  void check_sink_rules(postgres::Connection& ordinary) {
    const Published published =
        read_published(ordinary, config_.source.publication, postgres::Interrupt(stop_.fd()));
    bool refused = false;
    for (const RuleFinding& finding : check_rules(ruled_sinks(config_, sinks_), published)) {
      if (finding.error)
        log::error(finding.text);
      else
        log::warn(finding.text);
      refused = refused || finding.error;
    }
    if (refused) throw BadRules();
  }

  // For a run that is to end with everything durable: tables of which that is not so.
  bool report_failed() const {
    bool any = false;
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      for (const postgres::PublishedTable& table : resolver_.tables()) {
        if (!tables_.failed(i, table.oid)) continue;
        log::error("sink " + sinks_.name(i) + ": " + table.full_name() +
                   " is not whole, as its copy failed; mend what was logged of it, then walspout "
                   "resync " +
                   config_.file + " " + table.full_name());
        any = true;
      }
    }
    return any;
  }

  // False: everything is to be copied anew.
  bool stream(Streamer& streamer, Start start, std::vector<base::Lsn> begins) {
    try {
      const auto end =
          streamer.run(std::move(start.source), std::move(start.connections), std::move(begins));
      return end != Streamer::End::kSlotGone;
    } catch (const SlotLost& lost) {
      if (anew(false) == Anew::kNever) throw;
      log::warn(std::string(lost.what()) + "; as was asked for, everything is copied anew");
      return false;
    }
  }

  // Whether everything is, or may be, copied anew where a sink cannot go on.
  Anew anew(bool again) const {
    if (again) return Anew::kMust;
    if (config_.source.on_slot_lost == config::OnSlotLost::kResync) return Anew::kMay;
    for (const progress::StateStore::Request& stored : store_.requests()) {
      if (stored.words.front() != "resync") continue;
      const control::Resync request = control::parse_resync(stored.words);
      if (request.sink.empty() && request.patterns.empty()) return Anew::kMay;
    }
    return Anew::kNever;
  }

  Start start_with_retries(bool again) {
    const postgres::Interrupt interrupt(stop_.fd());
    base::Backoff backoff;
    while (true) {
      try {
        Start start = start_source(config_, sinks_, anew(again), interrupt);
        postgres::Connection& ordinary = *start.connections.ordinary;
        resolver_.refresh(ordinary, config_.source.publication, interrupt);
        if (!again) check_sink_rules(ordinary);
        return start;
      } catch (const std::exception& error) {
        if (!postgres::is_transient(error)) throw;
        const auto delay = backoff.next();
        log::warn(std::string(error.what()) + "; connecting again in " +
                  std::to_string(delay.count()) + " ms");
        interrupt.wait(-1, 0, postgres::deadline_in(delay));
        if (sinks_.failure()) throw SinkFailed();
      }
    }
  }

  std::vector<base::Lsn> begin_sinks(const Start& start, bool again) {
    std::vector<base::Lsn> begins;
    if (again) {
      progress_.new_slot();
      tables_.start_over();
    }
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      const SinkStart& sink = start.sinks[i];
      begins.push_back(sink.begin);
      if (again) sinks_.runner(i).restarted(true);
      SinkTables tables(sink.state, sinks_.wants_copy(i), tables_.state_number(i));
      assume_tables(i, tables);
      sinks_.runner(i).begin(sink.begin, tables.next());
      progress_.start(i, sink.begin);
      tables_.start_sink(i, std::move(tables));
    }
    return begins;
  }

  // A sink of an older version did not store which tables it has: those that are published.
  void assume_tables(std::size_t sink, SinkTables& tables) {
    if (!tables.copies() || tables.state().tables) return;
    tables.state().tables.emplace();
    for (const postgres::PublishedTable& table : resolver_.tables())
      if (router_.takes_table(sink, table.schema, table.name))
        tables.state().tables->emplace(table.oid, 0);
  }

  const config::Config& config_;
  const RunOptions& options_;
  StopSignal& stop_;
  base::Wake wake_;
  base::MemoryBudget budget_;
  progress::StateStore store_;
  progress::Progress progress_;
  transaction::RelationCache relations_;
  Sinks sinks_;
  HostStatus status_;
  route::Router router_;
  CatalogueResolver resolver_;
  TableSync tables_;
  TableWatch watch_;
  SourceHistory history_;
  std::optional<SlotWatch> slot_watch_;
  std::optional<admin::Server> admin_;
  Watchdog watchdog_{sinks_, status_};
};

// What to do where the server's own words leave it open.
std::string remedy(const postgres::SqlError& error, const std::string& file) {
  if (error.sqlstate == "42704" &&
      std::string_view(error.what()).find("publication") != std::string_view::npos)
    return "; a slot reads the publication as it was when each change was written: recreate it, "
           "drop "
           "the slot (walspout teardown), and walspout resync " +
           file + " copies everything anew";
  return file.empty() ? "" : "; walspout check " + file + " lists what is missing at the source";
}

// For `tail`: the publication goes with it.
void drop_temporary_publication(const config::Config& config) {
  try {
    const postgres::Interrupt never;
    const auto connection = connect_ordinary(config, never);
    postgres::drop_publication(*connection, config.source.publication, never);
  } catch (const std::exception& error) {
    log::warn(std::string("could not drop publication ") + config.source.publication + ": " +
              error.what());
  }
}

int run_guarded(Run& run, const std::string& file) {
  int status = kDone;
  try {
    status = run.run();
  } catch (const postgres::Interrupted&) {
    log::info("stopped before the stream began");
  } catch (const SinkFailed&) {
    status = kFailed;
  } catch (const BadRules&) {
    status = kUsage;
  } catch (const postgres::Refused& error) {
    log::error(error.what());
    status = kSourceRefuses;
  } catch (const postgres::SqlError& error) {
    log::error(std::string(error.what()) + remedy(error, file));
    status = kSourceRefuses;
  } catch (const std::exception& error) {
    log::error(error.what());
    status = kFailed;
  }
  if (const auto failure = run.failure()) {
    log::error(failure->text);
    status = failure->configuration ? kUsage : kFailed;
  }
  run.stop_sinks();
  return status;
}

}  // namespace

int run_pipeline(const config::Config& config, const RunOptions& options, StopSignal& stop) {
  base::Problems problems;
  std::vector<PreparedSink> prepared = prepare_sinks(config, problems);
  for (const base::Problem& problem : problems)
    log::error(base::to_string(problem.at) + ": " + problem.text);
  if (!problems.empty()) return kUsage;
  int status = kFailed;
  try {
    Run run(config, options, stop, std::move(prepared));
    status = run_guarded(run, config.file);
  } catch (const std::exception& error) {
    log::error(error.what());
    return kFailed;
  }
  if (options.temporary_publication) drop_temporary_publication(config);
  if (status == kDone) log::info("stopped; everything that was confirmed is durable");
  return status;
}

}  // namespace walspout
