// The file that is written: whole lines, gathered in memory and appended in large pieces.
#pragma once

#include <cstdint>
#include <string>

#include "posix.hpp"

namespace walspout::file {

// Offsets count from the file's start; those from written() on are still in memory. Threads: one.
// After any exception but Reopen the object is as it was before the call.
class Output {
 public:
  // Opens path for appending, creates it (mode 0600) when it is missing, and locks it. Throws
  // walspout::Retry when somebody else has it or the disk fails, walspout::BadConfig when it cannot
  // be written at all.
  explicit Output(std::string path);

  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }
  std::uint64_t inode() const { return inode_; }

  // Append whole lines here, then call drain() when it is full().
  std::string& buffer() { return buffer_; }
  bool full() const { return buffer_.size() >= kBuffer; }
  std::uint64_t written() const { return written_; }
  std::uint64_t end() const { return written_ + buffer_.size(); }

  // Writes the buffer. Throws walspout::Retry; the part that got through is cut off again, so that
  // the file never ends in a part of a line.
  void drain();

  // drain(), then fdatasync when there is anything to sync. A failed fdatasync throws
  // walspout::Reopen: the kernel may have dropped the pages, and would call the next one a success.
  void sync();

  // Forgets everything from this offset on, in memory and in the file. Throws walspout::Reopen.
  void cut(std::uint64_t offset);

  // The file's size now; other than written() when somebody else has changed it.
  std::uint64_t size_now() const;
  // Takes size_now() for written(), the buffer's lines following.
  void adopt(std::uint64_t size) { written_ = size; }

  // Whether path names another file now, or none.
  bool moved() const;

  // CRC-32 of the last kTail bytes before the offset, which must be in the file.
  std::uint32_t tail_crc(std::uint64_t offset) const;

 private:
  static constexpr std::size_t kBuffer = 256 * 1024;

  std::string path_;
  Fd fd_;
  std::uint64_t inode_ = 0;
  std::uint64_t written_ = 0;
  bool unsynced_ = false;
  std::string buffer_;
};

// The same for any open file; throws walspout::Retry.
std::uint32_t tail_crc(int fd, const std::string& path, std::uint64_t offset);

}  // namespace walspout::file
