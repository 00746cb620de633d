// One mirrored table as one version of its source's shape sees it.
#pragma once

#include <walspout/abi.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "statements.hpp"
#include "values.hpp"

namespace walspout::sqlite {

// A change that can never be applied, whatever the state of the file. The message names the table.
class BadChange : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct MirrorColumn {
  std::string name;  // quoted
  Kind kind = Kind::kText;
  uint32_t element_type_oid = 0;
  bool mapped = true;     // false: an older shape's column that the mirror has no more
  bool identity = false;  // WALSPOUT_COLUMN_KEY
  bool primary = false;   // WALSPOUT_COLUMN_PRIMARY
};

struct Mirror {
  std::string physical;               // the SQLite table: the mirror or a copy's shadow
  std::string table;                  // the same, quoted
  std::string label;                  // schema.table of the source, for messages
  std::vector<MirrorColumn> columns;  // as the relation's
  std::vector<uint32_t> key;          // columns of the mirror's primary key; empty = it has none
  std::vector<uint32_t> located_by;   // columns that find the row when no old row was sent
  bool has_primary = false;
  std::string row_id;  // quoted alias of the rowid that no column hides; for rows without a key
  bool hidden_row = false;  // row_id is the hidden key column
  StatementCache statements;
};

}  // namespace walspout::sqlite
