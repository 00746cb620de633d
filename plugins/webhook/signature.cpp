#include "signature.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdint>
#include <walspout/error.hpp>
#include <walspout/json_text.hpp>

namespace walspout::webhook {

std::string decode_secret(std::string_view text) {
  constexpr std::string_view kPrefix = "whsec_";
  const std::string form = "a secret is not \"whsec_\" with the base64 of 24 to 64 bytes";
  if (!text.starts_with(kPrefix)) throw BadConfig(form);
  text.remove_prefix(kPrefix.size());
  if (text.empty() || text.size() % 4 != 0 || text.size() > 88) throw BadConfig(form);
  std::string key(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(key.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0) throw BadConfig(form);
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  key.resize(static_cast<std::size_t>(size) - padding);
  if (key.size() < 24 || key.size() > 64) throw BadConfig(form);
  return key;
}

std::string sign(const std::vector<std::string>& keys, std::string_view id,
                 std::string_view timestamp, std::string_view body) {
  std::string content;
  content.reserve(id.size() + timestamp.size() + body.size() + 2);
  content.append(id).append(1, '.').append(timestamp).append(1, '.').append(body);
  std::string header, coded;
  for (const std::string& key : keys) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(content.data()), content.size(), digest,
             &size) == nullptr)
      throw Fatal("OpenSSL has no HMAC-SHA256");
    coded.clear();
    append_base64(coded, {reinterpret_cast<const char*>(digest), size});
    if (!header.empty()) header += ' ';
    header += "v1,";
    header.append(coded, 1, coded.size() - 2);  // without its quotes
  }
  return header;
}

}  // namespace walspout::webhook
