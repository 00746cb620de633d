// What the user typed. Its implementation is the only place that knows CLI11.
#pragma once

#include <string>
#include <vector>

namespace walspout::cli {

enum class Verb {
  kNone,
  kRun,
  kCheck,
  kSetup,
  kTeardown,
  kStatus,
  kPlugins,
  kTail,
  kResync,
  kPause,
  kResume,
  kVerify,
  kVersion
};

struct Arguments {
  Verb verb = Verb::kNone;  // kNone: everything is done, leave with exit_status
  int exit_status = 0;

  std::string file;                 // of every verb but plugins and version
  bool until_caught_up = false;     // run
  std::string plugin;               // plugins: empty = all
  bool json = false;                // plugins, status
  std::string url;                  // tail: secret
  std::vector<std::string> tables;  // tail, resync, verify: patterns
  std::string sink;                 // pause, resume; resync, verify: empty = all
  bool repair = false;              // verify
  std::string wait;                 // verify: a duration; empty = the default
};

// Prints help and errors of usage itself. What looks like a connection string is never printed.
Arguments parse_arguments(int argc, const char* const* argv);

// Overwrites connection strings in argv, for the list of processes to show no password.
void hide_secrets(int argc, char** argv);

}  // namespace walspout::cli
