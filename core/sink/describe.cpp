#include "sink/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/quote.hpp"
#include "sink/option_value.hpp"

namespace walspout::sink {
namespace {

bool has(const walspout_option& option, std::uint32_t flag) { return (option.flags & flag) != 0; }

std::string described_type(const walspout_option& option) {
  if (has(option, WALSPOUT_LIST)) return fmt::format("list of {}s", type_name(option.type));
  if (has(option, WALSPOUT_TABLE)) return fmt::format("table of {}s", type_name(option.type));
  return std::string(type_name(option.type));
}

std::string toml_default(const walspout_option& option) {
  if (option.def == nullptr) return {};
  const auto value = parse_default(option);
  const auto* text = value ? std::get_if<std::string>(&value->value) : nullptr;
  return text != nullptr ? toml_string(*text) : option.def;
}

std::string example_scalar(const walspout_option& option) {
  if (has(option, WALSPOUT_SECRET)) {
    std::string variable = option.name;
    std::transform(variable.begin(), variable.end(), variable.begin(), [](unsigned char c) {
      return c == '-' ? '_' : static_cast<char>(std::toupper(c));
    });
    return fmt::format("\"${{env:{}}}\"", variable);
  }
  switch (option.type) {
    case WALSPOUT_BOOL:
      return "false";
    case WALSPOUT_INT:
      return "0";
    case WALSPOUT_FLOAT:
      return "0.0";
    case WALSPOUT_DURATION_MS:
      return "\"30s\"";
    case WALSPOUT_BYTES:
      return "\"64MiB\"";
    case WALSPOUT_PATH:
      return fmt::format("\"{}\"", option.name);
    default:
      return "\"...\"";
  }
}

std::string example(const walspout_option& option) {
  if (option.def != nullptr) return toml_default(option);
  if (has(option, WALSPOUT_LIST)) return '[' + example_scalar(option) + ']';
  if (has(option, WALSPOUT_TABLE)) return "{ name = " + example_scalar(option) + " }";
  return example_scalar(option);
}

}  // namespace

std::vector<OptionRow> option_rows(const walspout_plugin& plugin) {
  std::vector<OptionRow> rows;
  for (std::uint32_t i = 0; i < plugin.option_count; ++i) {
    const walspout_option& option = plugin.options[i];
    rows.push_back({option.name, described_type(option), base::one_line(toml_default(option)),
                    has(option, WALSPOUT_REQUIRED), has(option, WALSPOUT_SECRET),
                    base::one_line(option.doc)});
  }
  return rows;
}

std::string option_table(const walspout_plugin& plugin) {
  struct Line {
    std::string name, type, value, doc;
  };
  std::vector<Line> lines = {{"option", "type", "default", "meaning"}};
  for (OptionRow& row : option_rows(plugin)) {
    std::string value = row.required ? "(required)" : std::move(row.default_value);
    if (row.secret) row.type += ", secret";
    lines.push_back(
        {std::move(row.name), std::move(row.type), std::move(value), std::move(row.doc)});
  }
  std::size_t name = 0, type = 0, value = 0;
  for (const Line& line : lines) {
    name = std::max(name, line.name.size());
    type = std::max(type, line.type.size());
    value = std::max(value, line.value.size());
  }
  std::string text;
  for (const Line& line : lines) {
    text += fmt::format("{:{}}  {:{}}  {:{}}  {}\n", line.name, name, line.type, type, line.value,
                        value, line.doc);
  }
  return text;
}

std::string sample_sink(const walspout_plugin& plugin) {
  std::string text = fmt::format("[[sink]]\nname = \"{0}\"\nplugin = \"{0}\"\n", plugin.name);
  if (plugin.option_count == 0) return text;
  text += "[sink.options]\n";
  std::vector<std::string> assignments;
  std::size_t width = 0;
  for (std::uint32_t i = 0; i < plugin.option_count; ++i) {
    const walspout_option& option = plugin.options[i];
    assignments.push_back(fmt::format("{}{} = {}", has(option, WALSPOUT_REQUIRED) ? "" : "# ",
                                      option.name, example(option)));
    width = std::max(width, assignments.back().size());
  }
  for (std::uint32_t i = 0; i < plugin.option_count; ++i) {
    text +=
        fmt::format("{:{}}  # {}\n", assignments[i], width, base::one_line(plugin.options[i].doc));
  }
  return text;
}

std::vector<std::string> abilities(const walspout_plugin& plugin) {
  struct Word {
    std::uint64_t bit;
    const char* text;
  };
  constexpr Word kCaps[] = {
      {WALSPOUT_CAP_POSITION, "keeps its position with its data (exactly once)"},
      {WALSPOUT_CAP_IDEMPOTENT, "a repeated transaction changes nothing"},
      {WALSPOUT_CAP_BINARY, "takes binary values"},
      {WALSPOUT_CAP_SNAPSHOT, "takes the initial copy"},
      {WALSPOUT_CAP_SHADOW, "keeps old rows readable during a copy"},
      {WALSPOUT_CAP_READ_BACK, "can be verified"},
      {WALSPOUT_NEEDS_KEY, "needs tables with a replica identity"},
      {WALSPOUT_NEEDS_FULL_ROW, "needs REPLICA IDENTITY FULL"}};
  constexpr Word kTakes[] = {{WALSPOUT_TAKES_TRUNCATE, "takes truncate"},
                             {WALSPOUT_TAKES_PARTIAL_ROW, "takes partial rows"},
                             {WALSPOUT_TAKES_KEY_CHANGE, "takes changes of a key"},
                             {WALSPOUT_TAKES_MESSAGE, "takes messages"},
                             {WALSPOUT_TAKES_SCHEMA, "takes schema changes"},
                             {WALSPOUT_TAKES_NO_KEY, "takes tables without a key"}};
  std::vector<std::string> words;
  for (const Word& word : kCaps)
    if ((plugin.caps & word.bit) != 0) words.emplace_back(word.text);
  for (const Word& word : kTakes)
    if ((plugin.takes & word.bit) != 0) words.emplace_back(word.text);
  return words;
}

}  // namespace walspout::sink
