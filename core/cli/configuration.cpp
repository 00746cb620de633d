#include "cli/configuration.hpp"

#include <utility>

#include "cli/console.hpp"
#include "config/load.hpp"
#include "postgres/connection.hpp"

namespace walspout::cli {

std::optional<config::Config> load_configuration(const std::string& file) {
  if (looks_like_connection_string(file)) {
    print_error(
        "FILE looks like a connection string; give a TOML file with it as url under [source]");
    return std::nullopt;
  }
  config::LoadResult result = config::load(file);
  if (result.config) {
    if (const auto problem = postgres::url_problem(result.config->source.url)) {
      result.problems.push_back({result.config->source.url_at, *problem});
    }
  }
  for (const base::Problem& warning : result.warnings) print_warning(warning);
  for (const base::Problem& problem : result.problems) print_problem(problem);
  if (!result.problems.empty()) return std::nullopt;
  return std::move(result.config);
}

}  // namespace walspout::cli
