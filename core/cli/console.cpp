#include "cli/console.hpp"

#include <algorithm>
#include <cstdio>

#include "base/quote.hpp"
#include "config/load.hpp"

namespace walspout::cli {
namespace {

// One write, so that lines of several processes do not mix; what was printed before comes before.
void to_stderr(std::string line) {
  line += '\n';
  std::fflush(stdout);  // a failure stays marked in the stream, main() reports it
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_error(std::string_view text) { to_stderr("walspout: " + printable(text)); }

void print_problem(const base::Problem& problem) {
  to_stderr(printable(config::to_string(problem)));
}

void print_warning(const base::Problem& problem) {
  to_stderr("warning: " + printable(config::to_string(problem)));
}

std::string printable(std::string_view text) { return base::one_line(text); }

bool looks_like_connection_string(std::string_view text) {
  return text.find("://") != std::string_view::npos ||
         text.find("password") != std::string_view::npos ||
         (text.find('=') != std::string_view::npos && text.find(' ') != std::string_view::npos);
}

std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    text.append(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(widths[i] - row[i].size() + 2, ' ');
    }
    text += '\n';
  }
  return text;
}

}  // namespace walspout::cli
