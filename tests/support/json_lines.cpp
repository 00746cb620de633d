#include "support/json_lines.hpp"

#include <algorithm>
#include <cstdint>
#include <regex>
#include <stdexcept>
#include <unordered_set>

#include "support/temp_dir.hpp"

namespace walspout::test {
namespace {

// What the grammar of JSON (RFC 8259) allows and nlohmann's reader refuses, made readable: lone
// surrogates and numbers beyond a double. Both may stand in an embedded json value.
std::string made_readable(const std::string& line) {
  static const std::regex surrogate(R"(\\\\|\\u[dD][89a-fA-F][0-9a-fA-F]{2})");
  static const std::regex huge(
      R"(([:,\[] ?-?[0-9.]+)[eE]\+?[0-9]{3,}|([:,\[] ?-?[0-9])[0-9]{308,})");
  std::string out;
  std::size_t end = 0;
  for (std::sregex_iterator it(line.begin(), line.end(), surrogate), none; it != none; ++it) {
    out += line.substr(end, static_cast<std::size_t>(it->position()) - end);
    out += it->str() == "\\\\" ? "\\\\" : "\\ufffd";
    end = static_cast<std::size_t>(it->position() + it->length());
  }
  return std::regex_replace(out + line.substr(end), huge, "$1$2");
}

}  // namespace

std::vector<nlohmann::json> read_json_lines(const std::string& path) {
  const std::string text = read_file(path);
  std::vector<nlohmann::json> events;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string where = path + " line " + std::to_string(events.size() + 1);
    if (end == std::string::npos)
      throw std::runtime_error(where + " is torn: " + text.substr(begin, 200));
    const std::string line = text.substr(begin, end - begin);
    auto event = nlohmann::json::parse(line, nullptr, false);
    if (event.is_discarded()) event = nlohmann::json::parse(made_readable(line), nullptr, false);
    if (event.is_discarded())
      throw std::runtime_error(where + " is no JSON: " + line.substr(0, 600));
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
