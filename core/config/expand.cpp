#include "config/expand.hpp"

#include <cstdlib>
#include <string>
#include <utility>

#include "config/read_file.hpp"

namespace walspout::config {
namespace {

// Of a secret or certificate; more is a mistake, such as a device.
constexpr std::size_t kLargestFile = 1024 * 1024;

struct Replaced {
  std::string text;
  std::string problem;  // empty: fine
};

Replaced replace_one(std::string_view inside, const std::filesystem::path& directory) {
  constexpr std::string_view kEnv = "env:";
  constexpr std::string_view kFile = "file:";
  if (inside.starts_with(kEnv)) {
    const std::string name(inside.substr(kEnv.size()));
    if (name.empty()) return {{}, "has ${env:} without a name; write ${env:NAME}"};
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) {
      return {{}, "needs the environment variable " + name + ", which is not set; set it"};
    }
    return {value, {}};
  }
  if (inside.starts_with(kFile)) {
    const std::string name(inside.substr(kFile.size()));
    if (name.empty()) return {{}, "has ${file:} without a path; write ${file:/path}"};
    FileText file = read_file(directory / name, kLargestFile);
    if (!file.error.empty()) {
      return {{}, "needs the file " + name + ", which " + file.error};
    }
    std::string& text = file.text;
    if (text.ends_with('\n')) text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
    if (text.find('\0') != std::string::npos) {
      return {{}, "needs the file " + name + ", which is not text; give a file of one line"};
    }
    return {std::move(text), {}};
  }
  return {{}, "has ${ without env: or file: behind it; write $${ for a literal ${"};
}

void expand_text(Node& node, std::string& text, const std::filesystem::path& directory,
                 const std::string& path, base::Problems& problems) {
  std::string out;
  std::size_t at = 0;
  bool failed = false;
  const auto fail = [&](const std::string& problem) {
    problems.push_back({node.at, path + ' ' + problem});
    failed = true;
  };
  while (at < text.size()) {
    const std::size_t open = text.find("${", at);
    if (open == std::string::npos) break;
    if (open > at && text[open - 1] == '$') {
      out.append(text, at, open - 1 - at).append("${");
      at = open + 2;
      continue;
    }
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) {
      fail("has ${ without a closing }; close it, or write $${ for a literal ${");
      break;
    }
    out.append(text, at, open - at);
    Replaced replaced =
        replace_one(std::string_view(text).substr(open + 2, close - open - 2), directory);
    if (!replaced.problem.empty()) fail(replaced.problem);
    out += replaced.text;
    node.expanded = true;
    at = close + 1;
  }
  if (failed) return;
  out.append(text, at);
  text = std::move(out);
}

}  // namespace

void expand(Node& node, const std::filesystem::path& directory, const std::string& path,
            base::Problems& problems) {
  const std::string prefix = path.empty() ? "" : path + '.';
  if (auto* text = std::get_if<std::string>(&node.value)) {
    expand_text(node, *text, directory, path, problems);
  } else if (auto* list = std::get_if<List>(&node.value)) {
    for (Node& item : list->items) {
      // [[sink]]: sinks are known by their names
      const Table* table = item.table();
      const Node* name = table == nullptr ? nullptr : table->find("name");
      const bool named = name != nullptr && name->text() != nullptr;
      expand(item, directory, named ? prefix + *name->text() : path, problems);
    }
  } else if (auto* table = std::get_if<Table>(&node.value)) {
    for (Node& entry : table->entries) expand(entry, directory, prefix + entry.key, problems);
  }
}

}  // namespace walspout::config
