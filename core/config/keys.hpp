// The keys of the configuration file and the tables they belong to.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace walspout::config {

// The keys of a table ("source"); of the file's top level for "".
std::span<const std::string_view> known_keys(std::string_view kind);

// "[source]", "[[sink]]": the headers of the tables that have this key, case aside.
std::vector<std::string> tables_with(std::string_view key);

// The known word that was most likely meant, case aside; nothing if none is near.
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> known);

// ASCII letters only.
bool equal_ignoring_case(std::string_view a, std::string_view b);

// "[source]" or "[[sink]]".
std::string header(std::string_view kind);

}  // namespace walspout::config
