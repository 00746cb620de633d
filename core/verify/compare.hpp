// Compares one table of the source, at a session's snapshot and with its overlay, with a target.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "postgres/connection.hpp"
#include "verify/overlay.hpp"
#include "verify/plan.hpp"
#include "verify/session.hpp"
#include "verify/target.hpp"

namespace walspout::verify {

struct Difference {
  enum class What { kMissing, kExtra, kDiffers };  // seen from the target
  struct Column {
    std::string name;
    std::optional<std::string> source, target;
  };
  What what = What::kMissing;
  // The key's columns with their text; without a key all columns, and how many copies of such a row
  // are too few or too many.
  std::vector<std::pair<std::string, std::optional<std::string>>> row;
  std::uint64_t copies = 1;
  std::vector<Column> columns;  // kDiffers: those that do
};

struct Counts {
  std::uint64_t rows = 0;         // at the source, as the target should have them
  std::uint64_t differences = 0;  // rows; at least so many, if `more`
  bool more = false;              // some parts that differ were not looked into
  std::uint64_t singly = 0;       // rows read one by one
  std::uint64_t waiting = 0;      // rows not compared, as changes of them are still to come
  std::vector<Row> keys;          // of the differences that were reported, where there is a key
};

class Comparison {
 public:
  using OnDifference = std::function<void(const Difference& difference)>;

  // Differences beyond it are counted and not reported.
  static constexpr std::uint64_t kMostReported = 10'000;

  // All must outlive it. The table is locked, and chosen at the target.
  Comparison(Session& session, Target& target, const TablePlan& plan, Overlay& overlay,
             const postgres::Interrupt& interrupt, OnDifference on_difference);

  // Reads the table twice at most, however large it is, unless the parts that differ have more than
  // 200'000 rows: then once more for each further 200'000, until enough is reported. Throws what
  // source and target throw.
  Counts all();

  // Only the rows with these keys (of a table that has one). The text is the source's, or for rows
  // that only the target has, the target's.
  Counts only(const std::vector<Row>& keys);

 private:
  struct Bucket {
    Digest sum = 0;
    std::int64_t count = 0;
  };
  struct Found {  // a row at the source
    Digest digest = 0;
    std::string tableoid, ctid;
    std::int64_t copies = 1;  // without a key: less what the target has
    Row row;                  // without a key, where it is known
  };
  using Rows = std::unordered_map<std::string, Found>;  // by key; without one by digest

  void fetch(const std::string& query,
             const std::function<void(const postgres::Result&, int)>& row);
  void complete_overlay();
  void add_overlay_rows(std::vector<Bucket>& source);
  void read_keys(const std::vector<Row>& keys,
                 const std::function<void(std::string key, Found found)>& on_row);
  Row read_row(const Found& found);
  std::optional<Row> find_at_target(const Row& row);
  void count_source(std::vector<Bucket>& buckets);
  void count_target(std::vector<Bucket>& buckets, const std::atomic<bool>& stop);
  bool laid_over(const std::string& key, const walspout_value* row);
  void report_unseen();

  std::vector<std::uint32_t> narrow(const std::vector<Bucket>& source,
                                    const std::vector<Bucket>& target);
  void look_into(const std::vector<std::uint32_t>& buckets);
  Rows rows_of(const std::vector<std::uint32_t>& buckets);
  void match_keyed(Rows& rows, const std::vector<bool>& wanted);
  void match_keyless(Rows& rows, const std::vector<bool>& wanted);
  void compare_row(const Row& source, const Row& target);
  void report(Difference::What what, const Row& row, std::uint64_t copies = 1);
  void report(Difference difference, const Row& row);
  Row copy(const walspout_value* row) const;
  Row spread(const Row& key) const;

  Session& session_;
  Target& target_;
  const TablePlan& plan_;
  Overlay& overlay_;
  postgres::Interrupt interrupt_;
  OnDifference on_difference_;
  Counts counts_;
  std::vector<std::pair<std::uint32_t, Bucket>> replaced_;  // snapshot rows that the overlay covers
  std::uint64_t reported_ = 0;
};

}  // namespace walspout::verify
