#include "pipeline/sinks.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "log/log.hpp"
#include "sink/plugin_path.hpp"

namespace walspout {
namespace {

std::uint32_t operations(const config::Sink& config, const walspout_plugin& plugin,
                         base::Problems& problems) {
  const bool truncate = (plugin.takes & WALSPOUT_TAKES_TRUNCATE) != 0;
  std::uint32_t bits = route::kInsert | route::kUpdate | route::kDelete;
  if (truncate) bits |= route::kTruncate;
  if (config.operations) {
    bits = 0;
    if (config.operations->insert) bits |= route::kInsert;
    if (config.operations->update) bits |= route::kUpdate;
    if (config.operations->delete_) bits |= route::kDelete;
    if (config.operations->truncate) bits |= route::kTruncate;
    if (config.operations->truncate && !truncate)
      problems.push_back({config.at, "sink " + config.name + ": plugin " + plugin.name +
                                         " cannot take truncate; remove it from operations"});
  }
  if ((plugin.takes & WALSPOUT_TAKES_SCHEMA) != 0) bits |= route::kSchema;
  if ((plugin.takes & WALSPOUT_TAKES_MESSAGE) != 0) bits |= route::kMessage;
  if ((plugin.caps & WALSPOUT_CAP_SHADOW) != 0)
    bits |= route::kCopyBegin | route::kCopyEnd | route::kCopyFailed;
  return bits;
}

bool wants_copy(const config::Config& config, const config::Sink& sink,
                const walspout_plugin& plugin, std::uint32_t operations, base::Problems& problems) {
  const bool able = (plugin.caps & WALSPOUT_CAP_SNAPSHOT) != 0;
  if (sink.snapshot == config::SinkSnapshot::kInitial && !able)
    problems.push_back({sink.at, "sink " + sink.name + ": plugin " + plugin.name +
                                     " takes no copies; set snapshot = \"never\""});
  if (sink.snapshot == config::SinkSnapshot::kNever || !able) return false;
  const bool wanted = sink.snapshot == config::SinkSnapshot::kInitial ||
                      config.source.snapshot == config::Snapshot::kInitial;
  return wanted && (operations & route::kInsert) != 0;
}

// Two kinds of sinks in one file would destroy each other's work; two of one kind are the plugin's
// matter.
void check_paths(const std::vector<PreparedSink>& sinks, base::Problems& problems) {
  const auto is_path = [](const walspout_setting& setting) {
    return setting.type == WALSPOUT_PATH;
  };
  const auto text = [](const walspout_setting& setting) {
    return std::string_view(setting.string.data, setting.string.size);
  };
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (sinks[i].plugin == sinks[j].plugin) continue;
      for (const walspout_setting& mine : sinks[i].settings.settings()) {
        for (const walspout_setting& other : sinks[j].settings.settings()) {
          if (!is_path(mine) || !is_path(other) || text(mine) != text(other)) continue;
          problems.push_back({sinks[i].config->at,
                              "sink " + sinks[i].config->name + " has the same path as sink " +
                                  sinks[j].config->name + "; give each a file of its own"});
        }
      }
    }
  }
}

}  // namespace

std::vector<PreparedSink> prepare_sinks(const config::Config& config, base::Problems& problems) {
  std::vector<PreparedSink> prepared;
  std::optional<sink::PluginPath> path;
  try {
    path.emplace(sink::PluginPath::of_process(config.host.plugin_path));
  } catch (const sink::PluginError& error) {
    problems.push_back({{config.file, 0, 0}, error.what()});
    return prepared;
  }
  for (const config::Sink& sink : config.sinks) {
    try {
      const sink::Plugin& plugin = sink::load_plugin(*path, sink.plugin);
      PreparedSink entry{&sink, &plugin, {}, 0, false};
      entry.settings =
          sink::resolve(plugin.descriptor(), sink.options, sink.at, config.directory, problems);
      entry.operations = operations(sink, plugin.descriptor(), problems);
      entry.wants_copy = wants_copy(config, sink, plugin.descriptor(), entry.operations, problems);
      prepared.push_back(std::move(entry));
    } catch (const sink::PluginError& error) {
      problems.push_back({sink.plugin_at, error.what()});
    }
  }
  check_paths(prepared, problems);
  return prepared;
}

Sinks::Sinks(const config::Config& config, std::vector<PreparedSink> prepared,
             progress::StateStore& store, progress::Progress& progress, base::Wake& wake)
    : store_(store), progress_(progress), wake_(wake), file_(config.file) {
  // What sinks keep for replays is at most half the memory, all together: more, and an unfinished
  // transaction could fill the memory before it is too large for the windows, for ever.
  const std::size_t window = std::min<std::size_t>(
      config.host.memory / 2 / std::max<std::size_t>(prepared.size(), 1), std::size_t{8} << 20);
  for (PreparedSink& entry : prepared) {
    sink::RunnerOptions options;
    options.pipeline = config.host.name;
    options.sink = entry.config->name;
    options.state_directory = store.sink_directory(entry.config->name);
    options.on_poison = entry.config->on_poison == config::OnPoison::kSkip
                            ? sink::PoisonPolicy::kSkip
                            : sink::PoisonPolicy::kStop;
    options.window_bytes = window;
    if (const auto pause = store.pause(options.sink)) {
      options.paused = true;
      log::warn(
          fmt::format("sink {0} is paused ({1}, since {2:%F %T} UTC); walspout resume {3} {0} "
                      "lets it go on",
                      options.sink, pause->why, fmt::gmtime(pause->since), file_));
    }
    auto runner = std::make_unique<sink::Runner>(entries_.size(), std::move(options),
                                                 entry.plugin->descriptor(),
                                                 std::move(entry.settings), *this);
    entries_.push_back(
        {std::move(entry), std::move(runner), std::make_unique<std::atomic<std::uint64_t>>(0)});
  }
}

std::uint64_t Sinks::caps(std::size_t i) const {
  return entries_[i].prepared.plugin->descriptor().caps;
}

std::uint64_t Sinks::takes(std::size_t i) const {
  return entries_[i].prepared.plugin->descriptor().takes;
}

std::vector<route::Rules> Sinks::rules() const {
  std::vector<route::Rules> rules;
  for (const Entry& entry : entries_)
    rules.push_back({entry.prepared.config->tables, entry.prepared.operations,
                     entry.prepared.config->exclude_columns});
  return rules;
}

void Sinks::start() {
  for (Entry& entry : entries_) entry.runner->start();
}

bool Sinks::all_open() const {
  return std::all_of(entries_.begin(), entries_.end(), [](const Entry& entry) {
    return entry.runner->state() == sink::Runner::State::kOpen;
  });
}

std::optional<sink::Runner::Failure> Sinks::failure() const {
  for (const Entry& entry : entries_)
    if (entry.runner->state() == sink::Runner::State::kFailed) return entry.runner->failure();
  return std::nullopt;
}

sink::Runner* Sinks::find(const std::string& name) const {
  for (const Entry& entry : entries_)
    if (entry.runner->name() == name) return entry.runner.get();
  return nullptr;
}

std::optional<std::string> Sinks::pause(const std::string& name) {
  sink::Runner* const runner = find(name);
  if (runner == nullptr) return std::nullopt;
  const std::lock_guard lock(pausing_);
  if (runner->paused()) return "sink " + name + " was paused already";
  store_.save_pause(name, "walspout pause");
  runner->pause();
  wake_.ring();
  log::info("sink " + name + " is paused: what comes for it waits, and the slot keeps the WAL");
  return "sink " + name + " is paused";
}

std::optional<std::string> Sinks::resume(const std::string& name) {
  sink::Runner* const runner = find(name);
  if (runner == nullptr) return std::nullopt;
  const std::lock_guard lock(pausing_);
  const bool was = runner->paused();
  store_.remove_pause(name);
  runner->resume();
  wake_.ring();
  if (was) log::info("sink " + name + " goes on");
  return was ? "sink " + name + " goes on"
             : "sink " + name + " was not paused; a call that failed is tried again now";
}

std::optional<std::size_t> Sinks::paused() const {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].runner->paused()) return i;
  return std::nullopt;
}

sink::Runner::Opened Sinks::stored(std::size_t i) const {
  if (entries_[i].runner->keeps_position()) return entries_[i].runner->opened();
  const auto position = store_.load(entries_[i].runner->name());
  if (!position) return {};
  return {position->lsn, position->host_state};
}

std::vector<Sinks::CopyFailure> Sinks::take_copy_failures() {
  const std::lock_guard lock(mutex_);
  return std::exchange(copy_failures_, {});
}

void Sinks::copy_failed(std::size_t sink, std::uint64_t copy_id, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    copy_failures_.push_back({sink, copy_id, why});
  }
  wake_.ring();
}

bool Sinks::stale(const Replay& replay) const {
  return replay.restarts_seen < entries_[replay.sink].runner->restarts_asked();
}

bool Sinks::replay_pending() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(replays_.begin(), replays_.end(),
                     [this](const Replay& replay) { return !stale(replay); });
}

std::vector<Sinks::Replay> Sinks::take_replays() {
  const std::lock_guard lock(mutex_);
  std::vector<Replay> taken = std::exchange(replays_, {});
  taken.erase(std::remove_if(taken.begin(), taken.end(),
                             [this](const Replay& replay) { return stale(replay); }),
              taken.end());
  return taken;
}

void Sinks::durable(std::size_t sink, base::Lsn position, const sink::HostStateVersion& state) {
  if (!entries_[sink].runner->keeps_position())
    store_.save(entries_[sink].runner->name(), {position, state.text});
  entries_[sink].stored_state->store(state.number);
  progress_.durable(sink, position);
  wake_.ring();
}

void Sinks::replay_needed(std::size_t sink, base::Lsn position) {
  {
    const std::lock_guard lock(mutex_);
    replays_.push_back({sink, position, entries_[sink].runner->restarts_seen()});
  }
  wake_.ring();
}

void Sinks::changed(std::size_t) { wake_.ring(); }

}  // namespace walspout
