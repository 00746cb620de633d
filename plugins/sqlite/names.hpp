// How PostgreSQL's names become SQLite's (README, section Names).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace walspout::sqlite {

// SQLite compares names without regard to ASCII case.
std::string fold(std::string_view name);
bool same_name(std::string_view a, std::string_view b);

// `sqlite_...` belongs to SQLite, `_walspout...` to the mirror.
bool is_reserved(std::string_view name);

// public.T -> T, S.T -> S_T; then _2, _3, ... until the name is neither reserved nor taken.
std::string table_name(std::string_view schema, std::string_view table,
                       const std::function<bool(const std::string&)>& taken);

// The same for a column. `taken` are the names in use, `sources` the table's own column names: a
// suffixed name never takes the name of another column.
std::string column_name(std::string_view source, const std::vector<std::string>& taken,
                        const std::vector<std::string>& sources);

// A name for a log line: control characters cannot break it.
std::string printable(std::string_view name);

}  // namespace walspout::sqlite
