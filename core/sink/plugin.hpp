// A loaded sink plugin. The only part of the host that knows Boost.DLL.
#pragma once

#include <walspout/abi.h>

#include <filesystem>
#include <string_view>

#include "sink/plugin_path.hpp"

namespace walspout::sink {

class Plugin {
 public:
  // Checks the file, loads it (all symbols resolved at once, none of them visible to other
  // plugins), and checks its descriptor; no callback is called. Throws PluginError. expected_name:
  // as for check_descriptor(). path must be absolute.
  //
  // A plugin is never unloaded: the result is valid until the process ends, and the same file gives
  // the same Plugin again, however many sinks use it. A file that was replaced after it was loaded
  // needs a new process. Threads: any.
  static const Plugin& load(const std::filesystem::path& path, std::string_view expected_name = {});

  const walspout_plugin& descriptor() const { return *descriptor_; }
  const std::filesystem::path& path() const { return path_; }

  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

 private:
  struct Registry;
  Plugin(std::filesystem::path path, const walspout_plugin* descriptor)
      : path_(std::move(path)), descriptor_(descriptor) {}

  std::filesystem::path path_;
  const walspout_plugin* descriptor_;
};

// What `plugin = name` in the configuration means: find() and load() in one.
const Plugin& load_plugin(const PluginPath& plugin_path, std::string_view name);

}  // namespace walspout::sink
