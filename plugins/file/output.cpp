#include "output.hpp"

#include <sys/file.h>

#include <algorithm>
#include <walspout/error.hpp>

#include "position_store.hpp"

namespace walspout::file {

Output::Output(std::string path) : path_(std::move(path)) {
  // O_APPEND, so that a file truncated from outside never gets a hole.
  fd_ = Fd(::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!fd_) {
    if (may_pass(errno)) throw Retry(failed("open", path_));
    throw BadConfig(failed("open", path_) +
                    (errno == ENOENT ? "; create its folder" : "; it must be writable"));
  }
  struct stat st = {};
  if (::fstat(fd_.get(), &st) != 0) throw Retry(failed("look at", path_));
  if (!S_ISREG(st.st_mode))
    throw BadConfig(path_ + " is no regular file; the stdout plugin writes to pipes and terminals");
  if (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0)
    throw Retry(path_ + " is written by another sink or process; give each its own file");
  inode_ = st.st_ino;
  written_ = static_cast<std::uint64_t>(st.st_size);
  buffer_.reserve(kBuffer + kBuffer / 4);
}

void Output::drain() {
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t n = ::write(fd_.get(), buffer_.data() + done, buffer_.size() - done);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
      unsynced_ = true;
      continue;
    }
    const int error = n == 0 ? ENOSPC : errno;
    if (error == EINTR) continue;
    if (done != 0 && ::ftruncate(fd_.get(), static_cast<off_t>(written_)) != 0)
      throw Reopen(failed("cut a partial line off", path_));
    throw Retry(failed("write to", path_, error));
  }
  written_ += buffer_.size();
  buffer_.clear();
}

void Output::sync() {
  drain();
  if (!unsynced_) return;
  if (::fdatasync(fd_.get()) != 0) throw Reopen(failed("fdatasync", path_));
  unsynced_ = false;
}

void Output::cut(std::uint64_t offset) {
  if (offset >= written_) {
    buffer_.resize(std::min<std::uint64_t>(buffer_.size(), offset - written_));
    return;
  }
  if (::ftruncate(fd_.get(), static_cast<off_t>(offset)) != 0)
    throw Reopen(failed("cut an unfinished transaction off", path_));
  unsynced_ = true;
  written_ = offset;
  buffer_.clear();
}

std::uint64_t Output::size_now() const {
  struct stat st = {};
  if (::fstat(fd_.get(), &st) != 0) throw Retry(failed("look at", path_));
  return static_cast<std::uint64_t>(st.st_size);
}

bool Output::moved() const {
  struct stat st = {};
  if (::stat(path_.c_str(), &st) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return true;
    throw Retry(failed("look at", path_));
  }
  return st.st_ino != inode_;
}

std::uint32_t Output::tail_crc(std::uint64_t offset) const {
  return file::tail_crc(fd_.get(), path_, offset);
}

std::uint32_t tail_crc(int fd, const std::string& path, std::uint64_t offset) {
  char bytes[kTail];
  const std::size_t size = std::min<std::uint64_t>(kTail, offset);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n =
        ::pread(fd, bytes + done, size - done, static_cast<off_t>(offset - size + done));
    if (n < 0 && errno != EINTR) throw Retry(failed("read", path));
    if (n == 0) break;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return crc32({bytes, done});
}

}  // namespace walspout::file
