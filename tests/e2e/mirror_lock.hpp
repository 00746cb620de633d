// Somebody else's transaction on the mirror.
#pragma once

#include <string>

#include "support/sqlite_file.hpp"

namespace walspout::test {

// Holds the write lock until it goes out of scope: the sink cannot commit.
class MirrorLock {
 public:
  explicit MirrorLock(const std::string& path) : file_(path, SqliteFile::Mode::kWrite) {
    file_.exec("begin exclusive");
  }
  ~MirrorLock() { file_.exec("rollback"); }
  MirrorLock(const MirrorLock&) = delete;
  MirrorLock& operator=(const MirrorLock&) = delete;

 private:
  SqliteFile file_;
};

}  // namespace walspout::test
