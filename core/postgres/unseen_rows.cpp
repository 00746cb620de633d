#include <fmt/format.h>

#include <algorithm>

#include "postgres/table_facts.hpp"

namespace walspout::postgres {

namespace {

// CREATE TABLE ... PARTITION OF writes the columns first and pg_inherits after them, in one
// transaction. ATTACH PARTITION rewrites every column together with pg_inherits, so a column that
// is older than the edge, but of its transaction, proves the former. A later ALTER TABLE hides the
// proof; one that was aborted leaves an xmax, and a command id that is not the row's.
constexpr const char* kMadeByAttach =
    "SELECT EXISTS (SELECT FROM unnest($1::oid[]) child WHERE NOT EXISTS ("
    "SELECT FROM pg_inherits i JOIN pg_attribute a ON a.attrelid = i.inhrelid AND a.attnum > 0 "
    "AND NOT a.attisdropped WHERE i.inhrelid = child AND a.xmin = i.xmin AND a.xmax::text = '0' "
    "AND a.cmin::text::int8 < i.cmin::text::int8))";

std::string children(const std::vector<PartitionEdge>& edges) {
  std::string list;
  for (const auto& edge : edges) list += (list.empty() ? "" : ",") + std::to_string(edge.child);
  return "{" + list + "}";
}

// undefined_table, insufficient_privilege, lock_not_available
bool cannot_tell(const SqlError& error) {
  return error.sqlstate == "42P01" || error.sqlstate == "42501" || error.sqlstate == "55P03";
}

}  // namespace

std::vector<PartitionEdge> new_edges(const TableFacts& before, const LeafFacts& leaf) {
  std::vector<PartitionEdge> added;
  for (const PartitionEdge& edge : leaf.edges) {
    const bool known =
        std::any_of(before.storage.begin(), before.storage.end(), [&](const LeafFacts& other) {
          return std::find(other.edges.begin(), other.edges.end(), edge) != other.edges.end();
        });
    if (!known) added.push_back(edge);
  }
  return added;
}

bool leaf_may_hold_unseen_rows(Connection& ordinary, std::uint32_t leaf,
                               const std::vector<PartitionEdge>& edges,
                               const Interrupt& interrupt) {
  if (!ordinary.exec_params(kMadeByAttach, {children(edges)}, interrupt).boolean(0, 0)) {
    return false;
  }
  const std::string oid = std::to_string(leaf);
  try {
    // The size needs no right on the table.
    const Result found = ordinary.exec_params(
        "SELECT c.oid::regclass, pg_relation_size(c.oid), c.relkind = 'f' FROM pg_class c "
        "WHERE c.oid = $1::oid",
        {oid}, interrupt);
    if (found.rows() == 0 || !found.text(0, 1)) return true;
    if (found.boolean(0, 2)) return true;  // foreign: none of its rows is ever streamed
    if (found.integer(0, 1) == 0) return false;
    return ordinary
        .exec(fmt::format("SELECT EXISTS (SELECT FROM ONLY {})", found.string(0, 0)), interrupt)
        .boolean(0, 0);
  } catch (const SqlError& error) {
    if (!cannot_tell(error)) throw;
    return true;
  }
}

}  // namespace walspout::postgres
