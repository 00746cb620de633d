#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/source.hpp"
#include "cli/verbs.hpp"
#include "log/log.hpp"
#include "pipeline/rule_check.hpp"
#include "pipeline/sinks.hpp"
#include "pipeline/source.hpp"
#include "postgres/catalogue.hpp"
#include "postgres/preflight.hpp"
#include "sink/host_functions.hpp"

namespace walspout::cli {
namespace {

using Severity = postgres::Finding::Severity;

// Looks, but creates nothing: the nearest folder that is there must take a new one.
void check_state_directory(const config::Config& config, base::Problems& problems) {
  std::filesystem::path folder = config.state.directory;
  std::error_code error;
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  const std::string shown = folder.string();
  if (!std::filesystem::is_directory(folder, error)) {
    problems.push_back({{config.file, 0, 0},
                        "the state directory cannot be made, as " + shown +
                            " is no folder; set directory under [state]"});
  } else if (access(folder.c_str(), W_OK | X_OK) != 0) {
    problems.push_back({{config.file, 0, 0},
                        "the state directory cannot be made or written, as this user may not "
                        "write to " +
                            shown + "; give it the right, or set directory under [state]"});
  }
}

// Asks the plugin itself, if it has an answer. Returns what it says, or nothing if all is well.
std::optional<std::string> ask_plugin(const config::Config& config, const PreparedSink& sink,
                                      bool& for_good) {
  const walspout_plugin& plugin = sink.plugin->descriptor();
  if (plugin.check == nullptr) return std::nullopt;
  sink::HostFunctions host(sink.config->name, [] {});
  const std::string state = (config.state.directory / sink.config->name).string();
  walspout_open_args args{};
  args.struct_size = sizeof args;
  args.host = &host.abi();
  args.pipeline = config.host.name.c_str();
  args.sink = sink.config->name.c_str();
  args.state_dir = state.c_str();
  args.settings = sink.settings.settings().data();
  args.setting_count = static_cast<std::uint32_t>(sink.settings.settings().size());
  walspout_error error{};
  error.struct_size = sizeof error;
  const walspout_status status = plugin.check(&args, &error);
  if (status == WALSPOUT_OK) return std::nullopt;
  error.message[sizeof error.message - 1] = '\0';
  for_good = status != WALSPOUT_RETRY && status != WALSPOUT_REOPEN;
  const std::string text = error.message;
  return text.empty() ? "the plugin reports status " + std::to_string(status) : text;
}

std::string planned(const std::string& name, const postgres::Preflight& source, bool exists) {
  if (source.server_version == 0) return printable(name);
  return printable(name) + (exists ? " (exists)" : " (will be created)");
}

void print_summary(const config::Config& config, const std::vector<PreparedSink>& sinks,
                   const postgres::Preflight& source) {
  std::vector<std::vector<std::string>> rows;
  std::string server;
  if (source.server_version != 0) {
    server = fmt::format(", PostgreSQL {}.{}", source.server_version / 10000,
                         source.server_version % 10000);
  }
  rows.push_back({"source", printable(source.where) + server});
  rows.push_back({"slot", config.source.temporary
                              ? "temporary, with a random name"
                              : planned(config.source.slot, source, source.slot_exists)});
  rows.push_back(
      {"publication", planned(config.source.publication, source, source.publication_exists)});
  rows.push_back({"state", printable(config.state.directory.string())});
  rows.push_back({"tables", std::to_string(source.tables.size())});
  print(columns(rows));
  rows.clear();
  for (const postgres::CheckedTable& table : source.tables) {
    rows.push_back({printable(table.name), printable(table.key)});
  }
  print(columns(rows, 2));
  print(fmt::format("sinks        {}\n", config.sinks.size()));
  rows.clear();
  for (const config::Sink& sink : config.sinks) {
    const auto prepared = std::find_if(sinks.begin(), sinks.end(),
                                       [&](const PreparedSink& p) { return p.config == &sink; });
    if (prepared == sinks.end()) {
      rows.push_back({sink.name, printable(sink.plugin), "not loaded"});
      continue;
    }
    const walspout_plugin& plugin = prepared->plugin->descriptor();
    rows.push_back({sink.name, fmt::format("{} {}", plugin.name, plugin.version),
                    printable(prepared->plugin->path().string())});
  }
  print(columns(rows, 2));
}

// Nothing before there is a publication: then its tables are those that match the source's
// patterns.
std::vector<RuleFinding> look_at_rules(const config::Config& config,
                                       const std::vector<PreparedSink>& sinks,
                                       const postgres::Preflight& source, StopSignal& stop) {
  if (!source.publication_exists) return {};
  const postgres::Interrupt interrupt(stop.fd());
  try {
    const auto connection = connect_ordinary(config, interrupt);
    // One that could not be loaded has patterns all the same.
    std::vector<RuledSink> ruled;
    for (const config::Sink& sink : config.sinks) {
      const auto prepared = std::find_if(sinks.begin(), sinks.end(),
                                         [&](const PreparedSink& p) { return p.config == &sink; });
      constexpr std::uint64_t kEverything = ~std::uint64_t{0};
      ruled.push_back(prepared == sinks.end() ? RuledSink{&sink, sink.plugin, 0, kEverything, 0}
                                              : ruled_sink(*prepared));
    }
    return check_rules(ruled, read_published(*connection, config.source.publication, interrupt));
  } catch (const std::runtime_error& error) {
    return {{false, std::string("the sinks' rules could not be checked: ") + error.what()}};
  }
}

}  // namespace

int check(const Arguments& arguments, StopSignal& stop) {
  const auto config = load_configuration(arguments.file);
  if (!config) return kUsage;
  log::configure(config->log.level, config->log.format);

  base::Problems problems;
  const std::vector<PreparedSink> sinks = prepare_sinks(*config, problems);
  check_state_directory(*config, problems);
  if (problems.empty()) {  // only then are the settings whole
    for (const PreparedSink& sink : sinks) {
      bool for_good = true;
      const auto text = ask_plugin(*config, sink, for_good);
      if (!text) continue;
      const base::Problem problem{sink.config->at, "sink " + sink.config->name + ": " + *text};
      if (for_good) {
        problems.push_back(problem);
      } else {
        print_warning(problem);
      }
    }
  }
  for (const base::Problem& problem : problems) print_problem(problem);

  const postgres::Preflight source = look_at_source(*config, stop);
  print_findings(source.findings);
  for (const RuleFinding& finding : look_at_rules(*config, sinks, source, stop)) {
    if (finding.error) {
      problems.push_back({base::Location{config->file, 0, 0}, finding.text});
      print_problem(problems.back());
    } else {
      print_warning({base::Location{config->file, 0, 0}, finding.text});
    }
  }
  print_summary(*config, sinks, source);
  const auto errors = static_cast<std::size_t>(
      std::count_if(source.findings.begin(), source.findings.end(),
                    [](const auto& finding) { return finding.severity == Severity::kError; }));
  if (!problems.empty() || errors != 0) {
    print_error(
        fmt::format("{} is not ready: {} wrong in the configuration, {} at the source; "
                    "mend them and check again",
                    arguments.file, problems.size(), errors));
  } else {
    print(fmt::format("\n{} is ready to run\n", printable(arguments.file)));
  }
  if (!problems.empty()) return kUsage;
  return errors == 0 ? kDone : kSourceRefuses;
}

}  // namespace walspout::cli
