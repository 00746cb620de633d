// A configuration file in a folder of its own, removed at the end.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "config/load.hpp"

namespace walspout::config {

class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text, const std::string& name = "shop.toml") {
    std::string pattern = std::filesystem::temp_directory_path() / "walspout-config-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = pattern;
    path_ = folder_ / name;
    write(name, text);
  }
  ~ConfigFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;

  std::string path() const { return path_.string(); }
  const std::filesystem::path& folder() const { return folder_; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream out(folder_ / name, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw std::runtime_error("cannot write the test's file");
  }

  // All problems, then all warnings, with FILE in place of the path.
  std::string lines(const LoadResult& result) const {
    std::string out;
    for (const auto& problem : result.problems) out += line("", problem);
    for (const auto& warning : result.warnings) out += line("warning ", warning);
    return out;
  }

 private:
  std::string line(const std::string& prefix, const base::Problem& problem) const {
    std::string text = to_string(problem);
    if (text.starts_with(path())) text.replace(0, path().size(), "FILE");
    return prefix + text + '\n';
  }

  std::filesystem::path folder_;
  std::filesystem::path path_;
};

}  // namespace walspout::config
