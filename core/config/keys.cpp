#include "config/keys.hpp"

#include <algorithm>
#include <array>

#include "base/nearest.hpp"

namespace walspout::config {
namespace {

constexpr std::array<std::string_view, 6> kTables = {"host",  "source", "state",
                                                     "admin", "log",    "sink"};
constexpr std::array<std::string_view, 3> kHost = {"name", "memory", "plugin_path"};
constexpr std::array<std::string_view, 10> kSource = {
    "url",       "slot",      "publication", "tables",       "snapshot",
    "temporary", "streaming", "binary",      "on_slot_lost", "on_schema_change"};
constexpr std::array<std::string_view, 1> kState = {"directory"};
constexpr std::array<std::string_view, 1> kAdmin = {"listen"};
constexpr std::array<std::string_view, 2> kLog = {"level", "format"};
constexpr std::array<std::string_view, 14> kSink = {
    "name",    "plugin",      "tables",        "operations", "exclude_columns",   "on_poison",
    "on_lag",  "spool_limit", "on_spool_full", "key_order",  "dead_letter_limit", "snapshot",
    "options", "isolation"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::span<const std::string_view> known_keys(std::string_view kind) {
  if (kind == "host") return kHost;
  if (kind == "source") return kSource;
  if (kind == "state") return kState;
  if (kind == "admin") return kAdmin;
  if (kind == "log") return kLog;
  if (kind == "sink") return kSink;
  return kTables;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> known) {
  std::string lowered(word);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), lower);
  // All of our words are in lower case.
  if (const auto near = base::nearest(lowered, known)) return near;
  // "slot_name" for slot, "exclude" for exclude_columns
  constexpr std::size_t kLeast = 3;
  for (const std::string_view candidate : known) {
    if (lowered.starts_with(std::string(candidate) + '_')) return candidate;
    if (lowered.size() >= kLeast && candidate.starts_with(lowered + '_')) return candidate;
  }
  return std::nullopt;
}

std::string header(std::string_view kind) {
  const std::string name(kind);
  return kind == "sink" ? "[[" + name + "]]" : "[" + name + "]";
}

std::vector<std::string> tables_with(std::string_view key) {
  std::vector<std::string> found;
  for (const std::string_view table : kTables) {
    const auto keys = known_keys(table);
    if (std::any_of(keys.begin(), keys.end(),
                    [&](std::string_view known) { return equal_ignoring_case(known, key); })) {
      found.push_back(header(table));
    }
  }
  return found;
}

}  // namespace walspout::config
