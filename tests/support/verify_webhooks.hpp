// Has requests checked by a receiver in another language.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/http_server.hpp"

namespace walspout::test {

bool have_python();

// What tests/plugins/webhook/verify.py says of the requests, "N good" if it accepts all; its clock
// stands at now (seconds since the epoch). folder: for its input.
std::string verify_webhooks(const std::vector<HttpRequest>& requests, const std::string& secret,
                            std::int64_t now, const std::string& folder);

}  // namespace walspout::test
