// A place in a text file, for messages: "shop.toml:3:10".
#pragma once

#include <string>

namespace walspout::base {

struct Location {
  std::string file;
  int line = 0;    // from 1; 0 = the file as a whole
  int column = 0;  // from 1
};

std::string to_string(const Location& at);

}  // namespace walspout::base
