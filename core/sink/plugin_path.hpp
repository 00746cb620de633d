// Where plugins are looked for. Never the working directory and never LD_LIBRARY_PATH: what a host
// loads must not depend on where it was started.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace walspout::sink {

// A plugin that cannot be found, checked or loaded. what() is one line: which file, what is wrong
// with it, what to do.
struct PluginError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// True for what a plugin may be called: [a-z0-9_-]+.
bool is_plugin_name(std::string_view name);

class PluginPath {
 public:
  // environment: the value of WALSPOUT_PLUGIN_PATH, or NULL: folders separated by colons; an empty
  // entry is skipped, a relative one throws PluginError. configured: [host] plugin_path, made
  // absolute already. installed: what is looked in last.
  PluginPath(const char* environment, const std::vector<std::filesystem::path>& configured,
             const std::vector<std::filesystem::path>& installed);

  // For this process: its environment, the configuration's folders, the installed folder, and
  // `plugins` beside the running executable (a build folder that was not installed).
  static PluginPath of_process(const std::vector<std::filesystem::path>& configured);

  // The file for `plugin = name`. A name with a slash is a path (made absolute already) and is
  // given back as it is; any other is the first NAME.so on the path. Throws PluginError, which
  // lists where was looked.
  std::filesystem::path find(std::string_view name) const;

  struct Candidate {
    std::string name;
    std::filesystem::path path;
  };
  struct Listing {
    std::vector<Candidate> plugins;     // sorted by name
    std::vector<std::string> problems;  // folders that are there and cannot be read
  };
  // Everything that find() would find. Files are named only, not opened.
  Listing list() const;

  // In the order they are looked in, without repetitions.
  const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  void add(std::filesystem::path folder);

  std::vector<std::filesystem::path> folders_;
};

}  // namespace walspout::sink
