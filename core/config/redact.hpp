// Connection strings without their secrets, for messages.
#pragma once

#include <string>
#include <string_view>

namespace walspout::config {

// A libpq URI, libpq key=value text, or any other URL, with passwords and secret parameters (of
// URLs that are not libpq's: every parameter) as ***. What cannot be read is *** as a whole. In
// doubt it hides more than needed, never less.
std::string redact_url(std::string_view url);

}  // namespace walspout::config
