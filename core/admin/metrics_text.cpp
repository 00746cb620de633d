#include "admin/metrics_text.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>

namespace walspout::admin {
namespace {

constexpr std::array<std::string_view, WALSPOUT_FATAL + 1> kResults = {"ok",     "retry",  "reopen",
                                                                       "poison", "config", "fatal"};
constexpr std::array<std::string_view, 7> kOperations = {"",         "insert", "update", "delete",
                                                         "truncate", "schema", "message"};
constexpr std::array<std::string_view, 7> kStates = {"opening", "running",  "retrying", "hanging",
                                                     "paused",  "finished", "failed"};

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

class Writer {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // Of the samples that follow.
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    append("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  template <class Value>
  void sample(const Labels& labels, Value value, std::string_view suffix = "") {
    text_.append(name_).append(suffix);
    if (labels.size() != 0) {
      char before = '{';
      for (const auto& [label, of] : labels) {
        append("{}{}=\"{}\"", before, label, escaped(of));
        before = ',';
      }
      text_ += '}';
    }
    append(" {}\n", value);
  }
  void histogram(std::string_view sink, const sink::Histogram::Figures& figures) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < figures.counts.size(); ++i) {
      count += figures.counts[i];
      const bool last = i == sink::Histogram::kBounds.size();
      sample({{"sink", sink}, {"le", last ? "+Inf" : fmt::to_string(sink::Histogram::kBounds[i])}},
             count, "_bucket");
    }
    sample({{"sink", sink}}, figures.sum, "_sum");
    sample({{"sink", sink}}, count, "_count");
  }
  std::string take() { return std::move(text_); }

 private:
  template <class... Arguments>
  void append(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  std::string text_, name_;
};

void write_source(Writer& out, const Figures& figures) {
  const control::Status& status = figures.status;
  out.family("walspout_build_info", "gauge", "Always 1; the labels tell what runs.");
  out.sample({{"version", status.version},
              {"abi", fmt::format("{}.{}", WALSPOUT_ABI_MAJOR, WALSPOUT_ABI_MINOR)}},
             1);
  out.family("walspout_source_streaming", "gauge", "1 while the stream is connected.");
  out.sample({}, status.streaming ? 1 : 0);
  if (figures.written != 0) {
    out.family("walspout_source_lag_bytes", "gauge",
               "WAL of the source that was not received, or not confirmed as durable.");
    const auto lag = [&](base::Lsn position) {
      return figures.written > position ? figures.written - position : 0;
    };
    out.sample({{"stage", "received"}}, lag(status.received));
    out.sample({{"stage", "flushed"}}, lag(status.confirmed));
  }
  out.family("walspout_source_lag_seconds", "gauge",
             "How long the oldest change has been here that is not confirmed.");
  out.sample({}, figures.lag_s.value_or(0));
  if (const auto& slot = status.slot) {
    out.family("walspout_slot_retained_wal_bytes", "gauge", "WAL that the source keeps.");
    out.sample({}, slot->retained_bytes);
    out.family("walspout_slot_growth_bytes_per_second", "gauge", "By which that grows.");
    out.sample({}, slot->growth);
    if (slot->safe_bytes) {
      out.family("walspout_slot_safe_wal_bytes", "gauge",
                 "More WAL that may be written before the slot can be lost.");
      out.sample({}, *slot->safe_bytes);
    }
  }
  out.family("walspout_memory_used_bytes", "gauge", "Of [host] memory.");
  out.sample({}, status.memory_used);
  out.family("walspout_transactions_total", "counter",
             "Transactions received that change a table.");
  out.sample({}, figures.transactions);
  out.family("walspout_changes_total", "counter", "Changes received.");
  for (std::size_t op = WALSPOUT_INSERT; op < kOperations.size(); ++op)
    out.sample({{"op", kOperations[op]}}, figures.changes[op]);
}

void write_sinks(Writer& out, const Figures& figures) {
  const auto each = [&](std::string_view name, std::string_view type, std::string_view help,
                        const auto& write) {
    out.family(name, type, help);
    for (std::size_t i = 0; i < figures.sinks.size(); ++i)
      write(figures.status.sinks[i], figures.sinks[i]);
  };
  using Told = const control::SinkStatus&;
  using Counted = const SinkFigures&;
  each("walspout_sink_state", "gauge", "1 for the state that the sink is in.",
       [&](Told sink, Counted) {
         for (const std::string_view state : kStates)
           out.sample({{"sink", sink.name}, {"state", state}}, sink.state == state ? 1 : 0);
       });
  each("walspout_sink_lag_bytes", "gauge", "WAL that was received and is not durable in the sink.",
       [&](Told sink, Counted) {
         out.sample({{"sink", sink.name}}, sink.behind_bytes);
       });
  each("walspout_sink_lag_seconds", "gauge", "How long the oldest of that has been here.",
       [&](Told sink, Counted) {
         out.sample({{"sink", sink.name}}, static_cast<double>(sink.behind_ms.value_or(0)) / 1000);
       });
  each("walspout_sink_queue_bytes", "gauge", "What waits for the sink in memory.",
       [&](Told sink, Counted) {
         out.sample({{"sink", sink.name}}, sink.queue_bytes);
       });
  each("walspout_sink_calls_total", "counter", "Calls of the plugin, by what came of them.",
       [&](Told sink, Counted counted) {
         for (std::size_t i = 0; i < kResults.size(); ++i)
           out.sample({{"sink", sink.name}, {"result", kResults[i]}}, counted.calls[i]);
       });
  each("walspout_sink_flush_seconds", "histogram",
       "How long the sink takes to make things durable.",
       [&](Told sink, Counted counted) { out.histogram(sink.name, counted.flush); });
  each("walspout_commit_to_durable_seconds", "histogram",
       "From the commit at the source until the sink has it durable.",
       [&](Told sink, Counted counted) { out.histogram(sink.name, counted.commit_to_durable); });
}

// Characters that a name may not have.
std::string metric_name(std::string_view name) {
  std::string out = "walspout_plugin_";
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += letter ? c : '_';
  }
  return out;
}

// One family a name, however many sinks count it.
void write_plugins(Writer& out, const Figures& figures) {
  std::map<std::string, std::vector<std::pair<std::string_view, double>>> families;
  for (std::size_t i = 0; i < figures.sinks.size(); ++i)
    for (const auto& [name, value] : figures.sinks[i].own)
      families[metric_name(name)].emplace_back(figures.status.sinks[i].name, value);
  for (const auto& [name, samples] : families) {
    out.family(name, "untyped", "Counted by the plugin.");
    for (const auto& [sink, value] : samples) out.sample({{"sink", sink}}, value);
  }
}

void write_copies(Writer& out, const Figures& figures) {
  if (figures.copies.empty()) return;
  out.family("walspout_snapshot_rows_total", "counter", "Rows copied of the table.");
  for (const CopyFigures& copy : figures.copies) out.sample({{"table", copy.table}}, copy.rows);
  out.family("walspout_snapshot_progress_ratio", "gauge", "Of the table's rows, as estimated.");
  for (const CopyFigures& copy : figures.copies) out.sample({{"table", copy.table}}, copy.ratio);
}

}  // namespace

std::string metrics_text(const Figures& figures) {
  Writer out;
  write_source(out, figures);
  write_sinks(out, figures);
  write_plugins(out, figures);
  write_copies(out, figures);
  return out.take();
}

}  // namespace walspout::admin
