// What the loader's tests share: a folder that vanishes, files in it, and the text of a refusal.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "sink/plugin_path.hpp"

namespace walspout::sink {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "loader.XXXXXX").native();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream out(path_ / name, std::ios::binary);
    out << content;
    out.close();
    if (!out) throw std::runtime_error("cannot write " + name);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::filesystem::path built(const std::string& name) {
  return std::filesystem::path(LOADER_PLUGINS) / (name + ".so");
}

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.native());
  return {std::istreambuf_iterator<char>(in), {}};
}

// What a call that must be refused says; fails the test when it is not refused.
template <class F>
std::string refusal_of(F&& call) {
  try {
    call();
  } catch (const PluginError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "was not refused";
  return {};
}

}  // namespace walspout::sink
