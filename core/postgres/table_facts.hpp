// What the catalogue says about published tables that tells whether rows became others without a
// message in the stream: a rewrite, a partition attached, a label renamed, a default filled in.
//
// Nothing here takes a lock on a user's table (pg_publication_tables and pg_get_expr() do, on newer
// servers), so it never waits behind somebody's ALTER TABLE; leaf_may_hold_unseen_rows() alone
// does.
//
// An xmin is the id of the transaction that wrote a row of the catalogue. Freezing keeps it, so an
// equal one means that the row was not touched in between. Source: PostgreSQL documentation,
// "System Columns".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/lsn.hpp"
#include "postgres/connection.hpp"

namespace walspout::postgres {

struct AttributeFacts {
  std::int16_t attnum = 0;
  std::string name;                 // of a dropped one "........pg.dropped.2........"
  std::uint32_t type_oid = 0;       // 0 when dropped
  std::uint32_t base_type_oid = 0;  // domains resolved
  std::int32_t type_mod = -1;
  std::uint32_t xmin = 0;
  char generated = '-';  // '-' not, 's' stored, 'v' virtual
  bool not_null = false;
  bool dropped = false;
  bool published = false;
  bool has_default = false;
  // What rows older than the column show, as the pinned settings print it. Of a partitioned table:
  // what all partitions agree on. Nothing when there is none: those rows have NULL, or the table
  // was rewritten.
  std::optional<std::string> missing;
  bool missing_differs = false;  // partitioned: the partitions do not agree
  bool operator==(const AttributeFacts&) const = default;
};

// A step in a partition tree: the row of pg_inherits that hangs `child` below its parent.
struct PartitionEdge {
  std::uint32_t child = 0;
  std::uint32_t xmin = 0;  // of the row: it changes when child is detached and attached again
  bool operator==(const PartitionEdge&) const = default;
};

// Where rows are stored: the table itself, or each leaf of its partition tree.
struct LeafFacts {
  std::uint32_t oid = 0;
  std::uint32_t relfilenode = 0;
  std::string name;                  // "schema.table", for messages: no fact
  std::vector<PartitionEdge> edges;  // from below the root to the leaf; none for the table itself
  // For a leaf that is new in the tree, once somebody asked leaf_may_hold_unseen_rows(): no fact,
  // and not kept by serialize().
  std::optional<bool> unseen_rows;
};

// One label of an enum type that a column uses, be it in an array, a domain or a composite type.
struct LabelFacts {
  std::uint32_t oid = 0;       // of the row in pg_enum
  std::uint32_t type_oid = 0;  // of the enum type
  std::string label;
  std::string type;  // "schema.name", for messages: no fact
  // The transaction that added the label to a type that was there, or renamed it: which of them
  // cannot be told. 0: the label is as CREATE TYPE made it.
  std::uint64_t touched = 0;
};

// One attribute of a composite type that a column uses: without it, values print differently.
struct MemberFacts {
  std::uint32_t type_oid = 0;
  std::int16_t attnum = 0;
  std::string type;  // "schema.name", for messages: no fact
  std::uint64_t touched =
      0;  // the last transaction that altered any attribute of the type; 0: none
};

struct TableFacts {
  // Every transaction with a lower id had ended when these facts were read. No fact itself: it is
  // kept, but equal facts may have been read at different times.
  std::uint64_t as_of = 0;
  std::uint32_t oid = 0;
  std::string schema, name;
  char relkind = 'r';                        // 'r', or 'p' for the root of a partition tree
  char replica_identity = 'd';               // 'd' 'n' 'f' 'i'
  std::vector<std::int16_t> primary_key;     // attnums in key order; empty: none or deferrable
  std::uint32_t primary_constraint = 0;      // its oid, which another one never has; 0 = none
  std::vector<std::int16_t> identity_index;  // likewise, of 'd' and 'i'
  std::string operations;                    // published: a part of "iudt"
  // A fingerprint of the filter's parse tree, which renamed columns leave alone; its SQL text is in
  // PublishedTable::row_filter.
  std::optional<std::string> row_filter;
  std::optional<std::vector<std::int16_t>> column_list;  // attnums, ascending; nothing = all
  // Oids of what publishes it: rows of pg_publication_rel and pg_publication_namespace, or the
  // publication itself. All others mean that it was out of the publication in between.
  std::vector<std::uint32_t> memberships;
  std::vector<AttributeFacts> attributes;  // by attnum, without a gap: dropped ones included
  std::vector<LeafFacts> storage;          // by oid
  std::vector<LabelFacts> labels;          // by oid
  std::vector<MemberFacts> members;        // by type and attnum

  std::string full_name() const { return schema + "." + name; }
  // Null when there is none of that number.
  const AttributeFacts* attribute(std::int16_t attnum) const;
};

struct CatalogueView {
  base::Lsn lsn = 0;  // taken after the read: nothing that committed later is in here
  // pg_current_snapshot() of the read, "xmin:xmax:xip,...": tells exactly which transactions are.
  std::string snapshot;
  // TableFacts::as_of of an earlier read that found the same as the read handed over before; 0 when
  // there was none. Whoever compares with that one may take its facts as read then.
  std::uint64_t unchanged_until = 0;
  std::vector<TableFacts> tables;  // by schema and name
};

// All tables of the publication, in one REPEATABLE READ READ ONLY transaction of its own; on a
// standby the lsn is that of the replay. No tables when there is no such publication. Throws as
// Connection::exec does.
CatalogueView read_table_facts(Connection& ordinary, const std::string& publication,
                               const Interrupt& interrupt = Interrupt());

// One line of text, without line breaks whatever the names hold, and back. Nothing for a text that
// is damaged or of another version of this format.
std::string serialize(const TableFacts& facts);
std::optional<TableFacts> parse_table_facts(std::string_view text);

// Equal for equal facts, in every run of every build; what is "no fact" above does not count.
std::uint64_t facts_hash(const TableFacts& facts);

struct ValuesVerdict {
  bool values_changed = false;
  std::string reason;  // a clause for the log: "partition public.arch_a was detached"
};

// Pure. True when rows that existed before `now` may differ from what the stream carried. It may
// be true without need (VACUUM FULL of a partition looks like TRUNCATE), never false by mistake.
// Columns that were added, renamed or dropped are not its business, as long as the values of old
// rows follow from the facts: AttributeFacts::missing.
ValuesVerdict compare_facts(const TableFacts& before, const TableFacts& now);

// The edges of `leaf` that `before` did not have: what leaf_may_hold_unseen_rows() asks for.
std::vector<PartitionEdge> new_edges(const TableFacts& before, const LeafFacts& leaf);

// Whether a leaf that hangs in its tree by `edges` since a short while may hold rows that never
// went through the stream. False when it has no row now, or when each edge was made together with
// its child by CREATE TABLE ... PARTITION OF. Rows are not told apart by age: an UPDATE makes an
// unseen row look young. Locks the leaf in ACCESS SHARE mode for a moment; true when it is locked
// exclusively for longer than the connection's lock_timeout, cannot be read, or is gone.
bool leaf_may_hold_unseen_rows(Connection& ordinary, std::uint32_t leaf,
                               const std::vector<PartitionEdge>& edges,
                               const Interrupt& interrupt = Interrupt());

}  // namespace walspout::postgres
