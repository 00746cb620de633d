// Replays the fuzzing corpus in the ordinary test run: seeds made from captures decode, and what a
// fuzzer once found stays fixed.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "pgoutput_input.hpp"
#include "support.hpp"

namespace walspout::pgoutput {
namespace {

std::vector<std::uint8_t> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(WALSPOUT_CORPUS)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Corpus, SeedsAreMessagesOfEveryType) {
  std::set<char> types;
  for (const auto& path : corpus()) {
    if (!path.filename().string().starts_with("seed-")) continue;
    const auto input = read_file(path);
    EXPECT_TRUE(fuzz::run_pgoutput(input)) << path;
    if (input.size() > 1) types.insert(static_cast<char>(input[1]));
  }
  EXPECT_THAT(types, testing::UnorderedElementsAreArray(std::string("BCORYIUDTMSEcAbPKrp")));
}

TEST(Corpus, EveryFileIsAMessageOrMalformed) {
  std::size_t decoded = 0;
  for (const auto& path : corpus()) {
    SCOPED_TRACE(path);
    if (fuzz::run_pgoutput(read_file(path))) ++decoded;
  }
  EXPECT_GT(decoded, 0U);
}

}  // namespace
}  // namespace walspout::pgoutput
