#include <fmt/format.h>
#include <walspout/abi.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <walspout/json_text.hpp>

#include "base/nearest.hpp"
#include "cli/console.hpp"
#include "cli/verbs.hpp"
#include "sink/describe.hpp"
#include "sink/plugin.hpp"
#include "sink/plugin_path.hpp"

namespace walspout::cli {
namespace {

std::string json(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

struct Found {
  std::string name;
  std::string path;
  const walspout_plugin* plugin = nullptr;  // null: see error
  std::string error;
};

std::vector<Found> find_all(const sink::PluginPath::Listing& listing) {
  std::vector<Found> all;
  for (const auto& [name, path] : listing.plugins) {
    Found found{name, path.string(), nullptr, {}};
    try {
      found.plugin = &sink::Plugin::load(path, name).descriptor();
    } catch (const sink::PluginError& error) {
      found.error = error.what();
    }
    all.push_back(std::move(found));
  }
  return all;
}

std::string json_options(const walspout_plugin& plugin) {
  std::string out = "[";
  for (const sink::OptionRow& row : sink::option_rows(plugin)) {
    if (out.size() > 1) out += ',';
    out += fmt::format(R"({{"name":{},"type":{},"default":{},"required":{},"secret":{},"doc":{}}})",
                       json(row.name), json(row.type),
                       row.default_value.empty() ? "null" : json(row.default_value), row.required,
                       row.secret, json(row.doc));
  }
  return out + ']';
}

std::string json_plugin(const Found& found) {
  if (found.plugin == nullptr) {
    return fmt::format(R"({{"name":{},"path":{},"error":{}}})", json(found.name), json(found.path),
                       json(found.error));
  }
  std::string abilities;
  for (const std::string& ability : sink::abilities(*found.plugin)) {
    abilities += (abilities.empty() ? "" : ",") + json(ability);
  }
  const walspout_plugin& plugin = *found.plugin;
  return fmt::format(
      R"({{"name":{},"path":{},"version":{},"abi":"{}.{}","summary":{},"abilities":[{}],"options":{}}})",
      json(plugin.name), json(found.path), json(plugin.version), plugin.abi_major, plugin.abi_minor,
      json(plugin.summary), abilities, json_options(plugin));
}

int list(const sink::PluginPath& path, bool as_json) {
  const sink::PluginPath::Listing listing = path.list();
  const std::vector<Found> all = find_all(listing);
  for (const std::string& problem : listing.problems) print_error(problem);
  if (as_json) {
    std::string out = "[";
    for (const Found& found : all) out += (out.size() > 1 ? ",\n " : "") + json_plugin(found);
    print(out + "]\n");
    return kDone;
  }
  std::vector<std::vector<std::string>> rows = {{"plugin", "version", "file", "what it does"}};
  for (const Found& found : all) {
    if (found.plugin == nullptr) {
      print_error(found.error);
      continue;
    }
    rows.push_back({found.name, printable(found.plugin->version), printable(found.path),
                    printable(found.plugin->summary)});
  }
  if (rows.size() > 1) {
    print(columns(rows));
    print("\n`walspout plugins NAME` lists a plugin's options.\n");
  } else {
    print("no plugins found in\n");
    for (const auto& folder : path.folders()) print("  " + printable(folder.string()) + '\n');
    print("name more folders in WALSPOUT_PLUGIN_PATH, or as plugin_path under [host]\n");
  }
  return kDone;
}

// "; did you mean `sqlite`?", for a name that no plugin has.
std::string suggestion(const sink::PluginPath& path, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& candidate : path.list().plugins) names.push_back(candidate.name);
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto near = base::nearest(name, views);
  if (!near || *near == name) return {};
  return "; did you mean `" + std::string(*near) + "`?";
}

int show(const sink::PluginPath& path, const std::string& name, bool as_json) {
  const sink::Plugin& plugin = sink::load_plugin(path, name);
  const walspout_plugin& descriptor = plugin.descriptor();
  if (as_json) {
    print(json_plugin({descriptor.name, plugin.path().string(), &descriptor, {}}) + '\n');
    return kDone;
  }
  print(fmt::format("{} {}: {}\n{}\n\n", printable(descriptor.name), printable(descriptor.version),
                    printable(descriptor.summary), printable(plugin.path().string())));
  for (const std::string& ability : sink::abilities(descriptor)) print("  " + ability + '\n');
  print('\n' + sink::option_table(descriptor) + '\n' + sink::sample_sink(descriptor));
  return kDone;
}

}  // namespace

int plugins(const Arguments& arguments) {
  std::optional<sink::PluginPath> found;
  try {
    found = sink::PluginPath::of_process({});
    const sink::PluginPath& path = *found;
    if (arguments.plugin.empty()) return list(path, arguments.json);
    // A path is relative to the working directory here, as no file says otherwise.
    const bool is_path = arguments.plugin.find('/') != std::string::npos;
    return show(path,
                is_path ? std::filesystem::absolute(arguments.plugin).string() : arguments.plugin,
                arguments.json);
  } catch (const sink::PluginError& error) {
    print_error(error.what() + (found ? suggestion(*found, arguments.plugin) : ""));
    return kUsage;
  }
}

}  // namespace walspout::cli
