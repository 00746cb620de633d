// What goes to the terminal: results on standard output, errors on standard error in one line each.
#pragma once

#include <string>
#include <string_view>

#include "base/raw_option.hpp"

namespace walspout::cli {

// Buffered; main() flushes and reports a failure to write.
void print(std::string_view text);

// "walspout: text"
void print_error(std::string_view text);
// "shop.toml:3:1: text", or "warning: shop.toml:3:1: text"
void print_problem(const base::Problem& problem);
void print_warning(const base::Problem& problem);

// The text with control characters as ?, for it to stay one line and send nothing to the terminal.
std::string printable(std::string_view text);

// A URL or key=value text: may hold a password, must not be printed.
bool looks_like_connection_string(std::string_view text);

// Rows as aligned columns, two blanks between them, each line indented by `indent` blanks.
std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t indent = 0);

}  // namespace walspout::cli
