// The headers of one attempt: those that are always the same, and Standard Webhooks'.
#pragma once

#include <curl/curl.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "options.hpp"

namespace walspout::webhook {

class Headers {
 public:
  explicit Headers(const Options& options);
  Headers(const Headers&) = delete;
  Headers& operator=(const Headers&) = delete;

  // Valid until the next call, which must not come before curl is done with them.
  const curl_slist* of(std::string_view id, std::int64_t now_us, std::string_view body);

 private:
  static constexpr std::size_t kOwn = 3;

  const std::vector<std::string>& secrets_;
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> fixed_;
  // Built by hand: one line changes at a time, and curl only reads them.
  std::array<std::string, kOwn> lines_;
  std::array<curl_slist, kOwn> nodes_ = {};
};

}  // namespace walspout::webhook
