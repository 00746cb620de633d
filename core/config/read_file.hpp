// A whole file as text, with errors as the rest of a sentence.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace walspout::config {

struct FileText {
  std::string text;
  std::string error;  // "does not exist; check the path"; empty: fine
};

// Files, pipes and devices up to `most` bytes.
FileText read_file(const std::filesystem::path& path, std::size_t most);

}  // namespace walspout::config
