// Everything that stands in the way of a start, found in one pass, without creating anything.
#pragma once

#include <string>
#include <vector>

#include "base/table_pattern.hpp"
#include "postgres/catalogue.hpp"
#include "postgres/connection.hpp"

namespace walspout::postgres {

struct Finding {
  enum class Severity { kError, kWarning, kNote };
  Severity severity = Severity::kError;
  std::string object;  // "wal_level", "table public.orders", "slot walspout"
  std::string text;    // what is wrong, one line
  std::string remedy;  // the exact SQL or setting, or empty
};

struct PreflightOptions {
  std::string url;
  std::string slot;
  std::string publication;
  base::TablePatterns patterns;
  bool temporary = false;  // the slot is made under a random name
  bool copies = true;      // tables will be copied: SELECT is needed
};

struct CheckedTable {
  std::string name;  // "public.orders"
  std::string key;   // "primary key (id)", "replica identity full", "no key"
};

struct Preflight {
  std::vector<Finding> findings;  // errors first
  bool slot_exists = false;
  bool publication_exists = false;
  int server_version = 0;  // 0 = could not connect
  std::string where;       // host, port, database, user
  std::vector<CheckedTable> tables;

  bool ok() const;  // no error among the findings
};

// Throws only Interrupted.
Preflight preflight(const PreflightOptions& options, const Interrupt& interrupt);

}  // namespace walspout::postgres
