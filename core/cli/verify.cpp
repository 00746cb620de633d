#include "verify/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/units.hpp"
#include "cli/configuration.hpp"
#include "cli/console.hpp"
#include "cli/names.hpp"
#include "cli/verbs.hpp"
#include "log/log.hpp"
#include "pipeline/sinks.hpp"
#include "postgres/interrupt.hpp"

namespace walspout::cli {
namespace {

constexpr std::size_t kShown = 60;  // bytes of a value

// 'text', cut at a character's begin; NULL without quotes.
std::string value(const std::optional<std::string>& text) {
  if (!text) return "NULL";
  std::size_t size = std::min(kShown, text->size());
  while (size > 0 && size < text->size() &&
         (static_cast<unsigned char>((*text)[size]) & 0xC0) == 0x80)
    --size;
  const std::string shown = printable(std::string_view(*text).substr(0, size));
  return size == text->size() ? "'" + shown + "'"
                              : fmt::format("'{}'... ({} bytes)", shown, text->size());
}

// The same, without quotes where it needs none.
std::string bare(const std::optional<std::string>& text) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:+-";
  const bool plain = text && !text->empty() && *text != "NULL" && text->size() <= kShown &&
                     text->find_first_not_of(kPlain) == std::string::npos;
  return plain ? *text : value(text);
}

std::string rows(std::uint64_t count) {
  return fmt::format("{} row{}", count, count == 1 ? "" : "s");
}

class Printer : public verify::Listener {
 public:
  explicit Printer(bool several) : several_(several) {}

  void difference(const std::string& sink, const std::string& table,
                  const verify::Difference& difference) override {
    std::string row;
    for (const auto& [column, text] : difference.row)
      row += fmt::format("{}{}={}", row.empty() ? "" : ", ", printable(column), bare(text));
    const std::string copies =
        difference.copies > 1 ? fmt::format("{} times ", difference.copies) : "";
    print(fmt::format("{}{} ({}): {}{}\n", of(sink), printable(table), row, copies,
                      what(difference)));
  }

  void finished(const std::string& sink, const verify::TableResult& result) override {
    print(of(sink) + printable(result.table) + ": " + sentence(result) + '\n');
  }

  void note(const std::string& text) override { print(printable(text) + '\n'); }

 private:
  std::string of(const std::string& sink) const { return several_ ? sink + ": " : ""; }

  static std::string what(const verify::Difference& difference) {
    using What = verify::Difference::What;
    if (difference.what == What::kMissing) return "missing in the mirror";
    if (difference.what == What::kExtra) return "extra in the mirror";
    std::string text;
    for (const auto& column : difference.columns)
      text += fmt::format("{}{} (source {}, mirror {})", text.empty() ? "differs in: " : ", ",
                          printable(column.name), value(column.source), value(column.target));
    return text;
  }

  static std::string sentence(const verify::TableResult& result) {
    if (!result.compared) return "not compared: " + printable(result.why);
    const verify::Counts& counts = result.counts;
    std::string text = rows(counts.rows);
    if (counts.differences == 0) {
      text += ", equal";
    } else {
      text += fmt::format(", {}{} of them differ{}", counts.more ? "at least " : "",
                          counts.differences, counts.differences == 1 ? "s" : "");
    }
    if (result.mended != 0) text += fmt::format(", {} mended", result.mended);
    if (counts.waiting != 0)
      text += fmt::format("; {} wait in the stream and were not compared: start the host",
                          rows(counts.waiting));
    return text;
  }

  bool several_;
};

struct Totals {
  std::uint64_t tables = 0, rows = 0, differences = 0, mended = 0, singly = 0, skipped = 0;
  bool more = false;
};

void add(Totals& totals, const verify::TableResult& result) {
  ++totals.tables;
  totals.rows += result.counts.rows;
  totals.differences += result.counts.differences;
  totals.mended += result.mended;
  totals.singly += result.counts.singly;
  totals.more = totals.more || result.counts.more;
  if (!result.compared) ++totals.skipped;
}

void print_totals(const Totals& totals, double seconds) {
  std::string text = fmt::format("{} of {} table{}, {}{} differ", rows(totals.rows), totals.tables,
                                 totals.tables == 1 ? "" : "s", totals.more ? "at least " : "",
                                 totals.differences);
  if (totals.mended != 0) text += fmt::format(", {} mended", totals.mended);
  if (totals.skipped != 0) text += fmt::format(", {} not compared", totals.skipped);
  print(fmt::format("{}; {} read one by one, {:.1f} s\n", text, totals.singly, seconds));
}

// The sinks to compare; nothing, and the errors printed, when there is none.
std::vector<const PreparedSink*> choose(const std::vector<PreparedSink>& sinks,
                                        const std::string& name) {
  std::vector<const PreparedSink*> chosen;
  std::vector<std::string> reasons;
  for (const PreparedSink& sink : sinks) {
    if (!name.empty() && sink.config->name != name) continue;
    if (const auto reason = verify::cannot_verify(sink)) {
      reasons.push_back("sink " + sink.config->name + " is not compared: " + *reason);
    } else {
      chosen.push_back(&sink);
    }
  }
  for (const std::string& reason : reasons) {
    if (chosen.empty()) {
      print_error(reason);
    } else {
      print(reason + '\n');
    }
  }
  return chosen;
}

std::optional<std::chrono::milliseconds> duration(const std::string& text) {
  if (text.empty()) return verify::Options().wait;
  if (const auto ms = base::parse_duration_ms(text)) return std::chrono::milliseconds(*ms);
  print_error(
      fmt::format("--wait {} is wrong: it must be {}", printable(text), base::kDurationForm));
  return std::nullopt;
}

}  // namespace

int verify(const Arguments& arguments, StopSignal& stop) {
  auto config = load_configuration(arguments.file);
  if (!config) return kUsage;
  // What is found is printed; the log speaks up when something is wrong or is waited for.
  if (config->log.level == log::Level::kInfo) config->log.level = log::Level::kWarn;
  log::configure(config->log.level, config->log.format);
  const auto patterns = table_patterns(arguments.tables);
  const auto wait = duration(arguments.wait);
  if (!patterns || !wait) return kUsage;
  if (!arguments.sink.empty() && !known_sink(*config, arguments.sink)) return kUsage;

  base::Problems problems;
  const std::vector<PreparedSink> sinks = prepare_sinks(*config, problems);
  for (const base::Problem& problem : problems) print_problem(problem);
  if (!problems.empty()) return kUsage;
  const auto chosen = choose(sinks, arguments.sink);
  if (chosen.empty()) return kUsage;

  const postgres::Interrupt interrupt(stop.fd());
  const auto start = std::chrono::steady_clock::now();
  const verify::Options options{base::TablePatterns(*patterns), *wait, arguments.repair};
  Printer printer(chosen.size() > 1);
  Totals totals;
  for (const PreparedSink* sink : chosen)
    for (const auto& result : verify::verify_sink(*config, *sink, options, printer, interrupt))
      add(totals, result);
  if (totals.tables == 0) {
    print_error("no published table of these sinks matches; `walspout check` lists the tables");
    return kUsage;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print_totals(totals, took.count());
  return totals.differences == totals.mended && totals.skipped == 0 ? kDone : kFailed;
}

}  // namespace walspout::cli
