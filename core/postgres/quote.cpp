#include "postgres/quote.hpp"

namespace walspout::postgres {

namespace {

std::string quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  out += quote;
  return out;
}

}  // namespace

std::string quote_identifier(std::string_view name) { return quoted(name, '"'); }

std::string quote_literal(std::string_view text) { return quoted(text, '\''); }

std::string quote_table(std::string_view schema, std::string_view table) {
  return quote_identifier(schema) + "." + quote_identifier(table);
}

std::string quote_publication_names(const std::vector<std::string>& names) {
  std::string list;
  for (const auto& name : names) {
    if (!list.empty()) list += ",";
    list += quote_identifier(name);
  }
  return quote_literal(list);
}

}  // namespace walspout::postgres
