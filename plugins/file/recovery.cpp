#include "recovery.hpp"

#include <algorithm>
#include <filesystem>
#include <walspout/error.hpp>

namespace walspout::file {
namespace {

namespace fs = std::filesystem;

std::string bytes(std::uint64_t count) { return std::to_string(count) + " bytes"; }

void resize(int fd, const std::string& path, std::uint64_t size) {
  if (::ftruncate(fd, static_cast<off_t>(size)) != 0) throw Retry(failed("cut", path));
}

// The offset behind the last byte before end for which keep() is true.
template <class Keep>
std::uint64_t last_offset(const Output& output, std::uint64_t end, Keep keep) {
  std::string block(64 * 1024, '\0');
  while (end != 0) {
    const std::size_t size = std::min<std::uint64_t>(block.size(), end);
    const ssize_t n = ::pread(output.fd(), block.data(), size, static_cast<off_t>(end - size));
    if (n < 0 || static_cast<std::size_t>(n) != size) throw Retry(failed("read", output.path()));
    for (std::size_t i = size; i-- > 0;)
      if (keep(block[i])) return end - size + i + 1;
    end -= size;
  }
  return 0;
}

// Whether the bytes before the recorded offset are the recorded ones.
bool has_record(int fd, const std::string& path, const Record& record) {
  struct stat st = {};
  if (::fstat(fd, &st) != 0) throw Retry(failed("look at", path));
  return static_cast<std::uint64_t>(st.st_size) >= record.offset &&
         tail_crc(fd, path, record.offset) == record.tail_crc;
}

void cut_to(Output& output, std::uint64_t offset, const Log& log) {
  if (output.written() == offset) return;
  log(WALSPOUT_INFO, "cut " + bytes(output.written() - offset) + " off " + output.path() +
                         ": they were not confirmed and will come again");
  resize(output.fd(), output.path(), offset);
  output.adopt(offset);
}

// The file that was written before somebody renamed it: its unconfirmed end is cut off. False when
// the folder has no such file.
bool cut_renamed(const std::string& path, const Record& record, const Log& log) {
  std::error_code ignored;  // a folder that cannot be listed has no such file; the caller reports
  for (const auto& entry : fs::directory_iterator(folder_of(path), ignored)) {
    const std::string name = entry.path().string();
    struct stat st = {};
    if (::lstat(name.c_str(), &st) != 0 || !S_ISREG(st.st_mode) || st.st_ino != record.inode)
      continue;
    const Fd fd(::open(name.c_str(), O_RDWR | O_CLOEXEC));
    if (!fd) throw Retry(failed("open the rotated file", name));
    if (!has_record(fd.get(), name, record)) return false;
    const auto size = static_cast<std::uint64_t>(st.st_size);
    if (size != record.offset) {
      resize(fd.get(), name, record.offset);
      if (::fdatasync(fd.get()) != 0) throw Retry(failed("fdatasync", name));
    }
    log(WALSPOUT_INFO, path + " was rotated to " + name + "; cut " + bytes(size - record.offset) +
                           " off that: they were not confirmed and will come again");
    return true;
  }
  return false;
}

// The file is shorter than what was confirmed.
void mend_truncated(Output& output, std::uint64_t confirmed, const Log& log) {
  log(WALSPOUT_WARN, output.path() + " was truncated from outside: " +
                         bytes(confirmed - output.written()) + " that were confirmed are missing");
  if (output.written() + 1 == confirmed) {
    output.buffer() = "\n";  // the last event is whole
    output.drain();
  } else {
    cut_torn_line(output, log);
  }
}

// path.N
std::string rotated(const std::string& path, std::uint64_t n) {
  return path + "." + std::to_string(n);
}

bool exists(const std::string& path) {
  struct stat st = {};
  if (::lstat(path.c_str(), &st) == 0) return true;
  if (errno == ENOENT) return false;
  throw Retry(failed("look at", path));
}

void move(const std::string& from, const std::string& to) {
  // ENOENT: somebody else has moved it meanwhile, which is as good
  if (::rename(from.c_str(), to.c_str()) != 0 && errno != ENOENT)
    throw Retry(failed("rename to " + to + " the file", from));
}

}  // namespace

Output open_foreign(const std::string& path, const Log& log) {
  Output output(path);
  const std::uint64_t size = output.written();
  const std::uint64_t end = last_offset(output, size, [](char c) { return c != '\0'; });
  if (end != size) {
    log(WALSPOUT_WARN, "cut " + bytes(size - end) + " of NUL off the end of " + path);
    resize(output.fd(), path, end);
    output.adopt(end);
  }
  if (last_offset(output, end, [](char c) { return c == '\n'; }) != end) {
    log(WALSPOUT_WARN, "the last line of " + path + " has no end; closed it with a newline");
    output.buffer() = "\n";
    output.drain();
  }
  return output;
}

void cut_torn_line(Output& output, const Log& log) {
  const std::uint64_t end = last_offset(output, output.written(), [](char c) { return c == '\n'; });
  if (end == output.written()) return;
  log(WALSPOUT_WARN,
      "cut a torn last line of " + bytes(output.written() - end) + " off " + output.path());
  resize(output.fd(), output.path(), end);
  output.adopt(end);
}

Output recover(const std::string& path, const std::optional<Record>& record, const Log& log) {
  if (!record) return open_foreign(path, log);
  std::optional<Output> output;
  if (exists(path)) output.emplace(path);
  const bool intact = output && has_record(output->fd(), path, *record);
  if (output && output->inode() == record->inode) {
    if (intact) {
      cut_to(*output, record->offset, log);
      return std::move(*output);
    }
    if (output->written() < record->offset) {
      mend_truncated(*output, record->offset, log);
      return std::move(*output);
    }
  }
  const bool renamed = cut_renamed(path, *record, log);
  if (!renamed && intact && record->offset != 0) {  // a copy, put back
    cut_to(*output, record->offset, log);
    return std::move(*output);
  }
  if (!renamed)
    log(WALSPOUT_WARN, "the file written before is gone from " + folder_of(path) +
                           "; its unconfirmed end, if it had one, could not be cut off");
  output.reset();  // and its lock
  return open_foreign(path, log);
}

void shift_names(const std::string& path) {
  std::uint64_t free = 1;
  while (exists(rotated(path, free))) ++free;
  for (; free > 1; --free) move(rotated(path, free - 1), rotated(path, free));
  move(path, rotated(path, 1));
}

void remove_old(const std::string& path, std::uint64_t keep, const Log& log) {
  // From the newest on, so that a gap that a crash left is passed by one missing file at most.
  for (std::uint64_t n = keep + 1, missing = 0; missing < 2; ++n) {
    if (::unlink(rotated(path, n).c_str()) == 0) continue;
    if (errno != ENOENT) log(WALSPOUT_WARN, failed("remove", rotated(path, n)));
    ++missing;
  }
}

}  // namespace walspout::file
