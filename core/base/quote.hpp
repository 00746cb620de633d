// Text of others inside a message of one line.
#pragma once

#include <string>
#include <string_view>

namespace walspout::base {

// 'text', with control characters (a newline would start a second line, an escape would reach the
// terminal) as \n, \t or \xHH, and cut after 200 bytes.
std::string quoted(std::string_view text);

// The same without the quotes and the cut.
std::string one_line(std::string_view text);

}  // namespace walspout::base
