#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "base/nearest.hpp"
#include "cli/console.hpp"
#include "config/redact.hpp"
#include "pipeline/pipeline.hpp"

namespace walspout::cli {
namespace {

constexpr std::array<std::string_view, 12> kVerbs = {"run",    "check",   "setup",  "teardown",
                                                     "status", "plugins", "tail",   "resync",
                                                     "pause",  "resume",  "verify", "version"};
// Planned; they neither work nor show up in the help yet.
constexpr std::array<std::string_view, 2> kLater = {"dead-letters", "new-sink"};

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A word that is no verb; nothing to do when it is one, or an option.
bool refuse_verb(std::string_view word) {
  if (word.starts_with('-') || contains(kVerbs, word)) return false;
  if (contains(kLater, word)) {
    print_error("`" + std::string(word) +
                "` is not available in this version; `walspout --help` lists what is");
  } else if (looks_like_connection_string(word)) {
    print_error("the first word must be a command; `walspout --help` lists them");
  } else {
    const auto near = base::nearest(word, kVerbs);
    print_error(
        "unknown command `" + printable(word) + "`; " +
        (near ? "did you mean `" + std::string(*near) + "`?" : "`walspout --help` lists them"));
  }
  return true;
}

CLI::App* add_file_verb(CLI::App& app, const char* name, const char* text, std::string& file) {
  CLI::App* verb = app.add_subcommand(name, text);
  verb->add_option("FILE", file, "The configuration, a TOML file")->required()->type_name("");
  return verb;
}

// CLI11's message on one line, without what the user typed if that may hold a password.
std::string usage_error(const CLI::ParseError& error, int argc, const char* const* argv) {
  std::string text = error.what();
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!looks_like_connection_string(word)) continue;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word)) {
      text.replace(at, word.size(), "***");
    }
  }
  return printable(text);
}

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv) {
  Arguments arguments;
  if (argc > 1 && refuse_verb(argv[1])) {
    arguments.exit_status = kUsage;
    return arguments;
  }

  CLI::App app{"walspout: change data capture from PostgreSQL into sinks"};
  app.name("walspout");
  app.require_subcommand(0, 1);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND [ARGUMENTS]");
  app.get_formatter()->label("REQUIRED", "");
  app.footer(
      "Exit status: 0 done, 1 failure, 2 configuration or usage, 3 the source refuses.\n"
      "`walspout COMMAND --help` tells about a command.");
  bool version = false;
  app.add_flag("--version", version, "The same as the command `version`");

  CLI::App* run = add_file_verb(
      app, "run", "Run the pipeline until SIGTERM or SIGINT, which flush, confirm and end it",
      arguments.file);
  run->add_flag("--until-caught-up", arguments.until_caught_up,
                "End once everything committed before the start is durable in every sink");
  CLI::App* check = add_file_verb(
      app, "check", "Look for everything that would hinder a run, and say what mends it",
      arguments.file);
  CLI::App* setup =
      add_file_verb(app, "setup", "Create the publication and the slot", arguments.file);
  CLI::App* teardown =
      add_file_verb(app, "teardown", "Drop the slot and the publication", arguments.file);

  CLI::App* status = add_file_verb(
      app, "status", "Tell how the running host and its sinks are, and what the slot retains",
      arguments.file);
  status->add_flag("--json", arguments.json, "As JSON");

  CLI::App* plugins = app.add_subcommand("plugins", "List the sink plugins and their options");
  plugins->add_option("NAME", arguments.plugin, "Options of this one, and a [[sink]] to copy")
      ->type_name("");
  plugins->add_flag("--json", arguments.json, "As JSON");

  CLI::App* tail = app.add_subcommand("tail", "Print changes as they happen; nothing is consumed");
  CLI::Option* file = tail->add_option("FILE", arguments.file, "The configuration, a TOML file");
  CLI::Option* url = tail->add_option("--url", arguments.url,
                                      "Where to connect, in place of FILE, as libpq takes it");
  file->type_name("");
  url->type_name("URL")->excludes(file);
  tail->add_option("--table", arguments.tables,
                   "Pattern of tables, as in 'public.*'; more than once for more")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  CLI::App* resync = add_file_verb(
      app, "resync", "Copy tables anew while the rest goes on, or at the next run", arguments.file);
  resync
      ->add_option("TABLE", arguments.tables,
                   "Pattern of tables, as in 'public.*'; without any, all tables")
      ->type_name("");
  resync->add_option("--sink", arguments.sink, "Into this sink alone")->type_name("NAME");
  CLI::App* pause =
      add_file_verb(app, "pause", "Give a sink nothing until `resume`", arguments.file);
  CLI::App* resume =
      add_file_verb(app, "resume", "Let a sink go on, and try at once what failed", arguments.file);
  for (CLI::App* verb : {pause, resume})
    verb->add_option("SINK", arguments.sink, "The sink's name")->required()->type_name("");
  CLI::App* verify = add_file_verb(
      app, "verify", "Compare source and sinks row by row, at one position, while all goes on",
      arguments.file);
  verify
      ->add_option("TABLE", arguments.tables,
                   "Pattern of tables, as in 'public.*'; without any, all tables")
      ->type_name("");
  verify->add_option("--sink", arguments.sink, "This sink alone")->type_name("NAME");
  verify->add_flag("--repair", arguments.repair,
                   "Have the running host mend exactly the rows that differ");
  verify
      ->add_option("--wait", arguments.wait,
                   "How long a sink may take to come up to the source, 30s by default")
      ->type_name("DURATION");
  CLI::App* version_verb =
      app.add_subcommand("version", "Print the versions of walspout and its libraries");

  for (CLI::App* verb : app.get_subcommands({})) verb->group("Commands");

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    app.exit(help);  // prints the help that was asked for
    return arguments;
  } catch (const CLI::ParseError& error) {
    print_error(usage_error(error, argc, argv) + "; see `walspout --help`");
    arguments.exit_status = kUsage;
    return arguments;
  }

  const std::pair<CLI::App*, Verb> verbs[] = {
      {run, Verb::kRun},       {check, Verb::kCheck},       {setup, Verb::kSetup},
      {status, Verb::kStatus}, {teardown, Verb::kTeardown}, {tail, Verb::kTail},
      {resync, Verb::kResync}, {verify, Verb::kVerify},     {pause, Verb::kPause},
      {resume, Verb::kResume}, {plugins, Verb::kPlugins},   {version_verb, Verb::kVersion}};
  for (const auto& [app_of_verb, verb] : verbs) {
    if (app_of_verb->parsed()) arguments.verb = verb;
  }
  if (arguments.verb == Verb::kNone && version) arguments.verb = Verb::kVersion;
  if (arguments.verb == Verb::kTail && arguments.file.empty() && arguments.url.empty()) {
    print_error("`tail` needs a FILE or --url URL; see `walspout tail --help`");
    arguments.verb = Verb::kNone;
    arguments.exit_status = kUsage;
  } else if (arguments.verb == Verb::kNone) {
    std::fputs(app.help().c_str(), stderr);
    arguments.exit_status = kUsage;
  }
  return arguments;
}

void hide_secrets(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::size_t size = std::strlen(argv[i]);
    if (!looks_like_connection_string({argv[i], size})) continue;
    std::string_view word(argv[i], size);
    constexpr std::string_view kOption = "--url=";
    const std::string prefix(word.starts_with(kOption) ? kOption : "");
    word.remove_prefix(prefix.size());
    std::string shown = prefix + config::redact_url(word);
    shown.resize(size, '\0');
    std::memcpy(argv[i], shown.data(), size);
  }
}

}  // namespace walspout::cli
