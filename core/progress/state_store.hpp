// The host's own state on disk: the positions of sinks that keep none themselves, which sinks are
// paused, what was asked for while no host ran, what the catalogue said of tables as sinks have
// them, how far the source was read, and the lock that keeps a second host away. One folder a
// pipeline, mode 0700; whatever is changed is on disk when the call returns. Threads: any.
//
// The database's user_version is the format's version; an older one is brought up to date when it
// is opened, a newer one is refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/lsn.hpp"

struct sqlite3;

namespace walspout::progress {

// Another process has the state directory.
struct StateInUse : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The newest transaction that was received from a source, and up to where no other came after it.
struct Landmark {
  std::string source;  // whoever stores it says which one it is
  base::Lsn commit_lsn = 0;
  std::uint32_t xid = 0;
  std::int64_t commit_time_us = 0;
  base::Lsn complete_to = 0;
  bool operator==(const Landmark&) const = default;
};

class StateStore {
 public:
  struct Position {
    base::Lsn lsn = 0;
    std::string host_state;
  };

  // Creates the folder and takes the lock. Throws std::runtime_error with one line when the folder
  // cannot be used, StateInUse when another host holds it.
  explicit StateStore(const std::filesystem::path& directory);
  ~StateStore();
  StateStore(const StateStore&) = delete;
  StateStore& operator=(const StateStore&) = delete;

  // A folder for the sink's own files, made on demand.
  std::filesystem::path sink_directory(const std::string& sink) const;

  std::optional<Position> load(const std::string& sink) const;
  void save(const std::string& sink, const Position& position);

  std::optional<Landmark> landmark() const;
  void save_landmark(const Landmark& landmark);  // in place of the one before

  // Requests for the next run, oldest first: words as those of control's requests. A request should
  // be removed only after what it asks for is stored elsewhere, since a kill in between loses it.
  struct Request {
    std::int64_t id = 0;  // grows
    std::vector<std::string> words;
  };
  void add_request(const std::vector<std::string>& words);  // one word at least
  std::vector<Request> requests() const;
  void remove_requests(std::int64_t last);  // those up to this id
  // Both in one, for who can afford to lose them.
  std::vector<std::vector<std::string>> take_requests();

  // A sink that is to be given nothing until somebody says otherwise.
  struct Pause {
    std::string why;         // in a few words
    std::int64_t since = 0;  // Unix time in seconds
  };
  std::optional<Pause> pause(const std::string& sink) const;
  void save_pause(const std::string& sink, const std::string& why);  // since now
  void remove_pause(const std::string& sink);

  // Text under a hash of it: sinks store the hash with their position, this keeps what it stands
  // for. The hash is the caller's; the same hash means the same text.
  void put_facts(std::uint64_t hash, std::string_view text);
  std::optional<std::string> get_facts(std::uint64_t hash) const;
  // Forgets all others. Not one that a sink may still have stored.
  void keep_facts(std::span<const std::uint64_t> hashes);

 private:
  void open_database();
  int format_version() const;
  void upgrade();

  std::filesystem::path directory_;
  int lock_fd_ = -1;
  sqlite3* database_ = nullptr;
  mutable std::mutex mutex_;
};

}  // namespace walspout::progress
