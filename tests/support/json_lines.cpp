#include "support/json_lines.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <unordered_set>

#include "support/temp_dir.hpp"

namespace walspout::test {

std::vector<nlohmann::json> read_json_lines(const std::string& path) {
  const std::string text = read_file(path);
  std::vector<nlohmann::json> events;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string where = path + " line " + std::to_string(events.size() + 1);
    if (end == std::string::npos)
      throw std::runtime_error(where + " is torn: " + text.substr(begin, 200));
    auto event =
        nlohmann::json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                              text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    if (event.is_discarded())
      throw std::runtime_error(where + " is no JSON: " + text.substr(begin, 200));
    events.push_back(std::move(event));
    begin = end + 1;
  }
  return events;
}

std::size_t count_lines(const std::string& path) {
  const std::string text = read_file(path);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string order_fault(const std::vector<nlohmann::json>& events) {
  std::unordered_set<std::string> seen;
  std::uint64_t last_commit = 0;
  std::int64_t last_ordinal = -1;
  for (const auto& event : events) {
    const std::string id = event.at("id");
    if (!seen.insert(id).second) return "the event " + id + " is there twice";
    if (event.at("op") == "schema" || event.at("op") == "read") continue;
    if (id.rfind("copy-", 0) == 0) continue;
    if (id.size() < 18 || id[16] != '-') return "not an event's id: " + id;
    const std::uint64_t commit = std::stoull(id.substr(0, 16), nullptr, 16);
    const std::int64_t ordinal = std::stoll(id.substr(17));
    if (commit < last_commit) return "the event " + id + " comes after one of a later commit";
    if (commit == last_commit && ordinal <= last_ordinal)
      return "the event " + id + " comes after ordinal " + std::to_string(last_ordinal);
    last_commit = commit;
    last_ordinal = ordinal;
  }
  return "";
}

}  // namespace walspout::test
