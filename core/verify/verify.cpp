#include "verify/verify.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "route/router.hpp"
#include "verify/repair.hpp"
#include "verify/round.hpp"

namespace walspout::verify {

namespace {

constexpr int kRounds = 5;
constexpr std::chrono::milliseconds kPause{500};  // before each further round, times its number
constexpr std::uint32_t kRowChanges = route::kInsert | route::kUpdate | route::kDelete;

using Results = std::map<std::string, TableResult>;

class SinkVerifier {
 public:
  SinkVerifier(const config::Config& config, const PreparedSink& sink, const Options& options,
               Listener& listener, const postgres::Interrupt& interrupt)
      : config_(config),
        options_(options),
        listener_(listener),
        interrupt_(interrupt),
        opener_(config, sink) {}

  std::vector<TableResult> run() {
    std::vector<std::string> names, pending;
    for (int number = 0; number < kRounds && (number == 0 || !pending.empty()); ++number) {
      if (number > 0) interrupt_.wait(-1, 0, postgres::deadline_in(kPause * number));
      Round round(config_, opener_, options_.wait, interrupt_);
      if (number == 0) pending = names = round.tables(options_.tables);
      round.lay_over(pending);
      pending = compare(round, pending, number + 1 == kRounds);
    }
    if (options_.repair) mend();
    std::vector<TableResult> list;
    list.reserve(names.size());
    for (const std::string& name : names) list.push_back(std::move(results_.at(name)));
    return list;
  }

 private:
  bool to_mend(const TableResult& result) const {
    return options_.repair && result.counts.differences != 0;
  }

  // Gives back the tables that another round may do better with.
  std::vector<std::string> compare(Round& round, const std::vector<std::string>& tables,
                                   bool last) {
    std::vector<std::string> again;
    for (const std::string& name : tables) {
      Round::Outcome outcome = round.compare(name, nullptr, [&](const Difference& difference) {
        listener_.difference(opener_.name(), name, difference);
      });
      if (outcome.again && !last) {
        again.push_back(name);
        continue;
      }
      if (!to_mend(outcome.result)) listener_.finished(opener_.name(), outcome.result);
      results_[name] = std::move(outcome.result);
    }
    return again;
  }

  void mend() {
    std::vector<std::string> tables;
    for (const auto& [name, result] : results_)
      if (to_mend(result)) tables.push_back(name);
    if (tables.empty()) return;
    for (const std::string& name : tables)
      send_repairs(config_.state.directory, opener_.name(), results_.at(name), listener_);
    const auto deadline = std::chrono::steady_clock::now() + options_.wait;
    while (true) {
      const std::vector<std::string> unmended = look_again(tables);
      if (unmended.empty() || std::chrono::steady_clock::now() >= deadline) break;
      interrupt_.wait(-1, 0, postgres::deadline_in(kPause));
    }
    for (const std::string& name : tables) listener_.finished(opener_.name(), results_.at(name));
  }

  // Compares what was to be mended, and counts. Gives back the tables where something is left.
  std::vector<std::string> look_again(const std::vector<std::string>& tables) {
    Round round(config_, opener_, options_.wait, interrupt_);
    round.lay_over(tables);
    std::vector<std::string> left;
    for (const std::string& name : tables) {
      TableResult& result = results_.at(name);
      const std::vector<Row>* keys = mends_rows(result) ? &result.counts.keys : nullptr;
      const Round::Outcome outcome = round.compare(name, keys, [](const Difference&) {});
      const std::uint64_t all = result.counts.differences;
      const Counts& counts = outcome.result.counts;
      const std::uint64_t still =
          outcome.result.compared ? counts.differences + counts.waiting : all;
      result.mended = all - std::min(all, still);
      if (still != 0) left.push_back(name);
    }
    return left;
  }

  const config::Config& config_;
  const Options& options_;
  Listener& listener_;
  postgres::Interrupt interrupt_;
  Target::Opener opener_;
  Results results_;
};

}  // namespace

std::vector<TableResult> verify_sink(const config::Config& config, const PreparedSink& sink,
                                     const Options& options, Listener& listener,
                                     const postgres::Interrupt& interrupt) {
  return SinkVerifier(config, sink, options, listener, interrupt).run();
}

std::optional<std::string> cannot_verify(const PreparedSink& sink) {
  const walspout_plugin& plugin = sink.plugin->descriptor();
  if ((plugin.caps & WALSPOUT_CAP_READ_BACK) == 0 || plugin.reader == nullptr)
    return std::string("plugin ") + plugin.name + " cannot be read back";
  if ((sink.operations & kRowChanges) != kRowChanges)
    return "its operations leave changes out, so its target is not meant to equal the source";
  return std::nullopt;
}

}  // namespace walspout::verify
