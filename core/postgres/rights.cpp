#include "postgres/rights.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include "postgres/quote.hpp"

namespace walspout::postgres {

std::string role_of(const Connection& conn) {
  const char* user = PQuser(conn.raw());
  return quote_identifier(user == nullptr ? "" : user);
}

Refused row_security_refusal(const Connection& conn, const PublishedTable& table) {
  return Refused(fmt::format(
      "table {} has row level security, which would hide rows from its copy: as a superuser run "
      "ALTER ROLE {} BYPASSRLS",
      table.full_name(), role_of(conn)));
}

Refused missing_select_refusal(const Connection& conn, const PublishedTable& table,
                               const SqlError& error) {
  return Refused(fmt::format(
      "table {} may not be read: {}; run GRANT USAGE ON SCHEMA {} TO {}; GRANT SELECT ON {} TO {}",
      table.full_name(), error.what(), quote_identifier(table.schema), role_of(conn),
      quote_table(table.schema, table.name), role_of(conn)));
}

}  // namespace walspout::postgres
