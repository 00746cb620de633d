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

namespace walspout::sqlite {

std::string label_of(const walspout_relation& relation);  // schema.table

// What a WALSPOUT_SCHEMA change says about where columns come from; empty at the first sight of a
// shape, when columns are matched by attnum, else by name.
struct ShapeHint {
  const walspout_relation* old_relation = nullptr;
  const int32_t* old_index = nullptr;
};

class Shaper {
 public:
  Shaper(Database& db, Catalog& catalog, const Reporter& reporter, NumericMode mode)
      : db_(db), catalog_(catalog), reporter_(reporter), mode_(mode) {}

  // Creates the table. `like`: column names already given in another table are kept (a shadow's
  // columns are named as its mirror's).
  void create(const walspout_relation& relation, const std::string& physical,
              const std::vector<ColumnRecord>& like);

  // Changes the table to the relation's shape. Rows stay; columns new to it are NULL in them.
  // same_source: attnums mean the columns they meant when they were stored.
  void reshape(const walspout_relation& relation, const std::string& physical,
               const ShapeHint& hint, bool same_source);

  // How to write to the table, which has the shape already. current = false: the relation is an
  // older version than the table's; columns that are gone are left out.
  Mirror open(const walspout_relation& relation, const std::string& physical, bool current);

 private:
  struct Plan;
  Plan make_plan(const walspout_relation& relation, const std::string& physical,
                 const ShapeHint& hint, bool same_source);
  std::vector<PhysicalColumn> wanted(const walspout_relation& relation,
                                     const std::vector<std::string>& names);
  void warn_of_old_rows(const walspout_relation& r, const std::string& physical, const Plan& plan);
  void rebuild(const walspout_relation& relation, const std::string& physical, const Plan& plan);
  bool alter(const walspout_relation& relation, const std::string& physical, const Plan& plan);
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
