#include "names.hpp"

#include <algorithm>

namespace walspout::sqlite {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [name](const std::string& n) { return same_name(n, name); });
}

}  // namespace

std::string fold(std::string_view name) {
  std::string out(name);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

bool is_reserved(std::string_view name) {
  const std::string folded = fold(name);
  return folded.rfind("sqlite_", 0) == 0 || folded.rfind("_walspout", 0) == 0;
}

std::string table_name(std::string_view schema, std::string_view table,
                       const std::function<bool(const std::string&)>& taken) {
  std::string base;
  if (schema != "public") base.append(schema).append("_");
  base.append(table);
  // No suffix makes a sqlite_ name acceptable to SQLite: it needs something in front.
  if (fold(base).rfind("sqlite_", 0) == 0) base.insert(0, "_");
  std::string name = base;
  for (int n = 2; taken(name) || (is_reserved(name) && n == 2); ++n)
    name = base + "_" + std::to_string(n);
  return name;
}

std::string column_name(std::string_view source, const std::vector<std::string>& taken,
                        const std::vector<std::string>& sources) {
  std::string name(source);
  if (!is_reserved(name) && !contains(taken, name)) return name;
  for (int n = 2; n == 2 || contains(taken, name) || contains(sources, name); ++n)
    name = std::string(source) + "_" + std::to_string(n);
  return name;
}

std::string printable(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return out;
}

}  // namespace walspout::sqlite
