// The position record: up to where the file is durable. Its format is in README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <walspout/abi.h>

#include "posix.hpp"

namespace walspout::file {

struct Record {
  walspout_lsn position = 0;
  std::uint64_t inode = 0;
  std::uint64_t offset = 0;    // durable length of the file with that inode
  std::uint32_t tail_crc = 0;  // of the last kTail bytes before the offset
  std::string host_state;
  bool operator==(const Record&) const = default;
};

inline constexpr std::size_t kTail = 64;

// One per sink; locks its file as long as it lives, so that two processes never share a record.
class PositionStore {
 public:
  // Opens path, or creates it. Throws walspout::Retry when another process holds it or the disk
  // fails, walspout::BadConfig when it is damaged or out of reach.
  explicit PositionStore(std::string path);

  // The last one saved; nothing when there never was one.
  const std::optional<Record>& last() const { return last_; }

  // Durable on return. Throws walspout::Reopen: after a failure the older record may be the valid
  // one, so the file's tail must be written again.
  void save(const Record& record);

 private:
  void create(std::size_t slot_size, std::string_view record, std::size_t slot);
  void open_and_lock();
  void load();
  std::optional<std::pair<std::uint64_t, Record>> read_slot(int slot) const;

  std::string path_;
  Fd fd_;
  std::size_t slot_size_ = 0;
  std::uint64_t sequence_ = 0;  // of last_
  std::optional<Record> last_;
  std::string scratch_;
};

}  // namespace walspout::file
