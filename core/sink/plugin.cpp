#include "sink/plugin.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <boost/dll/shared_library.hpp>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "base/quote.hpp"
#include "log/log.hpp"
#include "sink/descriptor.hpp"
#include "sink/elf_file.hpp"

namespace walspout::sink {
namespace fs = std::filesystem;

namespace {

std::string refusal(const fs::path& path, std::string_view finding) {
  return fmt::format("plugin {} {}", base::one_line(path.native()), base::one_line(finding));
}

// Boost.DLL's text is "load() failed (dlerror system message: TEXT): ERRNO'S", where errno belongs
// to something else; TEXT starts with the path again.
std::string useful_part(std::string_view what, const fs::path& path) {
  constexpr std::string_view kMarker = "dlerror system message: ";
  if (const std::size_t at = what.find(kMarker); at != std::string_view::npos) {
    what.remove_prefix(at + kMarker.size());
    what = what.substr(0, what.rfind("): "));
  }
  const std::string prefix = path.native() + ": ";
  if (what.starts_with(prefix)) what.remove_prefix(prefix.size());
  return std::string(what);
}

struct FileId {
  dev_t device;
  ino_t inode;
  bool operator==(const FileId&) const = default;
};

FileId id_of(const fs::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    throw PluginError(refusal(path, "cannot be read: " + std::generic_category().message(errno)));
  return {info.st_dev, info.st_ino};
}

const walspout_plugin* call_entry(const boost::dll::shared_library& library, const fs::path& path) {
  try {
    return library.get<walspout_plugin_v1_fn>(WALSPOUT_ENTRY_NAME)();
  } catch (const boost::dll::fs::system_error& error) {
    throw PluginError(refusal(path, "cannot be used: " + useful_part(error.what(), path)));
  } catch (const std::exception& error) {
    throw PluginError(refusal(
        path, fmt::format("threw an exception out of " WALSPOUT_ENTRY_NAME ": {}", error.what())));
  } catch (...) {
    throw PluginError(
        refusal(path, "threw an exception of an unknown type out of " WALSPOUT_ENTRY_NAME));
  }
}

}  // namespace

// What is loaded, for the rest of the process: never destroyed, so that no plugin's code is
// unmapped while one of its threads or thread-local destructors still runs. Refused ones stay too.
struct Plugin::Registry {
  struct Entry {
    FileId file;
    fs::path path;
    boost::dll::shared_library library;
    std::unique_ptr<Plugin> plugin;  // NULL until its descriptor was found good
  };

  static Registry& get() {
    static auto* const registry = new Registry;
    return *registry;
  }

  Entry& open(const fs::path& path) {
    const FileId file = id_of(path);
    for (Entry& entry : entries) {
      if (entry.file == file) return entry;
      if (entry.path != path) continue;
      // The dynamic linker knows libraries by their path and would give the old one as well.
      log::warn(refusal(path, "was replaced since it was loaded; restart to use the new file"));
      return entry;
    }
    if (const auto finding = check_elf(path)) throw PluginError(refusal(path, *finding));
    try {
      using boost::dll::load_mode::rtld_local;
      using boost::dll::load_mode::rtld_now;
      boost::dll::shared_library library(path, rtld_now | rtld_local);
      entries.push_back({file, path, std::move(library), nullptr});
    } catch (const boost::dll::fs::system_error& error) {
      throw PluginError(refusal(path, "cannot be loaded: " + useful_part(error.what(), path)));
    }
    return entries.back();
  }

  std::mutex mutex;
  std::list<Entry> entries;
};

const Plugin& Plugin::load(const fs::path& path, std::string_view expected_name) {
  // dlopen() would search for a bare name, and Boost.DLL take it from the working directory.
  if (!path.is_absolute()) throw PluginError(refusal(path, "has no absolute path"));
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) throw PluginError(refusal(path, "cannot be found: " + error.message()));

  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex);
  Registry::Entry& entry = registry.open(real);
  const walspout_plugin* const descriptor =
      entry.plugin ? entry.plugin->descriptor_ : call_entry(entry.library, real);
  if (const auto finding = check_descriptor(descriptor, expected_name))
    throw PluginError(refusal(path, *finding));
  if (!entry.plugin) entry.plugin.reset(new Plugin(real, descriptor));
  return *entry.plugin;
}

const Plugin& load_plugin(const PluginPath& plugin_path, std::string_view name) {
  const bool is_path = name.find('/') != std::string_view::npos;
  return Plugin::load(plugin_path.find(name), is_path ? std::string_view() : name);
}

}  // namespace walspout::sink
