// Standard Webhooks (https://www.standardwebhooks.com): "v1" signatures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace walspout::webhook {

// The key of "whsec_<base64>": 24 to 64 bytes. Throws BadConfig, which never shows the secret.
std::string decode_secret(std::string_view text);

// The header webhook-signature of one attempt: for each key "v1,<base64 of HMAC-SHA256>", with a
// blank between them. Signed is "<id>.<timestamp>.<body>", the body being what goes over the wire.
std::string sign(const std::vector<std::string>& keys, std::string_view id,
                 std::string_view timestamp, std::string_view body);

}  // namespace walspout::webhook
