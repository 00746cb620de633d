#include "answer.hpp"

#include <algorithm>
#include <string_view>

namespace walspout::webhook {
namespace {

Verdict judge_status(long status) {
  if (status >= 200 && status < 300) return Verdict::kAccepted;
  if (status >= 300 && status < 400) return Verdict::kMisconfigured;
  if (status < 400 || status >= 500) return Verdict::kRetry;
  switch (status) {
    case 408:  // Request Timeout
    case 425:  // Too Early
    case 429:  // Too Many Requests
      return Verdict::kRetry;
    case 410:
      return Verdict::kGone;
    case 413:
      return Verdict::kTooLarge;
    default:
      return Verdict::kRefused;
  }
}

// The answer came whole, or enough of it: it was us who did not read its end. curl takes an end of
// the connection within the headers for that of the answer.
bool is_whole(const Answer& answer) {
  const bool enough = answer.cut || (answer.code == CURLE_OPERATION_TIMEDOUT && !answer.stalled);
  return answer.headers_done && (answer.code == CURLE_OK || enough);
}

std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return text;
}

std::string without(std::string text, const std::vector<std::string>& confidential) {
  for (const std::string& word : confidential) {
    if (word.size() < 4) continue;  // would blot out innocent text
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += 3)
      text.replace(at, word.size(), "***");
  }
  return text;
}

// A cut through a UTF-8 sequence would spoil the whole line.
std::string begin_of(const std::string& text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size) + "...";
}

}  // namespace

Verdict judge(const Answer& answer) {
  if (!answer.refused.empty() && answer.status == 0) return Verdict::kMisconfigured;
  if (is_whole(answer)) return judge_status(answer.status);
  switch (answer.code) {
    case CURLE_SSL_CERTPROBLEM:  // ours
    case CURLE_SSL_CACERT_BADFILE:
      return Verdict::kMisconfigured;
    default:
      return Verdict::kRetry;
  }
}

std::string describe(const Answer& answer, const std::vector<std::string>& confidential) {
  if (!answer.refused.empty() && answer.status == 0)
    return "has the address " + answer.refused +
           ", which is private, local or reserved; set allow_private = true if that is meant";
  if (answer.stalled) return "took no more of the request for send_timeout";
  if (!is_whole(answer)) {
    std::string text = answer.status == 0 ? "gave no answer: " : "broke its answer off: ";
    if (answer.code == CURLE_OK) return text + "the connection was closed within the headers";
    return text + printable(without(answer.problem, confidential));
  }
  std::string text = "answered " + std::to_string(answer.status);
  if (answer.status >= 300 && answer.status < 400) {
    text += ", and redirects are not followed; set url to where it is";
    // A redirect's query may hold anything.
    const std::string to = answer.location.substr(0, answer.location.find_first_of("?#"));
    const std::size_t name = to.find("://");
    const bool has_user = name != std::string::npos && to.find('@', name) != std::string::npos;
    if (!to.empty() && !has_user)
      text += ": " + begin_of(printable(without(to, confidential)), 200);
    return text;
  }
  const std::string body = begin_of(printable(without(answer.body, confidential)), 200);
  return body.empty() ? text : text + ": " + body;
}

}  // namespace walspout::webhook
