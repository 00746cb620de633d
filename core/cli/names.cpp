#include "cli/names.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/nearest.hpp"
#include "cli/console.hpp"

namespace walspout::cli {

std::optional<std::vector<std::string>> table_patterns(const std::vector<std::string>& tables) {
  std::vector<std::string> whole;
  for (const std::string& table : tables) {
    const std::string mark = table.starts_with('!') ? "!" : "";
    const std::string name = table.substr(mark.size());
    const std::size_t dot = name.find('.');
    if (name.empty() || dot == 0 || dot == name.size() - 1) {
      print_error(
          fmt::format("`{}` is not a pattern; write schema.table, where * stands for any "
                      "characters",
                      printable(table)));
      return std::nullopt;
    }
    whole.push_back(fmt::format("{}{}{}", mark, dot == std::string::npos ? "public." : "", name));
  }
  return whole;
}

bool known_sink(const config::Config& config, const std::string& name, const char* what) {
  std::vector<std::string_view> names;
  for (const config::Sink& sink : config.sinks) {
    if (sink.name == name) return true;
    names.push_back(sink.name);
  }
  print_error(fmt::format("{} {} is not in {}{}", what, printable(name), printable(config.file),
                          base::did_you_mean(name, names)));
  return false;
}

}  // namespace walspout::cli
