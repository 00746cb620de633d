#include "sink/descriptor.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <set>

#include "base/quote.hpp"
#include "sink/option_value.hpp"
#include "sink/plugin_path.hpp"

namespace walspout::sink {
namespace {

using Finding = std::optional<std::string>;

// Larger ones are not a plugin's tables but wild memory.
constexpr std::uint32_t kLargestStruct = 64 * 1024;
constexpr std::uint32_t kMostOptions = 1000;

Finding check_version(const walspout_plugin& plugin) {
  // Only what every struct of every version starts with has been seen yet.
  constexpr std::size_t kVersioned = offsetof(walspout_plugin, name);
  if (plugin.struct_size < kVersioned || plugin.struct_size > kLargestStruct) {
    return fmt::format("has a descriptor of an impossible size ({} bytes)", plugin.struct_size);
  }
  if (plugin.abi_major != WALSPOUT_ABI_MAJOR) {
    return fmt::format(
        "is built for plugin ABI {}.{}; this host supports ABI {}; rebuild it with this host's SDK",
        plugin.abi_major, plugin.abi_minor, WALSPOUT_ABI_MAJOR);
  }
  return std::nullopt;
}

Finding check_callbacks(const walspout_plugin& plugin) {
  // The data fields stand before all callbacks.
  if (plugin.struct_size < offsetof(walspout_plugin, open)) {
    return fmt::format(
        "has a descriptor of {} bytes, which ends before its callbacks; ABI 1.0 has {}",
        plugin.struct_size, sizeof(walspout_plugin));
  }
  std::string missing;
  const auto require = [&](bool there, const char* name) {
    if (there) return;
    if (!missing.empty()) missing += ", ";
    missing += name;
  };
  require(WALSPOUT_HAS(&plugin, open) && plugin.open != nullptr, "open");
  require(WALSPOUT_HAS(&plugin, write) && plugin.write != nullptr, "write");
  require(WALSPOUT_HAS(&plugin, flush) && plugin.flush != nullptr, "flush");
  require(WALSPOUT_HAS(&plugin, close) && plugin.close != nullptr, "close");
  if (missing.empty()) return std::nullopt;
  std::string finding = "lacks the required callbacks " + missing;
  if (plugin.struct_size < sizeof(walspout_plugin)) {
    finding += fmt::format("; its descriptor has {} bytes, that of ABI 1.0 {}", plugin.struct_size,
                           sizeof(walspout_plugin));
  }
  return finding;
}

Finding check_name(const walspout_plugin& plugin, std::string_view expected) {
  if (plugin.name == nullptr || plugin.version == nullptr || plugin.summary == nullptr)
    return "does not give its name, version and summary";
  if (!is_plugin_name(plugin.name)) {
    return fmt::format("gives itself the name {}; a name is made of a-z, 0-9, _ and -",
                       base::quoted(plugin.name));
  }
  if (!expected.empty() && expected != plugin.name) {
    return fmt::format("is plugin {}, not {}; rename the file or name the plugin as it is",
                       base::quoted(plugin.name), base::quoted(expected));
  }
  return std::nullopt;
}

bool is_option_name(std::string_view name) {
  // Bare keys of TOML; a dot would look like the entry of a table.
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

Finding check_option(const walspout_option& option) {
  if (option.doc == nullptr) return "has no description";
  if (!is_known_type(option.type)) {
    return fmt::format("has the type {}, which this host does not know", option.type);
  }
  constexpr std::uint32_t kBoth = WALSPOUT_LIST | WALSPOUT_TABLE;
  if ((option.flags & kBoth) == kBoth) return "is a list and a table at once";
  return check_default(option);
}

Finding check_options(const walspout_plugin& plugin) {
  if (plugin.option_count == 0) return std::nullopt;
  if (plugin.options == nullptr || plugin.option_count > kMostOptions)
    return fmt::format("announces {} options and has no such table", plugin.option_count);
  std::set<std::string_view> names;
  for (std::uint32_t i = 0; i < plugin.option_count; ++i) {
    const walspout_option& option = plugin.options[i];
    if (option.name == nullptr || !is_option_name(option.name)) {
      return fmt::format("gives its option {} the name {}; a name is made of a-z, 0-9, _ and -",
                         i + 1, option.name == nullptr ? "NULL" : base::quoted(option.name));
    }
    if (!names.insert(option.name).second)
      return fmt::format("has the option '{}' twice", option.name);
    if (const Finding finding = check_option(option))
      return fmt::format("has the option '{}', which {}", option.name, *finding);
  }
  return std::nullopt;
}

Finding check_flags(const walspout_plugin& plugin) {
  const auto has = [&](std::uint64_t cap) { return (plugin.caps & cap) != 0; };
  const auto takes = [&](std::uint64_t what) { return (plugin.takes & what) != 0; };
  const char* contradiction = nullptr;
  if (has(WALSPOUT_CAP_READ_BACK) && (!WALSPOUT_HAS(&plugin, reader) || plugin.reader == nullptr))
    contradiction = "claims WALSPOUT_CAP_READ_BACK and has no reader";
  else if (has(WALSPOUT_CAP_SHADOW) && !has(WALSPOUT_CAP_SNAPSHOT))
    contradiction = "claims WALSPOUT_CAP_SHADOW without WALSPOUT_CAP_SNAPSHOT";
  else if (has(WALSPOUT_NEEDS_KEY) && takes(WALSPOUT_TAKES_NO_KEY))
    contradiction = "claims WALSPOUT_NEEDS_KEY and WALSPOUT_TAKES_NO_KEY, which exclude each other";
  else if (has(WALSPOUT_NEEDS_FULL_ROW) && takes(WALSPOUT_TAKES_PARTIAL_ROW))
    contradiction =
        "claims WALSPOUT_NEEDS_FULL_ROW and WALSPOUT_TAKES_PARTIAL_ROW, which exclude each other";
  if (contradiction == nullptr) return std::nullopt;
  return contradiction;
}

}  // namespace

Finding check_descriptor(const walspout_plugin* plugin, std::string_view expected_name) {
  if (plugin == nullptr) return "gives no descriptor: " WALSPOUT_ENTRY_NAME " returned NULL";
  if (auto finding = check_version(*plugin)) return finding;
  if (auto finding = check_callbacks(*plugin)) return finding;
  if (auto finding = check_name(*plugin, expected_name)) return finding;
  if (auto finding = check_options(*plugin)) return finding;
  return check_flags(*plugin);
}

}  // namespace walspout::sink
