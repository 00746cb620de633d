// One snapshot of the source and one of a target, side by side. A table that did not hold still is
// told so, and compared in another round.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "verify/verify.hpp"

namespace walspout::verify {

class Round {
 public:
  // Waits for the target to come up to the source's snapshot.
  Round(const config::Config& config, Target::Opener& opener, std::chrono::milliseconds wait,
        const postgres::Interrupt& interrupt);

  // The published tables that the sink takes and the patterns match.
  std::vector<std::string> tables(const base::TablePatterns& patterns) const;

  // Reads what lies between the two for these tables. Before any comparison, once.
  void lay_over(const std::vector<std::string>& tables);

  struct Outcome {
    TableResult result;
    bool again = false;  // another round may do better
  };
  // keys: compare only these rows; null: all.
  Outcome compare(const std::string& table, const std::vector<Row>* keys,
                  const Comparison::OnDifference& on_difference);

 private:
  struct Entry {
    std::unique_ptr<TablePlan> plan;  // null: see `outcome`
    std::unique_ptr<Overlay> overlay;
    Outcome outcome;
  };

  void reach(std::chrono::milliseconds wait);
  bool idle(std::chrono::steady_clock::time_point now);
  Entry prepare(const std::string& name);
  Counts compare_locked(Entry& entry, const std::vector<Row>* keys,
                        const Comparison::OnDifference& on_difference);
  void collect(const walspout_change& change);

  const config::Config& config_;
  Target::Opener& opener_;
  postgres::Interrupt interrupt_;
  Session session_;
  std::unique_ptr<Target> target_;
  bool waiting_ = false;  // the target stands before the snapshot, and nobody moves it
  std::chrono::steady_clock::time_point idle_since_{};
  std::map<std::string, Entry> entries_;
  std::unordered_map<std::uint32_t, Overlay*> overlays_;  // by the table's oid
};

}  // namespace walspout::verify
