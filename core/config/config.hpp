// What one configuration file says: a source with its sinks, as plain structs. Field names are the
// TOML keys, defaults are those of a file that does not name them. load.hpp fills it from a file;
// `tail` fills it by hand.
//
// Holds secrets (source.url, options of sinks): print nothing of it without redact.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/location.hpp"
#include "base/raw_option.hpp"
#include "base/table_pattern.hpp"
#include "log/log.hpp"

namespace walspout::config {

enum class Snapshot { kInitial, kNever };
enum class OnSlotLost { kStop, kResync };
enum class OnSchemaChange { kApply, kStop };
enum class OnPoison { kStop, kDeadLetter, kSkip };
enum class OnLag { kBlock, kSpool };
enum class OnSpoolFull { kBlock, kPauseAndResync };
enum class KeyOrder { kHold, kPass };
enum class SinkSnapshot { kInherit, kInitial, kNever };
enum class Isolation { kThread, kProcess };

struct Host {
  std::string name;                                // of the pipeline; sinks keep positions under it
  std::uint64_t memory = 64 * 1024 * 1024;         // bytes; all queues and buffers together
  std::vector<std::filesystem::path> plugin_path;  // absolute
};

struct Source {
  std::string url;  // secret: may hold a password
  std::string slot = "walspout";
  std::string publication = "walspout";
  base::TablePatterns tables;  // default: all tables
  Snapshot snapshot = Snapshot::kInitial;
  bool temporary = false;
  bool streaming = true;
  bool binary = false;
  OnSlotLost on_slot_lost = OnSlotLost::kStop;
  OnSchemaChange on_schema_change = OnSchemaChange::kApply;

  base::Location at;      // of [source], for messages
  base::Location url_at;  // of the value of `url`
};

struct State {
  std::filesystem::path directory;  // absolute; may not exist yet
};

struct Admin {
  std::string host;  // a name or an address without brackets; empty = off
  int port = 0;      // 0 = any
};

struct Log {
  log::Level level = log::Level::kInfo;
  log::Format format = log::Format::kText;
};

struct Operations {
  bool insert = false;
  bool update = false;
  bool delete_ = false;
  bool truncate = false;
};

// More than `count` dead letters within `window` pause the sink.
struct DeadLetterLimit {
  std::uint64_t count = 100;
  std::chrono::milliseconds window = std::chrono::minutes(10);
};

struct Sink {
  std::string name;
  std::string plugin;                        // a name, or an absolute path to a .so
  base::TablePatterns tables;                // default: everything the source has
  std::optional<Operations> operations;      // nothing: all the plugin can take
  std::vector<std::string> exclude_columns;  // "schema.table.column", patterns before the last dot
  OnPoison on_poison = OnPoison::kStop;
  OnLag on_lag = OnLag::kBlock;
  std::uint64_t spool_limit = std::uint64_t{10} * 1024 * 1024 * 1024;  // bytes
  OnSpoolFull on_spool_full = OnSpoolFull::kBlock;
  KeyOrder key_order = KeyOrder::kHold;
  DeadLetterLimit dead_letter_limit;
  SinkSnapshot snapshot = SinkSnapshot::kInherit;
  Isolation isolation = Isolation::kThread;
  // [sink.options], with ${env:...} and ${file:...} replaced, else as written: what they mean is
  // the plugin's. Secret until the plugin's option table says otherwise.
  std::vector<base::RawOption> options;

  base::Location at;         // of [[sink]]
  base::Location plugin_at;  // of the value of `plugin`
};

struct Config {
  std::string file;                 // as it was given, for messages
  std::filesystem::path directory;  // absolute; what relative paths in the file are relative to
  Host host;
  Source source;
  State state;
  Admin admin;
  Log log;
  std::vector<Sink> sinks;
};

}  // namespace walspout::config
