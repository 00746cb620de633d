#include <algorithm>
#include <stdexcept>

#include "storm/storm.hpp"

namespace walspout::test::storm {

void Script::statement(int writer, const std::string& sql, const std::string& error) {
  if (!error.empty()) {
    std::string line = error.substr(0, 200);
    std::replace(line.begin(), line.end(), '\n', ' ');
    out_ << "-- " << line << "\n";
  }
  // At once, so that it is there however the test ends.
  out_ << sql << "; -- " << writer << (error.empty() ? "" : " failed") << std::endl;
}

std::vector<ScriptLine> read_script(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<ScriptLine> lines;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("--! ", 0) == 0) {
      lines.push_back({0, "", line.substr(4)});
      continue;
    }
    const std::size_t end = line.rfind("; -- ");
    if (line.rfind("--", 0) == 0 || end == std::string::npos) continue;
    lines.push_back({std::stoi(line.substr(end + 5)), line.substr(0, end), ""});
  }
  return lines;
}

}  // namespace walspout::test::storm
