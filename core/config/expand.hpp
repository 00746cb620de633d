// Replaces ${env:NAME} and ${file:PATH} inside the string values of a tree. Done after parsing, so
// that what is put in needs no quoting, and once: what is put in is not looked through again.
#pragma once

#include <filesystem>

#include "base/raw_option.hpp"
#include "config/tree.hpp"

namespace walspout::config {

// `$${` is a literal `${`. A relative PATH is relative to `directory`; one trailing newline of a
// file is left out. What cannot be replaced is a problem at the value's place and stays as it is.
// `path` names the node in messages ("source.url"); empty for the root.
void expand(Node& node, const std::filesystem::path& directory, const std::string& path,
            base::Problems& problems);

}  // namespace walspout::config
