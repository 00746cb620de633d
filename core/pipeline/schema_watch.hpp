// Looks at the source's catalogue every few seconds, as DDL that no row follows sends nothing: a
// thread with a connection of its own, that keeps a managed publication in step with the patterns
// and hands the reader what it found.
//
// Its errors end nothing. A lost connection is warned of once and made again; any other error is
// warned of once, and tried again at the next look.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/backoff.hpp"
#include "base/wake.hpp"
#include "config/config.hpp"
#include "postgres/connection.hpp"
#include "postgres/table_facts.hpp"

namespace walspout {

class SchemaWatch {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // Starts at once. `wake` is rung whenever there is something to take(). `known` is what an
  // earlier run knew: partitions that it lacks are asked for unseen rows. When a look takes long it
  // is made less often than `every`, so that the server spends a tenth of its time on it at most.
  SchemaWatch(const config::Config& config, base::Wake& wake,
              std::vector<postgres::TableFacts> known = {},
              Milliseconds every = Milliseconds(3000));
  // Ends within a second; a look-up in DNS is the one wait that it must see through.
  ~SchemaWatch();
  SchemaWatch(const SchemaWatch&) = delete;
  SchemaWatch& operator=(const SchemaWatch&) = delete;

  // Any thread: a look that begins after this call ends with a view to take, whether or not it
  // differs. While the source is away it waits for it.
  void look_now();

  // Any thread: the newest view that was not taken yet, if it differs from the one before, or was
  // asked for. Partitions that are new since the views of an earlier look have
  // LeafFacts::unseen_rows, here and in every later view.
  std::optional<postgres::CatalogueView> take();

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void attempt(Milliseconds& pause);
  Milliseconds look();
  bool keep_publication();
  void match_publication();
  void resolve_leaves(postgres::CatalogueView& view);
  void warn_of_generated(const postgres::CatalogueView& view);
  void report(const std::string& text);

  const config::Config& config_;
  base::Wake& wake_;
  const Milliseconds every_;
  base::Wake stop_, look_;
  const postgres::Interrupt interrupt_;

  std::mutex mutex_;  // guards the two below
  std::optional<postgres::CatalogueView> newest_;
  bool asked_ = false;

  // The rest belongs to the thread.
  std::unique_ptr<postgres::Connection> connection_;
  base::Backoff backoff_;
  bool outage_ = false;
  bool owed_ = false;  // a view that was asked for
  std::set<std::string> reported_;
  std::uint32_t publication_ = 0;  // the one that managed_ is about
  bool managed_ = false;
  std::vector<std::uint32_t> refused_;  // the list of tables that could not be published
  std::map<std::uint32_t, postgres::TableFacts> last_;  // by oid
  std::optional<std::uint64_t> last_hash_;
  std::uint64_t unchanged_until_ = 0;  // when what was handed over last was last seen
  std::map<std::uint32_t, postgres::LeafFacts> resolved_;    // leaves that were asked, by oid
  std::set<std::pair<std::uint32_t, std::int16_t>> warned_;  // generated columns

  std::thread thread_;  // last: starts when all of the above is there
};

}  // namespace walspout
