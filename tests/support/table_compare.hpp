// Is the mirror equal to the source, row for row?
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "support/mirror.hpp"
#include "support/postgres_server.hpp"
#include "support/wait.hpp"

namespace walspout::test {

struct PublishedTable {
  std::string schema, name;
  std::string row_filter;  // SQL condition; "" for none
  std::vector<std::string> columns;
};

// What a publication publishes, as pg_publication_tables has it.
std::vector<PublishedTable> published_tables(const PostgresServer& server, const std::string& db,
                                             const std::string& publication);

// "" when the mirror's table holds exactly the source's published rows (a multiset: order does not
// matter, duplicates do); else one line with the counts and the first differing rows.
// `numeric` is the sink's option of that name.
std::string difference(const PostgresServer& server, const std::string& db, const Mirror& mirror,
                       const PublishedTable& table, const std::string& numeric = "auto");

// The same over all published tables; `except` names tables ("schema.table") to leave out. A table
// without rows need not exist in the mirror.
std::string mirror_difference(const PostgresServer& server, const std::string& db,
                              const std::string& publication, const std::string& mirror_path,
                              const std::vector<std::string>& except = {},
                              const std::string& numeric = "auto");

// What `difference` says at the end of `timeout`, or "" as soon as it says so. A table that changes
// its shape while it is read counts as a difference.
std::string difference_in_the_end(Seconds timeout, const std::function<std::string()>& difference);

}  // namespace walspout::test
