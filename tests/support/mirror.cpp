#include "support/mirror.hpp"

#include <filesystem>

namespace walspout::test {

bool Mirror::has_map() const {
  return file_.integer("select count(*) from sqlite_master where name = '_walspout_tables'") == 1;
}

std::string Mirror::table_name(const std::string& schema, const std::string& table) const {
  if (!has_map()) return "";
  return file_.text("select mirror_table from _walspout_tables where source_schema = " +
                    quote_text(schema) + " and source_table = " + quote_text(table));
}

std::string Mirror::state(const std::string& schema, const std::string& table) const {
  if (!has_map()) return "";
  return file_.text("select state from _walspout_tables where source_schema = " +
                    quote_text(schema) + " and source_table = " + quote_text(table));
}

std::string Mirror::column_name(const std::string& mirror_table, const std::string& column) const {
  return file_.text("select mirror_column from _walspout_columns where mirror_table = " +
                    quote_text(mirror_table) + " and source_column = " + quote_text(column));
}

std::vector<std::string> Mirror::tables() const {
  std::vector<std::string> names;
  if (!has_map()) return names;
  for (const auto& row :
       file_.query("select source_schema || '.' || source_table from _walspout_tables order by 1"))
    names.push_back(std::get<std::string>(row[0]));
  return names;
}

std::int64_t Mirror::count(const std::string& table) const {
  const std::string name = table_name("public", table);
  if (name.empty()) return 0;
  if (file_.integer("select count(*) from sqlite_master where name = " + quote_text(name)) == 0)
    return 0;
  return file_.integer("select count(*) from " + quote_identifier(name));
}

std::int64_t mirror_count(const std::string& path, const std::string& table) {
  if (!std::filesystem::exists(path)) return 0;
  return Mirror(path).count(table);
}

}  // namespace walspout::test
