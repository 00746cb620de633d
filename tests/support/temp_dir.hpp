// A folder in /tmp with a short name (a unix socket's path has room for 107 bytes).
#pragma once

#include <string>

namespace walspout::test {

// Removed with everything in it on destruction, unless WALSPOUT_KEEP is set.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Whole files. read_file gives "" for a file that does not exist.
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& text);
void append_file(const std::string& path, const std::string& text);

}  // namespace walspout::test
