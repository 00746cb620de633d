#include "sink/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/nearest.hpp"
#include "base/quote.hpp"
#include "sink/option_value.hpp"

namespace walspout::sink {
namespace fs = std::filesystem;

namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

// What stands in the file, without its content.
std::string_view kind_of(const base::RawOption& raw) {
  return std::visit(Overloaded{[](const std::string&) { return std::string_view("a string"); },
                               [](bool) { return std::string_view("true or false"); },
                               [](std::int64_t) { return std::string_view("a whole number"); },
                               [](double) { return std::string_view("a number with a point"); },
                               [](const base::RawList&) { return std::string_view("a list"); },
                               [](const base::RawTable&) { return std::string_view("a table"); }},
                    raw.value);
}

bool is_secret(const walspout_option& option) { return (option.flags & WALSPOUT_SECRET) != 0; }

// "scheme://user:password@host" with the password as ***. The password ends at the last @ before
// the path, so that one with an unescaped @ is hidden as a whole.
std::string hide_password(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return std::string(text);
  const std::size_t start = scheme + 3;
  const std::size_t end = std::min(text.find_first_of("/?#", start), text.size());
  const std::size_t at = text.substr(0, end).rfind('@');
  if (at == std::string_view::npos || at < start) return std::string(text);
  const std::size_t colon = text.find(':', start);
  if (colon >= at) return std::string(text);
  return fmt::format("{}***{}", text.substr(0, colon + 1), text.substr(at));
}

}  // namespace

class Resolver {
 public:
  Resolver(const walspout_plugin& plugin, const fs::path& folder, base::Problems& problems)
      : plugin_(plugin),
        options_(plugin.options, plugin.option_count),
        folder_(folder),
        problems_(problems) {}

  ResolvedSettings run(const std::vector<base::RawOption>& raw, const base::Location& sink_at) {
    for (const walspout_option& option : options_) {
      const auto given = std::find_if(raw.begin(), raw.end(),
                                      [&](const auto& entry) { return entry.name == option.name; });
      if (given != raw.end())
        take(option, *given);
      else
        take_default(option, sink_at);
    }
    for (const base::RawOption& entry : raw) refuse_unknown(entry);
    return std::move(result_);
  }

 private:
  void problem(const base::Location& at, std::string text) {
    problems_.push_back({at, std::move(text)});
  }

  void refuse_unknown(const base::RawOption& entry) {
    std::vector<std::string_view> known;
    for (const walspout_option& option : options_) known.emplace_back(option.name);
    if (std::find(known.begin(), known.end(), entry.name) != known.end()) return;
    if (known.empty()) {
      problem(entry.at, fmt::format("unknown option {}; plugin '{}' has no options",
                                    base::quoted(entry.name), plugin_.name));
      return;
    }
    problem(entry.at, fmt::format("unknown option {} of plugin '{}'{}", base::quoted(entry.name),
                                  plugin_.name, base::did_you_mean(entry.name, known)));
  }

  void take_default(const walspout_option& option, const base::Location& sink_at) {
    if ((option.flags & WALSPOUT_REQUIRED) != 0) {
      problem(sink_at,
              fmt::format("option '{}' of plugin '{}' is missing; add it under [sink.options]: {}",
                          option.name, plugin_.name, base::one_line(option.doc)));
      return;
    }
    if (option.def == nullptr) return;
    base::RawOption value = *parse_default(option);  // check_descriptor() has seen that it parses
    value.at = sink_at;
    take(option, value);
  }

  void take(const walspout_option& option, const base::RawOption& raw) {
    if ((option.flags & WALSPOUT_LIST) != 0)
      take_list(option, raw);
    else if ((option.flags & WALSPOUT_TABLE) != 0)
      take_table(option, raw);
    else
      take_scalar(option, option.name, raw, raw.at);
  }

  void take_list(const walspout_option& option, const base::RawOption& raw) {
    const auto* list = std::get_if<base::RawList>(&raw.value);
    if (list == nullptr) {
      problem(raw.at, fmt::format("option '{}' must be a list in brackets, not {}; each item is {}",
                                  option.name, kind_of(raw), type_form(option.type)));
      return;
    }
    if (list->items.empty()) refuse_empty(option, raw.at);
    for (const base::RawOption& item : list->items) take_scalar(option, option.name, item, raw.at);
  }

  void take_table(const walspout_option& option, const base::RawOption& raw) {
    const auto* table = std::get_if<base::RawTable>(&raw.value);
    if (table == nullptr) {
      problem(raw.at,
              fmt::format("option '{}' must be a table, as under [sink.options.{}], not {}; "
                          "each entry is {}",
                          option.name, option.name, kind_of(raw), type_form(option.type)));
      return;
    }
    if (table->entries.empty()) refuse_empty(option, raw.at);
    for (const base::RawOption& entry : table->entries)
      take_scalar(option, fmt::format("{}.{}", option.name, entry.name), entry, raw.at);
  }

  void refuse_empty(const walspout_option& option, const base::Location& at) {
    if ((option.flags & WALSPOUT_REQUIRED) != 0)
      problem(at, fmt::format("option '{}' is empty and needs one entry at least", option.name));
  }

  // name: "option" or "option.key". around: the place to name when the value has none of its own.
  void take_scalar(const walspout_option& option, std::string_view name, const base::RawOption& raw,
                   const base::Location& around) {
    auto scalar = to_scalar(raw, option.type);
    if (!scalar) {
      problem(raw.at.line != 0 ? raw.at : around,
              fmt::format("option {} must be {}, not {}", base::quoted(name),
                          type_form(option.type), shown(option, raw)));
      return;
    }
    if (option.type == WALSPOUT_PATH && fs::path(scalar->text).is_relative())
      scalar->text = (fs::absolute(folder_) / scalar->text).native();
    add(option, name, *scalar);
  }

  // The value itself where it helps and is no secret.
  static std::string shown(const walspout_option& option, const base::RawOption& raw) {
    const auto* text = std::get_if<std::string>(&raw.value);
    if (text == nullptr || is_secret(option)) return std::string(kind_of(raw));
    if (text->empty()) return "an empty string";
    const bool has_units = option.type == WALSPOUT_DURATION_MS || option.type == WALSPOUT_BYTES;
    return has_units ? base::quoted(*text) : std::string(kind_of(raw));
  }

  void add(const walspout_option& option, std::string_view name, const Scalar& scalar) {
    name = result_.memory_.copy(name);
    const std::string_view text = result_.memory_.copy(std::string_view(scalar.text));
    walspout_setting setting{};
    setting.name = {name.data(), name.size()};
    setting.type = option.type;
    setting.integer = scalar.integer;
    setting.number = scalar.number;
    setting.string = {text.data(), text.size()};
    result_.settings_.push_back(setting);
    result_.secret_.push_back(is_secret(option));
  }

  const walspout_plugin& plugin_;
  std::span<const walspout_option> options_;
  const fs::path& folder_;
  base::Problems& problems_;
  ResolvedSettings result_;
};

std::vector<std::pair<std::string, std::string>> ResolvedSettings::redacted() const {
  std::vector<std::pair<std::string, std::string>> lines;
  for (std::size_t i = 0; i < settings_.size(); ++i) {
    const walspout_setting& setting = settings_[i];
    const std::string_view text(setting.string.data, setting.string.size);
    lines.emplace_back(std::string(setting.name.data, setting.name.size),
                       secret_[i] ? "***" : base::one_line(hide_password(text)));
  }
  return lines;
}

ResolvedSettings resolve(const walspout_plugin& plugin, const std::vector<base::RawOption>& raw,
                         const base::Location& sink_at, const fs::path& folder,
                         base::Problems& problems) {
  return Resolver(plugin, folder, problems).run(raw, sink_at);
}

}  // namespace walspout::sink
