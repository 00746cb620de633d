#include "config/load.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "config/expand.hpp"
#include "config/interpret.hpp"
#include "config/read_file.hpp"
#include "config/tree.hpp"

namespace walspout::config {
namespace {

constexpr std::size_t kLargestFile = 4 * 1024 * 1024;

bool same_place(const base::Problem& a, const base::Problem& b) {
  return a.at.line == b.at.line && a.at.column == b.at.column;
}

void sort_by_place(base::Problems& problems) {
  std::stable_sort(problems.begin(), problems.end(),
                   [](const base::Problem& a, const base::Problem& b) {
                     return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
                   });
}

}  // namespace

std::string to_string(const base::Problem& problem) {
  return base::to_string(problem.at) + ": " + problem.text;
}

LoadResult load(const std::string& file) {
  LoadResult result;
  const auto fail = [&](std::string text) {
    result.problems.push_back({{file, 0, 0}, std::move(text)});
    return result;
  };
  const FileText content = read_file(file, kLargestFile);
  if (!content.error.empty()) return fail("the configuration " + content.error);

  ParseResult parsed = parse_toml(content.text, file);
  if (!parsed.root) {
    result.problems = std::move(parsed.problems);
    return result;
  }
  if (parsed.root->table()->entries.empty()) {
    return fail("the file is empty; it needs a [source] with url and at least one [[sink]]");
  }

  Config config;
  config.file = file;
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(file, error);
  if (error) return fail("the working directory is gone (" + error.message() + "); go to another");
  config.directory = absolute.parent_path();
  config.host.name =
      absolute.extension() == ".toml" ? absolute.stem().string() : absolute.filename().string();

  base::Problems unreplaced;
  expand(*parsed.root, config.directory, "", unreplaced);
  base::Problems problems;
  interpret(*parsed.root, config, problems, result.warnings);
  // Where a ${...} could not be replaced, what else is wrong with the value says nothing.
  std::erase_if(problems, [&](const base::Problem& problem) {
    return std::any_of(unreplaced.begin(), unreplaced.end(),
                       [&](const base::Problem& other) { return same_place(problem, other); });
  });
  problems.insert(problems.end(), unreplaced.begin(), unreplaced.end());
  sort_by_place(problems);
  sort_by_place(result.warnings);
  result.problems = std::move(problems);
  if (result.problems.empty()) result.config = std::move(config);
  return result;
}

}  // namespace walspout::config
