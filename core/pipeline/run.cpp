#include <fcntl.h>
#include <poll.h>

#include <cstdlib>
#include <utility>

#include "base/backoff.hpp"
#include "log/log.hpp"
#include "pipeline/copy.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/rule_check.hpp"
#include "pipeline/stream.hpp"
#include "postgres/publication.hpp"

namespace walspout {
namespace {

// The configuration asks of a sink what cannot be done with these tables: exit status 2.
struct BadRules : std::runtime_error {
  using std::runtime_error::runtime_error;
};

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
        router_(sinks_.rules(), relations_),
        resolver_(relations_) {}

  void run() {
    open_sinks();
    bool again = false;
    do {
      Start start = start_with_retries();
      resolver_.refresh(*start.connections.ordinary, config_.source.publication,
                        postgres::Interrupt(stop_.fd()));
      if (!again) check_sink_rules();
      begin_sinks(start, again);
      if (!start.copies.empty()) {
        Copier copier(config_, sinks_, router_, resolver_, budget_, wake_, stop_);
        copier.run(start);
      }
      Streamer streamer(config_, options_, sinks_, router_, resolver_, budget_, progress_, wake_,
                        stop_);
      const auto end = streamer.run(std::move(start.source), std::move(start.connections),
                                    std::move(start.begins));
      again = end == Streamer::End::kTemporarySlotGone;
    } while (again);
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
  void open_sinks() {
    sinks_.start();
    while (!sinks_.all_open()) {
      wake_.clear();
      if (sinks_.all_open()) return;
      if (sinks_.failure()) throw SinkFailed();
      postgres::Interrupt(stop_.fd()).wait(wake_.fd(), POLLIN);
    }
  }

  void check_sink_rules() {
    std::string refused;
    for (const RuleFinding& finding : check_rules(config_, resolver_.tables())) {
      if (!finding.error) log::warn(finding.text);
      if (finding.error && refused.empty()) refused = finding.text;
    }
    if (!refused.empty()) throw BadRules(refused);
  }

  Start start_with_retries() {
    const postgres::Interrupt interrupt(stop_.fd());
    base::Backoff backoff;
    while (true) {
      try {
        return start_source(config_, sinks_, interrupt);
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

  void begin_sinks(const Start& start, bool again) {
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
      bool copying = false;
      for (const std::size_t copy : start.copies) copying = copying || copy == i;
      if (again) sinks_.runner(i).restarted(true);
      sinks_.runner(i).begin(copying ? 0 : start.begins[i], sinks_.host_state(), copying);
      progress_.start(i, copying ? 0 : start.begins[i]);
    }
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
  route::Router router_;
  CatalogueResolver resolver_;
};

// What to do where the server's own words leave it open.
std::string remedy(const postgres::SqlError& error, const std::string& file) {
  if (error.sqlstate == "42704" &&
      std::string_view(error.what()).find("publication") != std::string_view::npos)
    return "; a slot reads the publication as it was when each change was written: recreate it, "
           "then drop "
           "the slot (walspout teardown) and remove the sinks' targets, so that all is copied anew";
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
    run.run();
  } catch (const postgres::Interrupted&) {
    log::info("stopped before the stream began");
  } catch (const SinkFailed&) {
    status = kFailed;
  } catch (const BadRules& error) {
    log::error(error.what());
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
