// Names and strings as parts of SQL and of replication commands. Independent of any connection and
// of its settings: every connection here has standard_conforming_strings on and speaks UTF-8.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace walspout::postgres {

std::string quote_identifier(std::string_view name);  // a"b -> "a""b", always with quotes
std::string quote_literal(std::string_view text);     // it's -> 'it''s'; backslashes stay

// "schema"."table"
std::string quote_table(std::string_view schema, std::string_view table);

// For pgoutput's option publication_names: each name in double quotes, the list as one literal.
std::string quote_publication_names(const std::vector<std::string>& names);

}  // namespace walspout::postgres
