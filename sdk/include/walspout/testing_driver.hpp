// walspout/testing_driver.hpp - the half of walspout/testing.hpp that plays the host; include that.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <walspout/testing.hpp>
#include <walspout/testing_host.hpp>

namespace walspout::testing {

// The answer to one call.
struct Reply {
  walspout_status status = WALSPOUT_OK;
  std::string message;  // of the error; empty when ok
  std::uint32_t retry_after_ms = 0;
  Lsn commit_lsn = 0;  // of a POISON
  std::uint64_t ordinal = 0;
  std::uint64_t copy_id = 0;
  Lsn durable = 0;         // flush: how far
  Lsn position = 0;        // open: as the plugin reports it
  std::string host_state;  // open
  bool ok() const { return status == WALSPOUT_OK; }
};

// Settings as in TOML's [sink.options], all as text: {"path", "/x"}, {"rotate_size", "64KiB"},
// {"timeout", "5s"}. A list is several pairs of one name, a table's entry is "option.key".
using Settings = std::vector<std::pair<std::string, std::string>>;

// One sink of the plugin, driven as the host does: settings checked against the plugin's options
// and its defaults filled in. Closes the sink when it goes.
class Driver {
 public:
  explicit Driver(const walspout_plugin& plugin, Settings settings = {},
                  std::string state_dir = ".");
  ~Driver() { close(); }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  Reply open();   // closes first when it is open
  Reply check();  // Reply::ok() when the plugin has no check
  // The transaction as it would come from the host, in this many pieces.
  Reply deliver(const Txn& txn, std::size_t pieces = 1);
  // One batch of changes [from, to) with WALSPOUT_FIRST / WALSPOUT_LAST as given.
  Reply write(const Txn& txn, std::size_t from, std::size_t to, std::uint32_t flags);
  Reply move_position(Lsn position, std::string host_state = {});  // an empty batch
  Reply flush();
  Reply abort();
  void close();
  bool is_open() const { return self_ != nullptr; }
  const Reply& last() const { return last_; }

  FakeHost host;
  std::string pipeline = "test", sink = "sink";  // names; change them before open()

 private:
  Reply finish(walspout_status status, const walspout_error& error);
  void add_setting(const walspout_option& option, const std::string& name, const std::string& text);
  walspout_open_args args() const;
  walspout_instance* opened() const;

  const walspout_plugin& plugin_;
  std::string state_dir_;
  std::deque<std::string> texts_;
  std::vector<walspout_setting> settings_;
  walspout_instance* self_ = nullptr;
  Reply last_;
};

// The descriptor of a built plugin, loaded as the host loads it and never unloaded. Throws
// std::runtime_error when it does not load.
inline const walspout_plugin& load_plugin(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  void* const entry = dlsym(library, WALSPOUT_ENTRY_NAME);
  if (entry == nullptr) throw std::runtime_error(path + " has no " WALSPOUT_ENTRY_NAME);
  return *reinterpret_cast<walspout_plugin_v1_fn*>(entry)();
}

namespace detail {

// "64KiB" -> 65536, "5s" -> 5000 and so on; plain digits as they are.
inline std::int64_t parse_scaled(const std::string& text, std::uint32_t type) {
  static const std::map<std::string, std::int64_t> kBytes = {
      {"", 1}, {"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};
  static const std::map<std::string, std::int64_t> kMilliseconds = {
      {"", 1}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}};
  const auto& units = type == WALSPOUT_BYTES ? kBytes : kMilliseconds;
  char* end = nullptr;
  const std::int64_t number = std::strtoll(text.c_str(), &end, 10);
  const auto unit = units.find(end);
  if (end == text.c_str() || unit == units.end())
    throw std::invalid_argument("bad value of an option: " + text);
  return number * unit->second;
}

// A default is written as in TOML: a string may be in quotes.
inline std::string unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}

}  // namespace detail

inline Driver::Driver(const walspout_plugin& plugin, Settings settings, std::string state_dir)
    : plugin_(plugin), state_dir_(std::move(state_dir)) {
  for (std::uint32_t i = 0; i < plugin.option_count; ++i) {
    const walspout_option& option = plugin.options[i];
    const std::string prefix = std::string(option.name) + ".";
    bool given = false;
    for (auto& [name, text] : settings) {
      const bool entry = (option.flags & WALSPOUT_TABLE) != 0 && name.starts_with(prefix);
      if (name != option.name && !entry) continue;
      add_setting(option, name, text);
      given = true;
    }
    if (!given && option.def != nullptr)
      add_setting(option, option.name, detail::unquoted(option.def));
    if (!given && option.def == nullptr && (option.flags & WALSPOUT_REQUIRED) != 0)
      throw std::invalid_argument(std::string("the plugin requires the option ") + option.name);
  }
  for (const auto& setting : settings)
    if (std::none_of(settings_.begin(), settings_.end(), [&](const walspout_setting& s) {
          return std::string_view(s.name.data, s.name.size) == setting.first;
        }))
      throw std::invalid_argument("the plugin has no option " + setting.first);
}

inline void Driver::add_setting(const walspout_option& option, const std::string& name,
                                const std::string& text) {
  walspout_setting s = {};
  s.name = detail::str(texts_.emplace_back(name));
  s.type = option.type;
  s.string = detail::str(texts_.emplace_back(text));
  switch (option.type) {
    case WALSPOUT_BOOL:
      if (text != "true" && text != "false")
        throw std::invalid_argument("neither true nor false: " + text);
      s.integer = text == "true";
      break;
    case WALSPOUT_FLOAT:
      s.number = std::strtod(text.c_str(), nullptr);
      break;
    case WALSPOUT_INT:
    case WALSPOUT_DURATION_MS:
    case WALSPOUT_BYTES:
      s.integer = detail::parse_scaled(text, option.type);
      break;
    default:
      break;
  }
  settings_.push_back(s);
}

inline walspout_open_args Driver::args() const {
  walspout_open_args a = {};
  a.struct_size = sizeof a;
  a.setting_count = static_cast<std::uint32_t>(settings_.size());
  a.host = host.get();
  a.pipeline = pipeline.c_str();
  a.sink = sink.c_str();
  a.state_dir = state_dir_.c_str();
  a.settings = settings_.data();
  return a;
}

inline Reply Driver::finish(walspout_status status, const walspout_error& error) {
  last_ = Reply{};
  last_.status = status;
  last_.message = error.message;
  last_.retry_after_ms = error.retry_after_ms;
  last_.commit_lsn = error.commit_lsn;
  last_.ordinal = error.ordinal;
  last_.copy_id = error.copy_id;
  return last_;
}

inline walspout_instance* Driver::opened() const {
  if (self_ == nullptr) throw std::invalid_argument("the sink is not open");
  return self_;
}

inline Reply Driver::open() {
  close();
  const walspout_open_args a = args();
  walspout_open_reply reply = {};
  reply.struct_size = sizeof reply;
  walspout_error error = {};
  error.struct_size = sizeof error;
  finish(plugin_.open(&a, &reply, &error), error);
  if (last_.ok()) {
    self_ = reply.self;
    last_.position = reply.position;
    last_.host_state.assign(reply.host_state.data == nullptr ? "" : reply.host_state.data,
                            reply.host_state.size);
  }
  return last_;
}

inline Reply Driver::check() {
  if (plugin_.check == nullptr) return last_ = Reply{};
  const walspout_open_args a = args();
  walspout_error error = {};
  error.struct_size = sizeof error;
  return finish(plugin_.check(&a, &error), error);
}

inline Reply Driver::write(const Txn& txn, std::size_t from, std::size_t to, std::uint32_t flags) {
  walspout_txn t = txn.get();
  if ((flags & WALSPOUT_LAST) == 0) t.end_lsn = t.position = 0;
  walspout_batch batch = {};
  batch.struct_size = sizeof batch;
  batch.flags = flags;
  batch.txn = &t;
  batch.change_count = to - from;
  batch.changes = txn.changes().data() + from;
  walspout_error error = {};
  error.struct_size = sizeof error;
  return finish(plugin_.write(opened(), &batch, &error), error);
}

inline Reply Driver::deliver(const Txn& txn, std::size_t pieces) {
  const std::size_t count = txn.changes().size();
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::uint32_t flags =
        (i == 0 ? WALSPOUT_FIRST : 0) | (i + 1 == pieces ? WALSPOUT_LAST : 0);
    if (!write(txn, count * i / pieces, count * (i + 1) / pieces, flags).ok()) break;
  }
  return last_;
}

inline Reply Driver::move_position(Lsn position, std::string host_state) {
  Txn empty(position, position);
  empty.host_state(std::move(host_state));
  return deliver(empty);
}

inline Reply Driver::flush() {
  walspout_error error = {};
  error.struct_size = sizeof error;
  Lsn durable = 0;
  const walspout_status status = plugin_.flush(opened(), &durable, &error);
  finish(status, error);
  last_.durable = durable;
  return last_;
}

inline Reply Driver::abort() {
  if (plugin_.abort == nullptr) return last_ = Reply{};
  walspout_error error = {};
  error.struct_size = sizeof error;
  return finish(plugin_.abort(opened(), &error), error);
}

inline void Driver::close() {
  if (self_ != nullptr) plugin_.close(self_);
  self_ = nullptr;
}

}  // namespace walspout::testing
