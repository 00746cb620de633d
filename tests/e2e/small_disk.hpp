// A file system that is soon full.
#pragma once

#include <string>

namespace walspout::test {

// Mounts a tmpfs of so many MiB on a folder that exists; unmounted on destruction. Only this
// process and those it starts from then on see it.
class SmallDisk {
 public:
  SmallDisk(std::string folder, int mebibytes);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }  // false without the right to mount
  void fill();                               // a file that takes all the space that is left
  void make_room();                          // without that file

 private:
  std::string folder_;
  bool mounted_;
};

}  // namespace walspout::test
