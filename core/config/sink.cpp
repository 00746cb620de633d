#include "config/sink.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "config/keys.hpp"
#include "config/units.hpp"

namespace walspout::config {
namespace {

constexpr std::array<Choice<OnPoison>, 3> kOnPoison = {
    {{"stop", OnPoison::kStop}, {"dead_letter", OnPoison::kDeadLetter}, {"skip", OnPoison::kSkip}}};
constexpr std::array<Choice<OnLag>, 2> kOnLag = {
    {{"block", OnLag::kBlock}, {"spool", OnLag::kSpool}}};
constexpr std::array<Choice<OnSpoolFull>, 2> kOnSpoolFull = {
    {{"block", OnSpoolFull::kBlock}, {"pause_and_resync", OnSpoolFull::kPauseAndResync}}};
constexpr std::array<Choice<KeyOrder>, 2> kKeyOrder = {
    {{"hold", KeyOrder::kHold}, {"pass", KeyOrder::kPass}}};
constexpr std::array<Choice<SinkSnapshot>, 3> kSnapshot = {{{"inherit", SinkSnapshot::kInherit},
                                                            {"initial", SinkSnapshot::kInitial},
                                                            {"never", SinkSnapshot::kNever}}};
constexpr std::array<Choice<Isolation>, 2> kIsolation = {
    {{"thread", Isolation::kThread}, {"process", Isolation::kProcess}}};

// Names become parts of paths, of metrics' labels and of lines in logs.
bool good_sink_name(std::string_view name) {
  constexpr std::size_t kLongest = 63;
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return !name.empty() && name.size() <= kLongest && letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || c == '_' || c == '-' || c == '.'; });
}

// Options are what the plugin says they are; here they only become RawOptions.
base::RawOption raw_option(const Node& node, const std::string& path, base::Problems& problems) {
  base::RawOption option;
  option.name = node.key;
  option.at = node.at;
  if (const auto* text = node.text()) {
    option.value = *text;
  } else if (const auto* boolean = std::get_if<bool>(&node.value)) {
    option.value = *boolean;
  } else if (const auto* integer = std::get_if<std::int64_t>(&node.value)) {
    option.value = *integer;
  } else if (const auto* number = std::get_if<double>(&node.value)) {
    option.value = *number;
  } else if (const auto* list = node.list()) {
    base::RawList items;
    for (const Node& item : list->items) items.items.push_back(raw_option(item, path, problems));
    option.value = std::move(items);
  } else if (const auto* table = node.table()) {
    base::RawTable entries;
    for (const Node& entry : table->entries) {
      entries.entries.push_back(raw_option(entry, path + '.' + entry.key, problems));
    }
    option.value = std::move(entries);
  } else {
    problems.push_back({node.at, path + " is a date; no option takes one, write it in quotes"});
  }
  return option;
}

void read_options(const Section& section, Sink& sink, base::Problems& problems) {
  const Node* options = section.find("options");
  if (options == nullptr) return;
  const std::string path = section.path("options");
  if (options->table() == nullptr) {
    problems.push_back({options->at, path + " is " + std::string(options->type_name()) +
                                         "; write [sink.options] below the [[sink]]"});
    return;
  }
  for (const Node& entry : options->table()->entries) {
    sink.options.push_back(raw_option(entry, path + '.' + entry.key, problems));
  }
}

void read_operations(Section& section, Sink& sink, base::Problems& problems) {
  std::vector<Text> words;
  if (!section.texts("operations", words)) return;
  if (words.empty()) {
    section.problem("operations",
                    "is empty, so that the sink would get nothing; name at least one");
    return;
  }
  constexpr std::array<std::string_view, 4> kWords = {"insert", "update", "delete", "truncate"};
  Operations operations;
  const std::array<bool*, 4> flags = {&operations.insert, &operations.update, &operations.delete_,
                                      &operations.truncate};
  for (const auto& [word, shown, at] : words) {
    const auto found = std::find(kWords.begin(), kWords.end(), word);
    if (found != kWords.end()) {
      *flags[static_cast<std::size_t>(found - kWords.begin())] = true;
      continue;
    }
    const auto near = nearest(word, kWords);
    problems.push_back({at, section.path("operations") + " = " + shown + " is not known; " +
                                (near ? "did you mean \"" + std::string(*near) + "\"?"
                                      : "write insert, update, delete or truncate")});
  }
  sink.operations = operations;
}

void read_exclude_columns(Section& section, Sink& sink, base::Problems& problems) {
  std::vector<Text> columns;
  if (!section.texts("exclude_columns", columns)) return;
  for (auto& [column, shown, at] : columns) {
    const std::size_t last = column.rfind('.');
    const std::size_t first = column.find('.');
    if (first == std::string::npos || first == last || first == 0 || last == first + 1 ||
        last + 1 == column.size() || column.starts_with('!')) {
      problems.push_back({at, section.path("exclude_columns") + " = " + shown +
                                  " does not name a column; write \"schema.table.column\""});
      continue;
    }
    sink.exclude_columns.push_back(std::move(column));
  }
}

void read_plugin(Section& section, Sink& sink, const std::filesystem::path& directory) {
  if (!section.text("plugin", sink.plugin)) return;
  sink.plugin_at = section.find("plugin")->at;
  if (sink.plugin.find('/') != std::string::npos) {
    sink.plugin = (directory / sink.plugin).lexically_normal().string();
  } else if (sink.plugin.ends_with(".so")) {
    section.problem("plugin", "= " + quoted(*section.find("plugin")) +
                                  " is a file's name; write its path with a slash, as in \"./" +
                                  "NAME.so\", or the plugin's name");
  }
}

// What this version cannot do yet is refused rather than ignored.
void refuse_unavailable(Section& section, const Sink& sink) {
  const auto refuse = [&](std::string_view key, const char* text) { section.problem(key, text); };
  if (sink.on_poison == OnPoison::kDeadLetter) {
    refuse("on_poison",
           "= \"dead_letter\" is not available in this version; use \"stop\" (the "
           "default) or \"skip\"");
  }
  if (sink.on_lag == OnLag::kSpool) {
    refuse("on_lag",
           "= \"spool\" is not available in this version; use \"block\" (the default), "
           "with which PostgreSQL keeps the WAL while the sink is behind");
  }
  if (sink.isolation == Isolation::kProcess) {
    refuse("isolation",
           "= \"process\" is not available in this version; use \"thread\" (the "
           "default)");
  }
}

void warn_without_effect(const Section& section, base::Problems& warnings) {
  constexpr std::array<std::pair<std::string_view, const char*>, 4> kKeys = {
      {{"key_order", "as there are no dead letters"},
       {"dead_letter_limit", "as there are no dead letters"},
       {"spool_limit", "as there is no spool"},
       {"on_spool_full", "as there is no spool"}}};
  for (const auto& [key, why] : kKeys) {
    const Node* node = section.find(key);
    if (node == nullptr) continue;
    warnings.push_back({node->key_at, section.path(key) + " has no effect in this version, " + why +
                                          " yet; leave it out"});
  }
}

Sink read_sink(const Node& node, const std::string& path, const std::filesystem::path& directory,
               base::Problems& problems, base::Problems& warnings) {
  Section section(&node, "sink", path, problems);
  Sink sink;
  sink.at = node.at;
  sink.plugin_at = node.at;
  if (section.text("name", sink.name) && !good_sink_name(sink.name)) {
    section.problem("name",
                    "is not a good name; use up to 63 letters, digits, _, - and ., with a "
                    "letter or digit first");
  } else if (!section.meant("name")) {
    problems.push_back({node.at, path + " has no name; add name = \"...\", under which its "
                                        "position is kept"});
  }
  read_plugin(section, sink, directory);
  if (!section.meant("plugin")) {
    problems.push_back({node.at, path + " has no plugin; add plugin = \"...\" (`walspout plugins` "
                                        "lists them)"});
  }
  read_tables(section, sink.tables, problems);
  read_operations(section, sink, problems);
  read_exclude_columns(section, sink, problems);
  section.choice("on_poison", kOnPoison, sink.on_poison);
  section.choice("on_lag", kOnLag, sink.on_lag);
  if (section.size("spool_limit", sink.spool_limit) && sink.spool_limit == 0) {
    section.problem("spool_limit", "is 0; write a size, as in \"10GiB\"");
  }
  section.choice("on_spool_full", kOnSpoolFull, sink.on_spool_full);
  section.choice("key_order", kKeyOrder, sink.key_order);
  if (std::string limit; section.text("dead_letter_limit", limit)) {
    const auto parsed = parse_dead_letter_limit(limit);
    if (const auto* error = std::get_if<UnitError>(&parsed)) {
      section.problem("dead_letter_limit", "= " + quoted(*section.find("dead_letter_limit")) + ' ' +
                                               error->what + "; " + error->todo);
    } else {
      sink.dead_letter_limit = std::get<DeadLetterLimit>(parsed);
    }
  }
  section.choice("snapshot", kSnapshot, sink.snapshot);
  section.choice("isolation", kIsolation, sink.isolation);
  read_options(section, sink, problems);
  refuse_unavailable(section, sink);
  warn_without_effect(section, warnings);
  return sink;
}

void report_same_names(const std::vector<Sink>& sinks, base::Problems& problems) {
  std::map<std::string, const Sink*> seen;
  for (const Sink& sink : sinks) {
    if (sink.name.empty()) continue;
    const auto [first, is_new] = seen.emplace(sink.name, &sink);
    if (is_new) continue;
    problems.push_back({sink.at, "there are two sinks named " + sink.name + ", the first in line " +
                                     std::to_string(first->second->at.line) +
                                     "; give each a name of its own"});
  }
}

}  // namespace

void read_sinks(const Node& root, const Section& top, Config& config, base::Problems& problems,
                base::Problems& warnings) {
  const Node* node = top.find("sink");
  constexpr const char* kAdd = "add a [[sink]] with name and plugin";
  if (node == nullptr) {
    if (!top.meant("sink")) {
      problems.push_back({{root.at.file, 0, 0}, std::string("there is no sink; ") + kAdd});
    }
    return;
  }
  if (node->table() != nullptr) {
    problems.push_back({node->key_at,
                        "[sink] has single brackets; write [[sink]], as there may be "
                        "several"});
    return;
  }
  const List* list = node->list();
  const bool tables = list != nullptr && std::all_of(list->items.begin(), list->items.end(),
                                                     [](const Node& n) { return n.table(); });
  if (!tables) {
    problems.push_back({node->at, std::string("sink is not a list of tables; ") + kAdd});
    return;
  }
  if (list->items.empty()) {
    problems.push_back({node->at, std::string("the list of sinks is empty; ") + kAdd});
    return;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Node& item = list->items[i];
    const Node* name = item.table()->find("name");
    const bool named = name != nullptr && name->text() != nullptr && good_sink_name(*name->text());
    const std::string path =
        named ? "sink." + *name->text() : "sink[" + std::to_string(i + 1) + "]";
    config.sinks.push_back(read_sink(item, path, config.directory, problems, warnings));
  }
  report_same_names(config.sinks, problems);
}

void read_tables(Section& section, base::TablePatterns& to, base::Problems& problems) {
  std::vector<Text> patterns;
  if (!section.texts("tables", patterns)) return;
  if (patterns.empty()) {
    section.problem("tables",
                    "is an empty list; name tables, or leave the key out for all of them");
    return;
  }
  std::vector<std::string> good;
  for (const auto& [pattern, shown, at] : patterns) {
    const std::string mark = pattern.starts_with('!') ? "!" : "";
    const std::string name = pattern.substr(mark.size());
    const std::size_t dot = name.find('.');
    const std::string what = section.path("tables") + " = " + shown;
    if (dot == std::string::npos && !name.empty()) {
      const bool show = shown.starts_with('"');
      problems.push_back({at, what + " has no schema; " +
                                  (show ? "did you mean \"" + mark + "public." + name + "\"?"
                                        : "write schema.table")});
    } else if (dot == std::string::npos || dot == 0 || dot + 1 == name.size()) {
      problems.push_back({at, what +
                                  " is not a pattern; write \"schema.table\", where * stands for "
                                  "any characters"});
    } else {
      good.push_back(pattern);
    }
  }
  to = base::TablePatterns(std::move(good));
}

}  // namespace walspout::config
