// Runs the built walspout and gives what it printed.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace walspout::cli {

struct Output {
  int status = -1;  // exit status; 128 + n when signal n ended it
  std::string out;
  std::string err;

  std::string all() const { return out + err; }
};

// `environment` is added to this process's; nothing is read from standard input.
Output command(const std::vector<std::string>& arguments,
               const std::map<std::string, std::string>& environment = {});

// A folder of the test's own, removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // Writes a file and gives its path.
  std::string write(const std::string& name, const std::string& text) const;
  const std::string& path() const { return path_; }
  std::vector<std::string> names() const;  // what is in it, sorted

 private:
  std::string path_;
};

}  // namespace walspout::cli
