#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/verbs.hpp"
#include "log/log.hpp"
#include "pipeline/sinks.hpp"

namespace walspout::cli {

int run(const Arguments& arguments, StopSignal& stop) {
  const auto config = load_configuration(arguments.file);
  if (!config) return kUsage;
  log::configure(config->log.level, config->log.format);

  // What `check` refuses is refused here as well, in the same lines and before connecting.
  base::Problems problems;
  prepare_sinks(*config, problems);
  for (const base::Problem& problem : problems) print_problem(problem);
  if (!problems.empty()) return kUsage;

  RunOptions options;
  options.until_caught_up = arguments.until_caught_up;
  return run_pipeline(*config, options, stop);
}

}  // namespace walspout::cli
