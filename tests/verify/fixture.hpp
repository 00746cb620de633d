// A running pipeline with a SQLite mirror, and `walspout verify` on it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "e2e/pipeline_test.hpp"

namespace walspout::test {

// The text with $1, $2, ... replaced.
inline std::string filled(const std::string& text, const std::vector<std::string>& values) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$') {
      out += values.at(static_cast<std::size_t>(text.at(++i) - '1'));
    } else {
      out += text[i];
    }
  }
  return out;
}

class VerifyTest : public PipelineTest {
 protected:
  // Everything that is there is copied when it returns.
  void start_mirror() {
    config().sinks.resize(1);  // the mirror alone
    host().start_streaming();
    host().wait_caught_up();
  }

  Finished verify(std::vector<std::string> arguments = {}) {
    last_ = host().verb("verify", std::move(arguments));
    return last_;
  }

  // Lines of standard output about rows: all but the summaries of tables and the last line.
  std::vector<std::string> differences() const {
    std::vector<std::string> lines;
    for (const std::string& line : lines_of(last_.output))
      if (line.find("): ") != std::string::npos) lines.push_back(line);
    return lines;
  }
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return lines;
  }

  void expect_equal(std::vector<std::string> arguments = {}) {
    verify(std::move(arguments));
    EXPECT_EQ(last_.status, 0) << last_.output;
    EXPECT_EQ(differences(), std::vector<std::string>());
  }
  void expect_differences(std::vector<std::string> expected,
                          std::vector<std::string> arguments = {}) {
    verify(std::move(arguments));
    EXPECT_EQ(last_.status, 1) << last_.output;
    std::vector<std::string> found = differences();
    std::sort(found.begin(), found.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(found, expected) << last_.output;
  }
  bool printed(const std::string& text) const {
    return last_.output.find(text) != std::string::npos;
  }
  // "... 12 read one by one, ..." of the last line.
  long read_singly() const {
    const std::size_t end = last_.output.find(" read one by one");
    if (end == std::string::npos) return -1;
    const std::size_t begin = last_.output.rfind(' ', end - 1);
    return std::stol(last_.output.substr(begin + 1, end - begin - 1));
  }

  // In the mirror, behind the host's back.
  void in_mirror(const std::string& statement) {
    SqliteFile(mirror_path(), SqliteFile::Mode::kWrite).exec(statement);
  }

  Finished last_;
};

}  // namespace walspout::test
