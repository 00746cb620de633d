// Brings a SQLite table into the shape of a version of its source table.
#pragma once

#include <walspout/abi.h>

#include <string>
#include <string_view>
#include <vector>

#include "catalog.hpp"
#include "mirror.hpp"
#include "physical.hpp"
#include "reporter.hpp"
#include "user_objects.hpp"

namespace walspout::sqlite {

std::string label_of(const walspout_relation& relation);  // schema.table

// What a WALSPOUT_SCHEMA change says about where columns come from; empty at the first sight of a
// shape, when columns are matched by attnum, else by name.
struct ShapeHint {
  const walspout_relation* old_relation = nullptr;
  const int32_t* old_index = nullptr;
  const walspout_value* fill = nullptr;
};

class Shaper {
 public:
  Shaper(Database& db, Catalog& catalog, const Reporter& reporter, NumericMode mode)
      : db_(db), catalog_(catalog), reporter_(reporter), mode_(mode) {}

  // Creates the table. `like`: column names already given in another table are kept (a shadow's
  // columns are named as its mirror's).
  void create(const walspout_relation& relation, const std::string& physical,
              const std::vector<ColumnRecord>& like);

  // Changes the table to the relation's shape. Rows stay; in them a column new to the table has the
  // hint's fill value, else NULL. What of the user's own cannot be kept is reported in one line.
  // same_source: attnums mean the columns they meant when they were stored.
  void reshape(const walspout_relation& relation, const std::string& physical,
               const ShapeHint& hint, bool same_source);

  // How to write to the table, which has the shape already. current = false: the relation is an
  // older version than the table's; columns that are gone are left out.
  Mirror open(const walspout_relation& relation, const std::string& physical, bool current,
              bool same_source);

 private:
  struct Plan;
  Plan make_plan(const walspout_relation& relation, const std::string& physical,
                 const ShapeHint& hint, bool same_source);
  std::vector<PhysicalColumn> wanted(const walspout_relation& relation,
                                     const std::vector<std::string>& names);
  // The steps of reshape(), in reshape.cpp.
  void drop_columns(const std::string& physical, Plan& plan, Notes& notes);
  void rename_columns(const std::string& physical, Plan& plan, Notes& notes);
  void add_columns(const std::string& physical, const Plan& plan);
  void rebuild(const std::string& physical, const Plan& plan, Notes& notes);
  void move_rows(const std::string& physical, const std::string& target, const Plan& plan,
                 const std::vector<PhysicalColumn>& columns);
  bool key_is_sure(const std::string& physical, const Plan& plan);
  void record(const walspout_relation& relation, const std::string& physical,
              const std::vector<std::string>& names);
  std::string give_name(const walspout_relation& relation, uint32_t column,
                        const std::vector<std::string>& taken);

  Database& db_;
  Catalog& catalog_;
  const Reporter& reporter_;
  NumericMode mode_;
};

}  // namespace walspout::sqlite
