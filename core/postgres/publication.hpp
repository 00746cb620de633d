// Publications: look up, create from patterns, keep in step, drop.
//
// One that is created here carries the comment "managed by walspout: <patterns>" and is kept in
// step with the patterns; one without that mark belongs to others and is used as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/table_pattern.hpp"
#include "postgres/connection.hpp"

namespace walspout::postgres {

struct PublicationInfo {
  std::uint32_t oid = 0;
  std::string name;
  bool all_tables = false;
  bool inserts = false, updates = false, deletes = false, truncates = false;
  bool via_partition_root = false;
  bool managed = false;  // has our mark
  std::string comment;
  int table_count = 0;  // tables it publishes now
};

std::optional<PublicationInfo> find_publication(Connection& ordinary, const std::string& name,
                                                const Interrupt& interrupt = Interrupt());

struct PublicationOutcome {
  enum class What { kUsedAsIs, kCreated, kAltered, kUnchanged };
  What what = What::kUnchanged;
  bool all_tables = false;
  std::vector<std::string> added;             // "schema.table"; the whole list when created
  std::vector<std::string> removed;           // "schema.table"
  std::vector<std::string> without_identity;  // their updates and deletes now fail at the source
};

// Creates or alters as the patterns say, in one transaction, and says what was done. FOR ALL TABLES
// when the patterns take all and the role is a superuser, else a list of tables. A matched
// partitioned table stands for its partitions. Warns in the log when it publishes nothing. Throws
// Refused when the role may not do it, with the SQL that a mightier role can run.
PublicationOutcome ensure_publication(Connection& ordinary, const std::string& name,
                                      const base::TablePatterns& patterns,
                                      const Interrupt& interrupt = Interrupt());

// False when there was none.
bool drop_publication(Connection& ordinary, const std::string& name,
                      const Interrupt& interrupt = Interrupt());

// Names of publications that start with prefix, for clearing away stale temporary ones.
std::vector<std::string> publications_like(Connection& ordinary, const std::string& prefix,
                                           const Interrupt& interrupt = Interrupt());

// Ordinary and partitioned tables that can be published, by the patterns, as a publication lists
// them (roots in place of their partitions), ordered by name.
struct MatchingTable {
  std::uint32_t oid = 0;
  std::string schema, name;
  bool has_identity = false;  // updates and deletes can be published
};
std::vector<MatchingTable> matching_tables(Connection& ordinary,
                                           const base::TablePatterns& patterns,
                                           const Interrupt& interrupt = Interrupt());

}  // namespace walspout::postgres
