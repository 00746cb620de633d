// The DDL of columns and tables; partitions are in partition_statements.cpp.
#include <algorithm>

#include "storm/statements.hpp"
#include "support/sqlite_file.hpp"

namespace walspout::test::storm {
namespace {

std::string alter(const Table& table, const std::string& what) {
  return "alter table " + table.sql() + " " + what;
}

}  // namespace

SchemaStatements::SchemaStatements(Dice& dice, Session& session)
    : dice_(dice),
      session_(session),
      tables_(read_tables(session)),
      labels_(read_labels(session, "mood")),
      values_(dice, labels_) {}

std::vector<const Table*> SchemaStatements::roots() const {
  std::vector<const Table*> out;
  for (const auto& table : tables_)
    if (!table.partition()) out.push_back(&table);
  return out;
}

Steps SchemaStatements::next() {
  const auto candidates = roots();
  if (candidates.size() < 4) return create_table();
  const Table& table = *dice_.pick(candidates);
  switch (dice_.between(1, 20)) {
    case 1:
    case 2:
    case 3:
      return add_column(table);
    case 4:
    case 5:
      return drop_column(table);
    case 6:
      return rename_column(table);
    case 7:
      return swap_columns(table);
    case 8:
    case 9:
      return retype(table);
    case 10:
      return set_default(table);
    case 11:
      return set_not_null(table);
    case 12:
      return change_identity(table);
    case 13:
      return change_primary(table);
    case 14:
      return dice_.percent(50) ? rename_table(table) : swap_tables(table);
    case 15:
      return dice_.percent(50) ? drop_table(table) : drop_and_create(table);
    case 16:
      return create_table();
    case 17:
      return change_enum();
    default:
      return change_partition();
  }
}

std::string SchemaStatements::free_name(const Table& table) {
  static const std::vector<std::string> names = {"a", "b",   "c",     "d",   "e",
                                                 "E", "f g", "order", "note"};
  std::vector<std::string> unused;
  for (const auto& name : names)
    if (!table.has(name)) unused.push_back(name);
  return unused.empty() ? "" : quote_identifier(dice_.pick(unused));
}

const Column* SchemaStatements::any_column(const Table& table, bool key) {
  std::vector<const Column*> fitting;
  for (const auto& column : table.columns)
    if (key || !column.unique) fitting.push_back(&column);
  return fitting.empty() ? nullptr : dice_.pick(fitting);
}

Steps SchemaStatements::add_column(const Table& table) {
  const std::string name = free_name(table);
  if (name.empty()) return {};
  const std::string type = any_type(dice_);
  std::string clause = "add column " + name + " " + type;
  switch (dice_.between(1, 5)) {
    case 1:
      break;
    case 2:
      clause += " default " + values_.made_for_each(type);
      break;
    case 3:
      clause += " not null default " + values_.constant(type);
      break;
    default:
      clause += " default " + values_.constant(type);
      break;
  }
  return {alter(table, clause)};
}

Steps SchemaStatements::drop_column(const Table& table) {
  const Column* column = any_column(table, dice_.percent(10));
  if (!column || table.columns.size() < 3) return {};
  return {alter(table, "drop column " + column->sql())};
}

Steps SchemaStatements::rename_column(const Table& table) {
  const Column* column = any_column(table, dice_.percent(40));
  const std::string name = free_name(table);
  if (!column || name.empty()) return {};
  return {alter(table, "rename column " + column->sql() + " to " + name)};
}

Steps SchemaStatements::swap_columns(const Table& table) {
  const Column* one = any_column(table, dice_.percent(20));
  const Column* two = any_column(table, dice_.percent(20));
  if (!one || !two || one == two) return {};
  return {alter(table, "rename column " + one->sql() + " to swapping"),
          alter(table, "rename column " + two->sql() + " to " + one->sql()),
          alter(table, "rename column swapping to " + two->sql())};
}

Steps SchemaStatements::retype(const Table& table) {
  const Column* column = any_column(table, dice_.percent(10));
  if (!column) return {};
  const Retype to = another_type(dice_, *column);
  return {alter(table, "alter column " + column->sql() + " drop default"),
          alter(table,
                "alter column " + column->sql() + " type " + to.type + " using " + to.expression)};
}

Steps SchemaStatements::set_default(const Table& table) {
  const Column* column = any_column(table, false);
  if (!column) return {};
  return {alter(table, "alter column " + column->sql() +
                           (dice_.percent(50) ? " drop default"
                                              : " set default " + values_.constant(column->type)))};
}

Steps SchemaStatements::set_not_null(const Table& table) {
  const Column* column = any_column(table, false);
  if (!column) return {};
  if (column->not_null) return {alter(table, "alter column " + column->sql() + " drop not null")};
  Steps steps;
  if (dice_.percent(60))
    steps.push_back("update " + table.sql() + " set " + column->sql() + " = " +
                    values_.constant(column->type) + " where " + column->sql() + " is null");
  steps.push_back(alter(table, "alter column " + column->sql() + " set not null"));
  return steps;
}

Steps SchemaStatements::change_identity(const Table& table) {
  std::vector<std::string> ways = {"full"};
  if (table.has_primary) ways.emplace_back("default");
  for (const auto& index : table.identity_indexes) ways.push_back("using index " + index);
  Steps steps = {alter(table, "replica identity " + dice_.pick(ways))};
  for (const auto& leaf : tables_)  // it is not handed down
    if (leaf.parent == table.sql() && steps[0].find("using") == std::string::npos &&
        dice_.percent(70))
      steps.push_back(alter(leaf, steps[0].substr(steps[0].find(" replica") + 1)));
  return steps;
}

Steps SchemaStatements::change_primary(const Table& table) {
  if (table.partitioned) return {};
  Steps steps;
  if (table.has_primary) {
    const std::string name =
        session_.value("select conname from pg_constraint where contype = 'p' and conrelid = " +
                       quote_text(table.sql()) + "::regclass");
    steps.push_back(alter(table, "drop constraint " + quote_identifier(name)));
  }
  std::vector<const Column*> numbers;
  for (const auto& column : table.columns)
    if (column.type == "integer" || column.type == "bigint") numbers.push_back(&column);
  if (numbers.empty() || (table.has_primary && dice_.percent(35))) {
    steps.push_back(alter(table, "replica identity full"));
    return steps;
  }
  const Column& key = *dice_.pick(numbers);
  const Column* more = any_column(table, true);
  const bool two = more && more != &key && more->not_null && dice_.percent(40);
  if (!key.unique)  // made unique by a rewrite, which no message tells
    steps.push_back(alter(table, "alter column " + key.sql() + " drop default, alter column " +
                                     key.sql() + " type bigint using nextval('serials')"));
  steps.push_back(
      alter(table, "add primary key (" + key.sql() + (two ? ", " + more->sql() : "") + ")"));
  if (dice_.percent(60)) steps.push_back(alter(table, "replica identity default"));
  return steps;
}

Steps SchemaStatements::change_enum() {
  const std::string label = "l" + std::to_string(dice_.between(1, 999));
  // Those that CREATE TYPE made: one that was just added is README.md's known limit.
  if (dice_.percent(50)) {
    const std::string old = session_.value(
        "select enumlabel from (select oid, enumlabel from pg_enum where enumtypid = "
        "'mood'::regtype order by oid limit 3) made order by oid offset " +
        std::to_string(dice_.between(0, 2)) + " limit 1");
    return {"alter type mood rename value " + quote_text(old) + " to '" + label + "'"};
  }
  return {"alter type mood add value '" + label + "' " +
          (dice_.percent(50) ? "before " : "after ") + quote_text(dice_.pick(labels_))};
}

}  // namespace walspout::test::storm
