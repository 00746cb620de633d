// What the catalogue says about published tables and about types. It describes the present; to
// decode the stream its Relation messages count, and this adds what they lack: primary keys,
// domains, element types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/lsn.hpp"
#include "postgres/connection.hpp"

namespace walspout::postgres {

struct PublishedColumn {
  std::string name;
  std::int16_t attnum = 0;
  std::uint32_t type_oid = 0;
  std::int32_t type_mod = -1;
  bool not_null = false;
  bool generated = false;    // stored, and published as such (18+)
  bool in_identity = false;  // replica identity; under FULL every column
};

struct PublishedTable {
  std::uint32_t oid = 0;
  std::string schema, name;
  char relkind = 'r';                     // 'r' table, 'p' partitioned
  char replica_identity = 'd';            // 'd' 'n' 'f' 'i', as in pg_class.relreplident
  std::optional<std::string> row_filter;  // SQL, names qualified
  std::vector<PublishedColumn> columns;   // the published ones, by attnum; may be empty
  std::vector<std::string>
      primary_key;  // in key order; empty: none, deferrable, or not all published
  std::vector<std::string> identity_index;  // of 'd' and 'i', in index order
  double estimated_rows = -1;               // -1 = never analysed
  std::int64_t bytes = 0;                   // as of the last analyse; of all partitions, with TOAST
  std::uint32_t relfilenode = 0;            // 0 for a partitioned table

  std::string full_name() const { return schema + "." + name; }
};

// By schema and name, in one query. From 16 on the server's view pg_publication_tables takes ACCESS
// SHARE locks for a moment, so this waits behind whoever has a table locked exclusively.
std::vector<PublishedTable> published_tables(Connection& ordinary, const std::string& publication,
                                             const Interrupt& interrupt = Interrupt());

// The same of one table; nothing when it is not published (any more).
std::optional<PublishedTable> published_table(Connection& ordinary, const std::string& publication,
                                              std::uint32_t oid,
                                              const Interrupt& interrupt = Interrupt());

struct TableKey {
  char replica_identity = 'd';
  std::vector<std::string> primary_key;     // in key order; empty if none or deferrable
  std::uint32_t primary_constraint = 0;     // its oid; 0 = none
  std::vector<std::string> identity_index;  // of 'd' and 'i'
};

// Nothing when no such table is there any more.
std::optional<TableKey> table_key(Connection& ordinary, std::uint32_t oid,
                                  const Interrupt& interrupt = Interrupt());

struct TypeFacts {
  std::uint32_t oid = 0;
  std::string name;                 // as format_type() prints it, without modifier
  std::uint32_t base_oid = 0;       // domains resolved, however deep; else oid itself
  std::int32_t base_type_mod = -1;  // the innermost domain's own modifier; -1 = none or no domain
  std::uint32_t element_oid = 0;    // of the base type, if an array: its element, domains resolved
  char category = 'U';              // pg_type.typcategory of the base type
  char kind = 'b';                  // pg_type.typtype of oid: b c d e m p r
};

// All types, in one query.
std::vector<TypeFacts> load_types(Connection& ordinary, const Interrupt& interrupt = Interrupt());

// One type; nothing when it is not there any more.
std::optional<TypeFacts> load_type(Connection& ordinary, std::uint32_t oid,
                                   const Interrupt& interrupt = Interrupt());

}  // namespace walspout::postgres
