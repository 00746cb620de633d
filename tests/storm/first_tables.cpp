#include "storm/statements.hpp"

namespace walspout::test::storm {

std::string bounds(int number) {
  return "for values from (" + std::to_string(number * 1000) + ") to (" +
         std::to_string((number + 1) * 1000) + ")";
}

Steps create_statements(Dice& dice, const std::string& name) {
  static const std::vector<std::string> names = {"a", "b", "c", "d", "E", "f g", "order"};
  std::string columns;
  int count = 0;
  for (const auto& column : names)
    if (dice.percent(60)) {
      columns += ", \"" + column + "\" " + any_type(dice) + (dice.percent(15) ? " not null" : "");
      ++count;
    }
  if (count == 0) columns = ", a text";
  switch (dice.between(1, 5)) {
    case 1:  // no key: the whole row is its identity
      return {"create table " + name + " (n integer" + columns + ")",
              "alter table " + name + " replica identity full"};
    case 2:  // no key, but an index
      return {"create table " + name + " (id integer not null, n integer" + columns + ")",
              "create unique index on " + name + " (id)",
              "alter table " + name + " replica identity full"};
    case 3:
      return {"create table " + name + " (id integer, part integer" + columns +
              ", primary key (part, id))"};
    case 4:
      return {"create table " + name + " (id bigint primary key, u integer not null unique" +
              columns + ")"};
    default:
      return {"create table " + name + " (id integer primary key" + columns + ")"};
  }
}

Steps first_tables(Dice& dice) {
  Steps steps = {
      "create schema other",
      "create sequence serials",
      "create type mood as enum ('sad', 'so so', 'happy')",
      "create table wide (id integer primary key, t text, u text, v text, n integer, m mood,"
      " at timestamptz, j jsonb)",
      "create table pair (a integer, b text, c text, d numeric(10,2), primary key (b, a))",
      "create table bag (a integer, b text, c boolean)",
      "alter table bag replica identity full",
      "create table other.indexed (id integer not null, v text, w text)",
      "create unique index by_id on other.indexed (id)",
      "alter table other.indexed replica identity using index by_id",
      "create table parts (id integer primary key, v text, w text) partition by range (id)"};
  for (int number = 0; number < 3; ++number)
    steps.push_back("create table parts_" + std::to_string(number) + " partition of parts " +
                    bounds(number));
  for (const char* name : {"alpha", "beta"})
    for (const auto& step : create_statements(dice, std::string("public.") + name))
      steps.push_back(step);
  return steps;
}

}  // namespace walspout::test::storm
