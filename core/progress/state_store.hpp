// The host's own state on disk: the positions of sinks that keep none themselves, and the lock that
// keeps a second host away. One folder a pipeline, mode 0700; what is saved is on disk when save()
// returns. Threads: any.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "base/lsn.hpp"

struct sqlite3;

namespace walspout::progress {

class StateStore {
 public:
  struct Position {
    base::Lsn lsn = 0;
    std::string host_state;
  };

  // Creates the folder and takes the lock. Throws std::runtime_error with one line when the folder
  // cannot be used or another host holds it.
  explicit StateStore(const std::filesystem::path& directory);
  ~StateStore();
  StateStore(const StateStore&) = delete;
  StateStore& operator=(const StateStore&) = delete;

  // A folder for the sink's own files, made on demand.
  std::filesystem::path sink_directory(const std::string& sink) const;

  std::optional<Position> load(const std::string& sink) const;
  void save(const std::string& sink, const Position& position);

 private:
  void open_database();

  std::filesystem::path directory_;
  int lock_fd_ = -1;
  sqlite3* database_ = nullptr;
  mutable std::mutex mutex_;
};

}  // namespace walspout::progress
