// The source's tables as its catalogue has them at this moment, inside the asking transaction.
#pragma once

#include <string>
#include <vector>

#include "support/postgres_server.hpp"

namespace walspout::test::storm {

struct Column {
  std::string name;
  std::string type;  // as format_type() prints it
  bool not_null = false;
  bool primary = false;
  bool unique = false;  // in any unique index
  bool generated = false;

  std::string sql() const;  // the quoted name
};

struct Table {
  std::string schema, name;
  std::string parent;  // the root's sql(), for a partition
  bool partitioned = false;
  char identity = 'd';  // as pg_class.relreplident
  bool has_primary = false;
  std::vector<std::string>
      identity_indexes;  // quoted; those that REPLICA IDENTITY USING INDEX takes
  std::vector<Column> columns;

  std::string sql() const;  // the quoted name with its schema
  bool partition() const { return !parent.empty(); }
  bool has(const std::string& column) const;
};

// Every ordinary and partitioned table outside of the system's schemas, by name.
std::vector<Table> read_tables(Session& session);

// The labels of an enum.
std::vector<std::string> read_labels(Session& session, const std::string& type);

}  // namespace walspout::test::storm
