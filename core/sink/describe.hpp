// Help about a plugin, from the table by which its settings are checked: what `walspout plugins
// NAME` prints.
#pragma once

#include <walspout/abi.h>

#include <string>
#include <vector>

namespace walspout::sink {

struct OptionRow {
  std::string name;
  std::string type;           // "string", "path", "list of strings", ...
  std::string default_value;  // as in TOML; empty = none
  bool required = false;
  bool secret = false;
  std::string doc;
};

// In the order of the plugin's table. The descriptor must have been checked, here and below.
std::vector<OptionRow> option_rows(const walspout_plugin& plugin);

// The rows as aligned text with a heading; each line ends with a newline.
std::string option_table(const walspout_plugin& plugin);

// A [[sink]] to copy: required options with something to fill in, the others as comments with their
// defaults.
std::string sample_sink(const walspout_plugin& plugin);

// What the plugin can do and takes, in words: "keeps its position", "takes truncate", ...
std::vector<std::string> abilities(const walspout_plugin& plugin);

}  // namespace walspout::sink
