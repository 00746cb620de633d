// The DDL of whole tables and of partitions.
#include <algorithm>

#include "storm/statements.hpp"
#include "support/sqlite_file.hpp"

namespace walspout::test::storm {
namespace {

const std::vector<std::string> kNames = {"alpha",    "beta", "gamma", "delta",
                                         "Eps ilon", "zeta", "ALPHA"};

std::string qualified(const std::string& name) { return "public." + quote_identifier(name); }

}  // namespace

Steps SchemaStatements::rename_table(const Table& table) {
  const std::string& name = dice_.pick(kNames);
  return {"alter table " + table.sql() + " rename to " + quote_identifier(name)};
}

Steps SchemaStatements::swap_tables(const Table& table) {
  const Table& other = *dice_.pick(roots());
  if (&other == &table || other.schema != table.schema) return {};
  const std::string schema = quote_identifier(table.schema) + ".";
  return {"alter table " + table.sql() + " rename to swapping",
          "alter table " + other.sql() + " rename to " + quote_identifier(table.name),
          "alter table " + schema + "swapping rename to " + quote_identifier(other.name)};
}

Steps SchemaStatements::drop_table(const Table& table) { return {"drop table " + table.sql()}; }

Steps SchemaStatements::drop_and_create(const Table& table) {
  if (table.partitioned) return {};
  Steps steps = {"drop table " + table.sql()};
  for (auto& step : create_statements(dice_, table.sql())) steps.push_back(std::move(step));
  return steps;
}

Steps SchemaStatements::create_table() {
  return create_statements(dice_, qualified(dice_.pick(kNames)));
}

Steps SchemaStatements::change_partition() {
  std::vector<const Table*> partitioned, leaves;
  for (const auto& table : tables_) {
    if (table.partitioned) partitioned.push_back(&table);
    if (table.partition()) leaves.push_back(&table);
  }
  if (partitioned.empty())
    return {"create table parts (id integer primary key, v text, w text) partition by range (id)",
            "create table parts_0 partition of parts " + bounds(0)};
  const Table& root = *dice_.pick(partitioned);
  const int what = dice_.between(1, 7);
  if (what <= 1 || leaves.empty()) return create_partition(root);
  if (what == 2) return attach_new(root);
  if (what == 3) return attach_old(root);
  const Table& leaf = *dice_.pick(leaves);
  if (what == 4) return {"drop table " + leaf.sql()};
  if (what == 5) return {"truncate " + leaf.sql()};
  return {"alter table " + leaf.parent + " detach partition " + leaf.sql()};
}

Steps SchemaStatements::create_partition(const Table& root) {
  const int number = dice_.between(0, 6);
  return {"create table " + qualified("parts_" + std::to_string(number)) + " partition of " +
          root.sql() + " " + bounds(number)};
}

Steps SchemaStatements::attach_new(const Table& root) {
  const int number = dice_.between(0, 6);
  const std::string name = qualified("parts_" + std::to_string(number));
  std::vector<Column> columns = root.columns;
  if (dice_.percent(50)) std::reverse(columns.begin(), columns.end());
  std::string list, values;
  for (const auto& column : columns) {
    list += (list.empty() ? "" : ", ") + column.sql() + " " + column.type +
            (column.not_null ? " not null" : "");
    values += (values.empty() ? "" : ", ") +
              (column.unique ? values_.distinct(column.type, "g", number * 1000 + 500)
                             : values_.any(column.type, "g", !column.not_null));
  }
  return {"create table " + name + " (" + list + ")",
          "insert into " + name + " select " + values + " from generate_series(0, " +
              std::to_string(dice_.between(0, 60)) + ") g",
          "alter table " + root.sql() + " attach partition " + name + " " + bounds(number)};
}

Steps SchemaStatements::attach_old(const Table& root) {
  for (const auto& table : tables_)
    if (table.name.rfind("parts_", 0) == 0 && !table.partition())
      return {"alter table " + root.sql() + " attach partition " + table.sql() + " " +
              bounds(table.name.back() - '0')};
  return {};
}

}  // namespace walspout::test::storm
