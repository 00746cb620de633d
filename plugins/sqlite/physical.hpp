// SQLite tables as such: what columns there are, create, swap one for another without losing what
// the user built on it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "database.hpp"
#include "user_objects.hpp"

namespace walspout::sqlite {

// The hidden key of a table that SQLite could not have otherwise: one without columns, or one
// without a key whose own columns hide every alias of the rowid.
inline constexpr const char* kHiddenRow = "_walspout_row";

struct PhysicalColumn {
  std::string name;
  std::string type;  // as declared
  int key = 0;       // place in the primary key, from 1; 0 = not part of it
};

std::vector<PhysicalColumn> physical_columns(Database& db, const std::string& table);
bool has_column(const std::vector<PhysicalColumn>& columns, const std::string& name);
bool table_exists(Database& db, const std::string& table);

// `columns` with their places in the key. loose_key: a key of one INTEGER takes whatever value,
// NULL included, since it is not the rowid then.
void create_table(Database& db, const std::string& table,
                  const std::vector<PhysicalColumn>& columns, bool loose_key = false);

// Views and triggers that speak of the table follow where SQLite can do that; else that is noted.
void rename_table(Database& db, const std::string& table, const std::string& name, Notes& notes);

// `replacement` takes the place and the name of `table`, which is dropped when it exists; or, with
// `aside`, gets that name. The user's indexes and triggers on `table` are built again, views go on;
// what cannot be kept is noted.
void replace_table(Database& db, const std::string& table, const std::string& replacement,
                   const std::string& aside, Notes& notes);

// The mirror's own index on the replica identity's columns, where that is not the key (quoted
// names); no columns: drops it.
void set_identity_index(Database& db, const std::string& table,
                        const std::vector<std::string>& columns);

// An alias of the rowid that is no column of the table; empty when all three are.
std::string free_row_id(const std::vector<PhysicalColumn>& columns);

}  // namespace walspout::sqlite
