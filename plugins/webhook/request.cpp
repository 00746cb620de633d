#include "request.hpp"

#include <new>

#include "signature.hpp"

namespace walspout::webhook {

Headers::Headers(const Options& options)
    : secrets_(options.secrets), fixed_(nullptr, curl_slist_free_all) {
  const auto add = [this](const std::string& line) {
    curl_slist* const longer = curl_slist_append(fixed_.get(), line.c_str());
    if (longer == nullptr) throw std::bad_alloc();
    if (!fixed_) fixed_.reset(longer);
  };
  add("Content-Type: application/json");
  if (options.gzip) add("Content-Encoding: gzip");
  add("Expect:");  // curl would wait a second for a 100 that few receivers send
  for (const std::string& line : options.headers) add(line);
}

const curl_slist* Headers::of(std::string_view id, std::int64_t now_us, std::string_view body) {
  const std::string timestamp = std::to_string(now_us / 1'000'000);
  lines_[0].assign("webhook-id: ").append(id);
  lines_[1].assign("webhook-timestamp: ").append(timestamp);
  std::size_t used = 2;
  if (!secrets_.empty())
    lines_[used++].assign("webhook-signature: ").append(sign(secrets_, id, timestamp, body));
  for (std::size_t i = 0; i < used; ++i)
    nodes_[i] = {lines_[i].data(), i + 1 < used ? &nodes_[i + 1] : fixed_.get()};
  return nodes_.data();
}

}  // namespace walspout::webhook
