#include "config/interpret.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "config/section.hpp"
#include "config/sink.hpp"
#include "config/units.hpp"

namespace walspout::config {
namespace {

constexpr std::array<Choice<Snapshot>, 2> kSnapshot = {
    {{"initial", Snapshot::kInitial}, {"never", Snapshot::kNever}}};
constexpr std::array<Choice<OnSlotLost>, 2> kOnSlotLost = {
    {{"stop", OnSlotLost::kStop}, {"resync", OnSlotLost::kResync}}};
constexpr std::array<Choice<OnSchemaChange>, 2> kOnSchemaChange = {
    {{"apply", OnSchemaChange::kApply}, {"stop", OnSchemaChange::kStop}}};
constexpr std::array<Choice<log::Level>, 5> kLevel = {{{"trace", log::Level::kTrace},
                                                       {"debug", log::Level::kDebug},
                                                       {"info", log::Level::kInfo},
                                                       {"warn", log::Level::kWarn},
                                                       {"error", log::Level::kError}}};
constexpr std::array<Choice<log::Format>, 2> kFormat = {
    {{"text", log::Format::kText}, {"json", log::Format::kJson}}};

constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 40;
constexpr std::size_t kLongestIdentifier = 63;  // PostgreSQL's NAMEDATALEN - 1

// The table under `kind`; null, with a problem, when something else is there.
const Node* table_of(const Section& top, std::string_view kind, base::Problems& problems) {
  const Node* node = top.find(kind);
  if (node == nullptr || node->table() != nullptr) return node;
  const std::string name(kind);
  problems.push_back({node->at, name + " is " + std::string(node->type_name()) + "; write [" +
                                    name + "] once, in single brackets"});
  return nullptr;
}

// The name becomes part of a path and of lines in logs.
bool good_host_name(std::string_view name) {
  constexpr std::size_t kLongest = 128;
  return !name.empty() && name.size() <= kLongest && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return static_cast<unsigned char>(c) >= ' ' && c != '/' && c != '\x7f';
         });
}

void read_host(const Node* node, Config& config, base::Problems& problems) {
  Section section(node, "host", "host", problems);
  Host& host = config.host;
  constexpr const char* kNameHelp = "use one without /, control characters and a leading dot";
  if (section.text("name", host.name)) {
    if (!good_host_name(host.name)) {
      section.problem("name", std::string("is not a good name; ") + kNameHelp);
    }
  } else if (!good_host_name(host.name) && !section.meant("name")) {
    problems.push_back({{config.file, 0, 0},
                        std::string("the file's name cannot name the pipeline; set name in "
                                    "[host] and ") +
                            kNameHelp});
  }
  if (section.size("memory", host.memory) &&
      (host.memory < kLeastMemory || host.memory > kMostMemory)) {
    section.problem(
        "memory", "= " + quoted(*section.find("memory")) + " is out of range; write 1MiB to 1TiB");
  }
  std::vector<Text> paths;
  if (section.texts("plugin_path", paths)) {
    for (const Text& path : paths) {
      host.plugin_path.push_back((config.directory / path.value).lexically_normal());
    }
  }
}

// Never prints the value. libpq reads it in full when it connects.
void check_url(Section& section, const std::string& url) {
  constexpr const char* kHelp =
      "write postgresql://user@host/database or host=... user=... dbname=...";
  const std::size_t scheme = url.find("://");
  const bool uri = scheme != std::string::npos && url.find('=') > scheme;
  if (uri && !url.starts_with("postgresql://") && !url.starts_with("postgres://")) {
    section.problem("url", std::string("has another scheme than postgresql://; ") + kHelp);
  } else if (!uri && url.find('=') == std::string::npos) {
    section.problem("url", std::string("is no connection string; ") + kHelp);
  } else if (url.find('\0') != std::string::npos) {
    section.problem("url", std::string("holds a NUL byte; ") + kHelp);
  }
}

void check_slot(Section& section, const Source& source, base::Problems& warnings) {
  // PostgreSQL documentation, "Querying and Manipulating Replication Slots".
  const bool good = source.slot.size() <= kLongestIdentifier &&
                    std::all_of(source.slot.begin(), source.slot.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
                    });
  if (!good) {
    section.problem("slot", "= " + quoted(*section.find("slot")) +
                                " is not a slot's name; use up to 63 lower-case letters, digits "
                                "and _");
  }
  if (source.temporary) {
    warnings.push_back({section.find("slot")->key_at,
                        "source.slot has no effect with temporary = true, whose slot has a random "
                        "name; leave one of them out"});
  }
}

void read_source(const Node* node, bool meant, Config& config, base::Problems& problems,
                 base::Problems& warnings) {
  Section section(node, "source", "source", problems);
  Source& source = config.source;
  source.at = node == nullptr ? base::Location{config.file, 0, 0} : node->at;
  if (node == nullptr) {
    if (!meant) {
      problems.push_back({source.at,
                          "there is no [source]; add one with url = "
                          "\"postgresql://user@host/database\""});
    }
    return;
  }
  if (section.text("url", source.url)) {
    source.url_at = section.find("url")->at;
    check_url(section, source.url);
  } else if (!section.meant("url")) {
    problems.push_back(
        {source.at, "[source] has no url; add url = \"postgresql://user@host/database\""});
  }
  section.boolean("temporary", source.temporary);
  if (section.text("slot", source.slot)) check_slot(section, source, warnings);
  if (section.text("publication", source.publication) &&
      source.publication.size() > kLongestIdentifier) {
    section.problem("publication", "is longer than 63 bytes; use a shorter name");
  }
  read_tables(section, source.tables, problems);
  section.choice("snapshot", kSnapshot, source.snapshot);
  section.boolean("streaming", source.streaming);
  section.boolean("binary", source.binary);
  section.choice("on_slot_lost", kOnSlotLost, source.on_slot_lost);
  section.choice("on_schema_change", kOnSchemaChange, source.on_schema_change);

  // What this version cannot do yet is refused rather than ignored.
  if (source.binary) {
    section.problem("binary",
                    "= true is not available in this version; use false (the default), with which "
                    "values come as text");
  }
}

void read_state(const Node* node, Config& config, base::Problems& problems) {
  Section section(node, "state", "state", problems);
  std::string directory;
  if (!section.text("directory", directory)) directory = config.host.name + ".state";
  config.state.directory = (config.directory / directory).lexically_normal();
}

// "HOST:PORT"; an IPv6 address stands in brackets.
bool parse_listen(std::string_view text, Admin& admin) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  const std::string_view digits = text.substr(colon + 1);
  if (host.starts_with('[') && host.ends_with(']'))
    host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string_view::npos)
    return false;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (host.empty() || error != std::errc() || end != digits.data() + digits.size()) return false;
  admin.host = host;
  admin.port = port;
  return true;
}

void read_admin(const Node* node, Config& config, base::Problems& problems) {
  Section section(node, "admin", "admin", problems);
  std::string listen;
  if (section.text("listen", listen) && !parse_listen(listen, config.admin))
    section.problem("listen",
                    "must be an address and a port, such as \"127.0.0.1:9847\" or \"[::1]:9847\"");
}

void read_log(const Node* node, Config& config, base::Problems& problems) {
  Section section(node, "log", "log", problems);
  section.choice("level", kLevel, config.log.level);
  section.choice("format", kFormat, config.log.format);
}

}  // namespace

void interpret(const Node& root, Config& config, base::Problems& problems,
               base::Problems& warnings) {
  const Section top(&root, "", "", problems);
  read_host(table_of(top, "host", problems), config, problems);
  read_source(table_of(top, "source", problems), top.meant("source"), config, problems, warnings);
  read_state(table_of(top, "state", problems), config, problems);
  read_admin(table_of(top, "admin", problems), config, problems);
  read_log(table_of(top, "log", problems), config, problems);
  read_sinks(root, top, config, problems, warnings);
}

}  // namespace walspout::config
