// How one request ended, and what follows from it.
#pragma once

#include <curl/curl.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace walspout::webhook {

struct Answer {
  std::size_t lane = 0;
  CURLcode code = CURLE_OK;
  long status = 0;            // 0: none came
  bool headers_done = false;  // the status line and all headers came
  bool cut = false;           // its body was longer than we read: enough was read
  bool stalled = false;       // the receiver took no more of the request for send_timeout
  std::string refused;        // the address that must not be connected to; empty = none
  std::string body;           // its begin
  std::string location;       // of a redirect
  std::string problem;        // curl's words
  std::uint32_t retry_after_ms = 0;
};

enum class Verdict {
  kAccepted,
  kRetry,          // later again
  kTooLarge,       // 413: a smaller one may do
  kRefused,        // other 4xx: this content, never
  kMisconfigured,  // a redirect, an address or a file that only a person can mend
  kGone,           // 410: nothing any more
};

Verdict judge(const Answer& answer);

// "answered 503: <begin of the body>" or "cannot be reached: ...", on one line, without any of the
// confidential texts, should the receiver have repeated them.
std::string describe(const Answer& answer, const std::vector<std::string>& confidential);

}  // namespace walspout::webhook
