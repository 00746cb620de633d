#include "config/read_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace walspout::config {
namespace {

std::string reason(int error) {
  if (error == ENOENT || error == ENOTDIR) return "does not exist; check the path";
  if (error == EACCES) return "may not be read; give this user the right to read it";
  return std::string("cannot be read (") + std::strerror(error) + "); check the path";
}

}  // namespace

FileText read_file(const std::filesystem::path& path, std::size_t most) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return {{}, reason(errno)};
  FileText result;
  struct stat status {};
  if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    result.error = "is a directory; give a file";
  }
  char buffer[16 * 1024];
  while (result.error.empty()) {
    const ssize_t size = read(fd, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) result.error = reason(errno);
    if (size <= 0) break;
    result.text.append(buffer, static_cast<std::size_t>(size));
    if (result.text.size() > most) {
      result.error = "is larger than " + std::to_string(most) + " bytes; give another file";
    }
  }
  close(fd);
  if (!result.error.empty()) result.text.clear();
  return result;
}

}  // namespace walspout::config
