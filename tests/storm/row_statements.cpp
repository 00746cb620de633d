// Inserts, updates, deletes, truncates.
#include "storm/statements.hpp"

namespace walspout::test::storm {
namespace {

// Small, and different for many of the rows of any table; a column name cannot stand in for it.
const char* const kRow = "((ctid::text::point)[1]::int)";

}  // namespace

RowStatements::RowStatements(Dice& dice, Session& session)
    : dice_(dice), tables_(read_tables(session)), values_(dice, read_labels(session, "mood")) {}

Steps RowStatements::next() {
  if (tables_.empty()) return {};
  const Table& table = dice_.pick(tables_);
  const int what = dice_.between(1, 100);
  if (what <= 30)
    return insert(table, dice_.percent(70) ? dice_.between(1, 5) : dice_.between(20, 400));
  if (what <= 60) return update(table);
  if (what <= 72) return change_keys(table);
  if (what <= 84) return remove(table);
  if (what <= 94) return upsert(table);
  return dice_.percent(60) ? truncate() : Steps{};
}

std::string RowStatements::some_rows() {
  if (dice_.percent(5)) return "";
  const int parts = dice_.percent(60) ? dice_.between(10, 40) : dice_.between(2, 5);
  return std::string(" where ") + kRow + " % " + std::to_string(parts) + " = " +
         std::to_string(dice_.between(0, parts - 1));
}

std::string RowStatements::insertion(const Table& table, int rows, int base) {
  std::string names, expressions;
  for (const auto& column : table.columns) {
    if (column.generated) continue;
    names += (names.empty() ? "" : ", ") + column.sql();
    expressions += (expressions.empty() ? "" : ", ") +
                   (column.unique ? values_.distinct(column.type, "g", base)
                                  : values_.any(column.type, "g", !column.not_null));
  }
  if (names.empty()) return "";
  return "insert into " + table.sql() + " (" + names + ") select " + expressions +
         " from generate_series(1, " + std::to_string(rows) + ") g";
}

Steps RowStatements::insert(const Table& table, int rows) {
  // Keys from a small range come back after their row was deleted, or meet one that is there.
  const int base = dice_.percent(70) ? dice_.between(0, 5000) : dice_.between(0, 10);
  const std::string text = insertion(table, rows, base);
  if (text.empty()) return {};
  return {text + (dice_.percent(80) ? " on conflict do nothing" : "")};
}

Steps RowStatements::upsert(const Table& table) {
  std::string keys, changes;
  for (const auto& column : table.columns) {
    if (column.generated) continue;
    std::string& list = column.primary ? keys : changes;
    if (column.primary)
      list += (list.empty() ? "" : ", ") + column.sql();
    else if (!column.unique && dice_.percent(60))
      list += (list.empty() ? "" : ", ") + column.sql() + " = excluded." + column.sql();
  }
  if (keys.empty() || changes.empty()) return {};
  return {insertion(table, dice_.between(1, 40), dice_.between(0, 3000)) + " on conflict (" + keys +
          ") do update set " + changes};
}

Steps RowStatements::update(const Table& table) {
  // Mostly few of the columns, so that large values of the others stay unchanged.
  std::string changes;
  for (const auto& column : table.columns)
    if (!column.generated && !column.unique && dice_.percent(35))
      changes += (changes.empty() ? "" : ", ") + column.sql() + " = " +
                 values_.any(column.type, kRow, !column.not_null);
  if (changes.empty()) return {};
  return {"update " + table.sql() + " set " + changes + some_rows()};
}

Steps RowStatements::change_keys(const Table& table) {
  for (const auto& column : table.columns) {
    if (!column.primary || (column.type != "integer" && column.type != "bigint")) continue;
    const std::string c = column.sql();
    if (dice_.percent(20))
      return {"update " + table.sql() + " set " + c + " = " + c + " + 1 where " + c +
              " = (select max(" + c + ") from " + table.sql() + ")"};
    if (dice_.percent(25))  // neighbours change places
      return {"update " + table.sql() + " set " + c + " = -1 where " + c + " = 7",
              "update " + table.sql() + " set " + c + " = 7 where " + c + " = 8",
              "update " + table.sql() + " set " + c + " = 8 where " + c + " = -1"};
    const std::string by = std::to_string(dice_.percent(50) ? dice_.between(1, 900) : 1000);
    return {"update " + table.sql() + " set " + c + " = " + c + " + " + by + some_rows()};
  }
  return {};
}

Steps RowStatements::remove(const Table& table) {
  return {"delete from " + table.sql() + some_rows()};
}

Steps RowStatements::truncate() {
  std::string list;
  for (const auto& table : tables_)
    if (!table.partition() && dice_.percent(15)) list += (list.empty() ? "" : ", ") + table.sql();
  if (list.empty()) return {};
  return {"truncate " + list + (dice_.percent(30) ? " cascade" : "")};
}

}  // namespace walspout::test::storm
