// [sink.options] as the user wrote it, against the option table of the plugin: types, required
// options, unknown ones, defaults. What comes out is what the plugin's open() is given.
#pragma once

#include <walspout/abi.h>

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/arena.hpp"
#include "base/raw_option.hpp"

namespace walspout::sink {

class ResolvedSettings {
 public:
  // In the order of the plugin's option table; a list is several of one name, a table's entries are
  // named "option.key". Valid as long as this object, moves included.
  std::span<const walspout_setting> settings() const { return settings_; }

  // The same for a log: name and value, with secrets (and passwords inside URLs) as "***".
  std::vector<std::pair<std::string, std::string>> redacted() const;

 private:
  friend class Resolver;
  base::Arena memory_;
  std::vector<walspout_setting> settings_;
  std::vector<bool> secret_;  // one a setting
};

// raw: the entries of [sink.options], with ${env:...} replaced. sink_at: the sink's place in the
// file, for what is missing. folder: the configuration file's, for relative paths of WALSPOUT_PATH
// options. Every mistake is appended to problems; if there are any the result is not to be used. No
// value of a secret option is ever part of a problem. The descriptor must have been checked.
ResolvedSettings resolve(const walspout_plugin& plugin, const std::vector<base::RawOption>& raw,
                         const base::Location& sink_at, const std::filesystem::path& folder,
                         base::Problems& problems);

}  // namespace walspout::sink
