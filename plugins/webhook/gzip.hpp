#pragma once

#include <string>
#include <string_view>

namespace walspout::webhook {

// The bytes in gzip's format (RFC 1952), without a name or time: equal bytes become equal files.
std::string gzip(std::string_view bytes);

}  // namespace walspout::webhook
