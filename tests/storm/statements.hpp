// Random statements that fit the tables as they are. A few of them fail all the same: a duplicate
// key, a row that no partition takes, a label that its own transaction may not use yet.
#pragma once

#include <string>
#include <vector>

#include "storm/catalogue.hpp"
#include "storm/values.hpp"

namespace walspout::test::storm {

// Statements that belong together, to be run one after another in one transaction.
using Steps = std::vector<std::string>;

// What the storm begins with: an enum, tables with and without keys, a partitioned one, rows.
Steps first_tables(Dice& dice);

// Both ask the catalogue through `session`, which sees what its own open transaction did. Empty
// when the tables do not allow what was thrown.
class RowStatements {
 public:
  RowStatements(Dice& dice, Session& session);
  Steps next();
  Steps insert(const Table& table, int rows);

 private:
  Steps upsert(const Table& table);
  Steps update(const Table& table);
  Steps change_keys(const Table& table);
  Steps remove(const Table& table);
  Steps truncate();
  std::string some_rows();  // a condition
  std::string insertion(const Table& table, int rows, int base);

  Dice& dice_;
  std::vector<Table> tables_;
  Values values_;
};

class SchemaStatements {
 public:
  SchemaStatements(Dice& dice, Session& session);
  Steps next();

 private:
  // Of one column.
  Steps add_column(const Table& table);
  Steps drop_column(const Table& table);
  Steps rename_column(const Table& table);
  Steps swap_columns(const Table& table);
  Steps retype(const Table& table);
  Steps set_default(const Table& table);
  Steps set_not_null(const Table& table);
  // Of a table.
  Steps change_identity(const Table& table);
  Steps change_primary(const Table& table);
  Steps rename_table(const Table& table);
  Steps swap_tables(const Table& table);
  Steps drop_table(const Table& table);
  Steps drop_and_create(const Table& table);
  Steps create_table();
  Steps change_enum();
  // Of partitions.
  Steps create_partition(const Table& root);
  Steps attach_new(const Table& root);
  Steps attach_old(const Table& root);
  Steps change_partition();

  std::string free_name(const Table& table);  // of a column
  const Column* any_column(const Table& table, bool key);
  std::vector<const Table*> roots() const;  // tables that are not partitions

  Dice& dice_;
  Session& session_;
  std::vector<Table> tables_;
  std::vector<std::string> labels_;
  Values values_;
};

// "create table NAME (...)" with columns of any type, and what follows it.
Steps create_statements(Dice& dice, const std::string& quoted_name);
// The bounds of the partition with this number: a thousand keys.
std::string bounds(int number);

}  // namespace walspout::test::storm
