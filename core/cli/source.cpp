#include "cli/source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console.hpp"

namespace walspout::cli {

postgres::Preflight look_at_source(const config::Config& config, StopSignal& stop) {
  postgres::PreflightOptions options;
  options.url = config.source.url;
  options.slot = config.source.slot;
  options.publication = config.source.publication;
  options.patterns = config.source.tables;
  options.temporary = config.source.temporary;
  options.copies =
      std::any_of(config.sinks.begin(), config.sinks.end(), [&](const config::Sink& sink) {
        return sink.snapshot == config::SinkSnapshot::kInitial ||
               (sink.snapshot == config::SinkSnapshot::kInherit &&
                config.source.snapshot == config::Snapshot::kInitial);
      });
  return postgres::preflight(options, postgres::Interrupt(stop.fd()));
}

void print_findings(const std::vector<postgres::Finding>& findings) {
  using Severity = postgres::Finding::Severity;
  for (const postgres::Finding& finding : findings) {
    const char* word = finding.severity == Severity::kError     ? "error"
                       : finding.severity == Severity::kWarning ? "warning"
                                                                : "note";
    print(fmt::format("{}: {}: {}\n", word, printable(finding.object), printable(finding.text)));
    if (!finding.remedy.empty()) print(fmt::format("  mend: {}\n", printable(finding.remedy)));
  }
  if (!findings.empty()) print("\n");
}

}  // namespace walspout::cli
