// What to say when the role may not read a table, for this folder.
#pragma once

#include "postgres/catalogue.hpp"
#include "postgres/connection.hpp"

namespace walspout::postgres {

// The role of the connection, as SQL.
std::string role_of(const Connection& conn);

Refused row_security_refusal(const Connection& conn, const PublishedTable& table);
Refused missing_select_refusal(const Connection& conn, const PublishedTable& table,
                               const SqlError& error);

}  // namespace walspout::postgres
