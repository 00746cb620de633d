#include "base/location.hpp"

namespace walspout::base {

std::string to_string(const Location& at) {
  if (at.line == 0) return at.file;
  return at.file + ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
}

}  // namespace walspout::base
