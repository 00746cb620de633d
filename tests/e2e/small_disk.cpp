#include "e2e/small_disk.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <iostream>
#include <stdexcept>
#include <vector>

namespace walspout::test {

SmallDisk::SmallDisk(std::string folder, int mebibytes) : folder_(std::move(folder)) {
  const std::string size = "size=" + std::to_string(mebibytes) + "m";
  // In a mount namespace of its own, so that it goes with this process and its children.
  mounted_ = unshare(CLONE_NEWNS) == 0 &&
             mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
             mount("tmpfs", folder_.c_str(), "tmpfs", 0, size.c_str()) == 0;
}

SmallDisk::~SmallDisk() {
  if (mounted_ && umount2(folder_.c_str(), MNT_DETACH))
    std::cerr << "cannot unmount " << folder_ << "\n";
}

void SmallDisk::fill() {
  const int fd = open((folder_ + "/filler").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd < 0) throw std::runtime_error("cannot make a file in " + folder_);
  const std::vector<char> block(4096, 'x');
  while (write(fd, block.data(), block.size()) > 0) continue;
  close(fd);
}

void SmallDisk::make_room() {
  if (unlink((folder_ + "/filler").c_str())) throw std::runtime_error("no filler in " + folder_);
}

}  // namespace walspout::test
