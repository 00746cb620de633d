// Which record of the catalogue belongs to a source table, and which name its mirror has. A table
// is known by its oid first, then by its name: names move from table to table.
#pragma once

#include <walspout/abi.h>

#include <optional>
#include <string>

#include "catalog.hpp"
#include "reporter.hpp"
#include "user_objects.hpp"

namespace walspout::sqlite {

class Tables {
 public:
  Tables(Database& db, Catalog& catalog, const Reporter& reporter)
      : db_(db), catalog_(catalog), reporter_(reporter) {}

  // The table's record, without a change to anything; nothing when it has none.
  std::optional<TableRecord> find(const walspout_relation& relation);

  // The same, under the relation's name: a mirror of another name is renamed, and a mirror that has
  // this name for another table is parked until that one's new name comes. A table not seen before
  // gets a record, its mirror is not created; but when a table of another oid has the name, the
  // record is that one's, and it is for the caller to tell.
  TableRecord claim(const walspout_relation& relation);

  // For a copy: the same, but the record is this table's own. A mirror that another table left
  // under the name stays readable there until replace().
  TableRecord claim_for_copy(const walspout_relation& relation);

  // The table's own record as it is; made when there is none.
  TableRecord own(const walspout_relation& relation);

  // Whether a mirror of ours, the record's own or another table's, is under the record's name.
  bool stands(const TableRecord& record);
  // The shadow becomes the mirror of the record, whose row is the caller's to save.
  void replace(TableRecord& record, const std::string& shadow, Notes& notes);

  // Takes back a record of which nothing was created. What was parked under its name has it again.
  void withdraw(const TableRecord& record);
  // A parked table of which nothing more will come.
  void drop_parked(const TableRecord& record);

  // Whether mirrors have got other names since the last call.
  bool take_moved();
  // A name for a mirror that nothing in the file has; `own` counts as free unless it was given
  // away.
  std::string free_name(const TableRecord& record, const std::string& own = {});
  // The same within the mirror's own names: base, base_2, ...
  std::string hidden_name(const std::string& base);

 private:
  TableRecord renamed(const walspout_relation& relation, TableRecord record);
  void park(TableRecord record, const std::string& by);
  std::optional<TableRecord> left_under(const std::string& mirror);  // a parked one
  void move_mirror(const std::string& from, const std::string& to, Notes& notes);

  Database& db_;
  Catalog& catalog_;
  const Reporter& reporter_;
  bool moved_ = false;
};

}  // namespace walspout::sqlite
