#include "durable_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <walspout/error.hpp>

namespace walspout::webhook {
namespace {

[[noreturn]] void fail(const char* what, const std::string& path) {
  throw Retry("cannot " + std::string(what) + " " + path + ": " +
              std::generic_category().message(errno));
}

class Fd {
 public:
  Fd(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() {
    if (fd_ >= 0) ::close(fd_);  // written and synced, or given up
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

void write_all(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = ENOSPC;
    if (n <= 0) fail("write to", path);
    content.remove_prefix(static_cast<std::size_t>(n));
  }
}

void sync_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const Fd fd(folder, O_RDONLY | O_DIRECTORY);
  if (fd.get() < 0 || ::fsync(fd.get()) != 0) fail("fsync", folder);
}

}  // namespace

std::string read_file(const std::string& path) {
  const Fd fd(path, O_RDONLY);
  if (fd.get() < 0) {
    if (errno == ENOENT) return {};
    fail("open", path);
  }
  std::string content;
  char block[16 * 1024];
  while (true) {
    const ssize_t n = ::read(fd.get(), block, sizeof block);
    if (n == 0) return content;
    if (n > 0)
      content.append(block, static_cast<std::size_t>(n));
    else if (errno != EINTR)
      fail("read", path);
  }
}

void replace_file(const std::string& path, std::string_view content) {
  const std::string next = path + ".new";
  {
    const Fd fd(next, O_WRONLY | O_CREAT | O_TRUNC);
    if (fd.get() < 0) fail("create", next);
    write_all(fd.get(), content, next);
    if (::fsync(fd.get()) != 0) fail("fsync", next);
  }
  if (std::rename(next.c_str(), path.c_str()) != 0) fail("rename to its place", next);
  sync_folder_of(path);
}

void append_to_file(const std::string& path, std::string_view content) {
  const bool made = ::access(path.c_str(), F_OK) != 0;
  const Fd fd(path, O_WRONLY | O_CREAT | O_APPEND);
  if (fd.get() < 0) fail("open", path);
  write_all(fd.get(), content, path);
  if (::fdatasync(fd.get()) != 0) fail("fdatasync", path);
  if (made) sync_folder_of(path);
}

void remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail("remove", path);
}

}  // namespace walspout::webhook
