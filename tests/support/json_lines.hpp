// The file sink's output (contract "JSON events").
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace walspout::test {

// Every line, strictly parsed. Throws, naming the line, for one that does not parse, and for a last
// line without its newline. No file is no line.
std::vector<nlohmann::json> read_json_lines(const std::string& path);

std::size_t count_lines(const std::string& path);

// "" when the stream's events (not those of a copy) are there once each, in commit order: ids
// unique, commit LSNs never falling, ordinals of a transaction rising. Else one line.
std::string order_fault(const std::vector<nlohmann::json>& events);

}  // namespace walspout::test
