// Each case of mistakes.txt is a file and exactly the lines it must give.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "config/load.hpp"
#include "config_file.hpp"

namespace walspout::config {
namespace {

struct Case {
  std::string name;
  std::string text;
  std::string expected;  // lines, with "FILE" in place of the path
};

// The format of mistakes.txt: "=== name", the file, "--- expected", the lines.
std::vector<Case> cases() {
  std::ifstream in(MISTAKES_FILE);
  std::vector<Case> all;
  std::string line;
  bool expected = false;
  while (std::getline(in, line)) {
    if (line.starts_with("=== ")) {
      all.push_back({line.substr(4), "", ""});
      expected = false;
    } else if (line == "--- expected") {
      expected = true;
    } else if (!all.empty()) {
      (expected ? all.back().expected : all.back().text) += line + '\n';
    }
  }
  return all;
}

class Mistakes : public ::testing::TestWithParam<Case> {};

TEST_P(Mistakes, GiveExactlyTheirLines) {
  ASSERT_EQ(setenv("WALSPOUT_TEST_SECRET", "S3cr3tPw", 1), 0);
  ASSERT_EQ(unsetenv("WALSPOUT_TEST_UNSET"), 0);
  const ConfigFile file(GetParam().text);
  const LoadResult result = load(file.path());
  EXPECT_EQ(file.lines(result), GetParam().expected);
  EXPECT_EQ(result.config.has_value(), result.problems.empty());
  EXPECT_EQ(file.lines(result).find("S3cr3t"), std::string::npos) << "a secret is printed";
}

TEST(MistakesFile, IsThere) { EXPECT_GT(cases().size(), 40U); }

INSTANTIATE_TEST_SUITE_P(File, Mistakes, ::testing::ValuesIn(cases()), [](const auto& info) {
  std::string name = info.param.name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

}  // namespace
}  // namespace walspout::config
