#include <unordered_map>

#include "postgres/publication.hpp"

namespace walspout::postgres {

namespace {

// Everything a publication may list: permanent ordinary and partitioned tables outside the system's
// schemas. has_identity is of the table itself.
constexpr const char* kCandidates =
    "SELECT c.oid, n.nspname, c.relname, c.relkind = 'p', coalesce(h.inhparent, 0), "
    "c.relreplident = 'f' OR EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND "
    "i.indimmediate AND CASE c.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN "
    "i.indisreplident ELSE false END) "
    "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "LEFT JOIN pg_inherits h ON h.inhrelid = c.oid AND c.relispartition "
    "WHERE c.relkind IN ('r', 'p') AND c.relpersistence = 'p' "
    "AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_' "
    "ORDER BY n.nspname, c.relname";

struct Candidate {
  MatchingTable table;
  bool partitioned = false;
  std::uint32_t parent = 0;
  bool matches = false;
};

std::vector<Candidate> candidates(Connection& conn, const base::TablePatterns& patterns,
                                  const Interrupt& interrupt) {
  const Result rows = conn.exec(kCandidates, interrupt);
  std::vector<Candidate> all;
  for (int row = 0; row < rows.rows(); ++row) {
    Candidate one;
    one.table.oid = static_cast<std::uint32_t>(rows.integer(row, 0));
    one.table.schema = rows.string(row, 1);
    one.table.name = rows.string(row, 2);
    one.partitioned = rows.boolean(row, 3);
    one.parent = static_cast<std::uint32_t>(rows.integer(row, 4));
    one.table.has_identity = rows.boolean(row, 5);
    one.matches = patterns.matches(one.table.schema, one.table.name);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::vector<MatchingTable> matching_tables(Connection& ordinary,
                                           const base::TablePatterns& patterns,
                                           const Interrupt& interrupt) {
  auto all = candidates(ordinary, patterns, interrupt);
  std::unordered_map<std::uint32_t, Candidate*> by_oid;
  for (auto& one : all) by_oid[one.table.oid] = &one;
  // The topmost matched table of a partition tree stands for all below it. Its updates are checked
  // at the leaves: one leaf without identity, and they fail.
  const auto top = [&](Candidate& one) -> Candidate* {
    Candidate* found = one.matches ? &one : nullptr;
    for (auto at = by_oid.find(one.parent); at != by_oid.end();
         at = by_oid.find(at->second->parent)) {
      if (at->second->matches) found = at->second;
    }
    return found;
  };
  for (auto& one : all) {
    if (one.partitioned) one.table.has_identity = true;
  }
  std::vector<MatchingTable> chosen;
  for (auto& one : all) {
    Candidate* const root = top(one);
    if (root != nullptr && root != &one && !one.table.has_identity) {
      root->table.has_identity = false;
    }
  }
  for (auto& one : all) {
    if (top(one) == &one) chosen.push_back(one.table);
  }
  return chosen;
}

}  // namespace walspout::postgres
