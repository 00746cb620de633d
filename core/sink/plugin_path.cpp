#include "sink/plugin_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <system_error>

#include "base/quote.hpp"

namespace walspout::sink {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSuffix = ".so";

// "exists" in the sense of find(): something has this name. What it is, check_elf() says.
bool is_there(const fs::path& file) {
  std::error_code error;
  return fs::exists(fs::symlink_status(file, error));
}

}  // namespace

bool is_plugin_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

PluginPath::PluginPath(const char* environment, const std::vector<fs::path>& configured,
                       const std::vector<fs::path>& installed) {
  std::string_view rest = environment == nullptr ? "" : environment;
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
    if (entry.empty()) continue;
    if (entry.front() != '/') {
      throw PluginError(
          fmt::format("WALSPOUT_PLUGIN_PATH has the relative folder {}, which would depend on "
                      "where the host is "
                      "started; write it from the root",
                      base::quoted(entry)));
    }
    add(fs::path(entry));
  }
  for (const fs::path& folder : configured) add(folder);
  for (const fs::path& folder : installed) add(folder);
}

PluginPath PluginPath::of_process(const std::vector<fs::path>& configured) {
  std::vector<fs::path> installed = {WALSPOUT_PLUGIN_FOLDER};
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (!error) installed.push_back(self.parent_path() / "plugins");
  return PluginPath(std::getenv("WALSPOUT_PLUGIN_PATH"), configured, installed);
}

void PluginPath::add(fs::path folder) {
  folder = folder.lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // "/plugins/" is "/plugins"
  if (std::find(folders_.begin(), folders_.end(), folder) == folders_.end())
    folders_.push_back(std::move(folder));
}

fs::path PluginPath::find(std::string_view name) const {
  if (name.find('/') != std::string_view::npos) return fs::path(name);
  if (!is_plugin_name(name)) {
    throw PluginError(fmt::format(
        "{} is no plugin name; a name is made of a-z, 0-9, _ and -, a path to a file has a slash",
        base::quoted(name)));
  }
  std::string looked;
  for (const fs::path& folder : folders_) {
    fs::path file = folder / fmt::format("{}{}", name, kSuffix);
    if (is_there(file)) return file;
    if (!looked.empty()) looked += ", ";
    looked += base::one_line(folder.native());
  }
  throw PluginError(
      fmt::format("plugin {} was not found; looked for {}{} in {}; add its folder to "
                  "WALSPOUT_PLUGIN_PATH or to plugin_path under [host]",
                  base::quoted(name), name, kSuffix, looked.empty() ? "no folder" : looked));
}

PluginPath::Listing PluginPath::list() const {
  std::map<std::string, fs::path> first;
  Listing listing;
  for (const fs::path& folder : folders_) {
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
      const fs::path& file = entries->path();
      const std::string stem = file.stem().native();
      if (file.extension() == kSuffix && is_plugin_name(stem)) first.try_emplace(stem, file);
    }
    if (error && error != std::errc::no_such_file_or_directory) {
      listing.problems.push_back(fmt::format("cannot read the plugin folder {}: {}",
                                             base::one_line(folder.native()), error.message()));
    }
  }
  for (auto& [name, path] : first) listing.plugins.push_back({name, std::move(path)});
  return listing;
}

}  // namespace walspout::sink
