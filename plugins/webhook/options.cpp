#include "options.hpp"

#include <curl/curl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <string_view>
#include <system_error>
#include <walspout/error.hpp>
#include <walspout/json_text.hpp>

#include "signature.hpp"

namespace walspout::webhook {
namespace {

std::int64_t number(const Context& context, std::string_view name, std::int64_t low,
                    std::int64_t high) {
  const std::int64_t value = context.integer(name).value_or(low);
  if (value < low || value > high)
    throw BadConfig(std::string(name) + " is " + std::to_string(value) + "; it can be " +
                    std::to_string(low) + " to " + std::to_string(high));
  return value;
}

std::chrono::milliseconds duration(const Context& context, std::string_view name,
                                   std::int64_t low) {
  constexpr std::int64_t kHour = 3'600'000;
  const std::int64_t value = context.integer(name).value_or(low);
  if (value < low || value > kHour)
    throw BadConfig(std::string(name) + " must be at least " + std::to_string(low) +
                    "ms and at most 1h");
  return std::chrono::milliseconds(value);
}

struct Url {
  std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> handle{curl_url(), curl_url_cleanup};

  std::optional<std::string> part(CURLUPart which) const {
    char* text = nullptr;
    if (curl_url_get(handle.get(), which, &text, 0) != CURLUE_OK) return std::nullopt;
    std::string copy = text;
    curl_free(text);
    return copy;
  }
};

// Returns host[:port].
std::string check_url(const std::string& text) {
  const Url url;
  if (const CURLUcode code = curl_url_set(url.handle.get(), CURLUPART_URL, text.c_str(), 0);
      code != CURLUE_OK)
    throw BadConfig(std::string("url is no URL: ") + curl_url_strerror(code));
  const std::string scheme = url.part(CURLUPART_SCHEME).value_or("");
  if (scheme != "https" && scheme != "http")
    throw BadConfig("url begins with " + scheme + "://; it can be https:// or http://");
  if (url.part(CURLUPART_USER) || url.part(CURLUPART_PASSWORD))
    throw BadConfig("url holds credentials; put them into basic_user and basic_password");
  std::string receiver = url.part(CURLUPART_HOST).value_or("");
  if (const auto port = url.part(CURLUPART_PORT)) receiver += ":" + *port;
  return receiver;
}

bool is_token(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

bool same_name(std::string_view a, std::string_view b) {
  const auto low = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return low(x) == low(y); });
}

void check_value(const std::string& what, std::string_view value) {
  if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos)
    throw BadConfig(what + " holds a line end, which no HTTP header can");
}

void add_headers(Options& options, const Context& context) {
  // What the sink says itself, and what curl has to say for the connection to work.
  constexpr std::string_view kOurs[] = {
      "webhook-id",        "webhook-timestamp", "webhook-signature",
      "content-type",      "content-encoding",  "content-length",
      "transfer-encoding", "connection",        "expect"};
  const bool credentials =
      context.string("bearer") || context.string("basic_user") || context.string("basic_password");
  for (const auto& [name, value] : context.table("headers")) {
    if (!is_token(name)) throw BadConfig("headers: \"" + name + "\" is no name of a header");
    if (std::any_of(std::begin(kOurs), std::end(kOurs),
                    [&](std::string_view ours) { return same_name(ours, name); }))
      throw BadConfig("headers: " + name + " is set by walspout itself; remove it");
    if (credentials && same_name(name, "authorization"))
      throw BadConfig("headers: Authorization is set by bearer or basic_user; remove one of them");
    check_value("headers: " + name, value);
    // curl takes "Name;" for a header without a value
    options.headers.push_back(value.empty() ? name + ";" : name + ": " + value);
    if (value.size() >= 4) options.confidential.push_back(value);
  }
}

void add_credentials(Options& options, const Context& context) {
  const auto bearer = context.string("bearer");
  const auto user = context.string("basic_user"), password = context.string("basic_password");
  if (bearer && (user || password))
    throw BadConfig("bearer and basic_user exclude each other: a request has one Authorization");
  if (user.has_value() != password.has_value())
    throw BadConfig("basic_user and basic_password go together; set both");
  if (bearer) {
    check_value("bearer", *bearer);
    options.headers.push_back("Authorization: Bearer " + *bearer);
    options.confidential.push_back(*bearer);
  }
  if (!user) return;
  if (user->find(':') != std::string::npos) throw BadConfig("basic_user must hold no colon");
  std::string coded;
  append_base64(coded, *user + ":" + *password);
  coded = coded.substr(1, coded.size() - 2);  // without its quotes
  options.headers.push_back("Authorization: Basic " + coded);
  options.confidential.push_back(*password);
  options.confidential.push_back(coded);
}

void check_readable(std::string_view option, const std::string& path) {
  if (path.empty() || ::access(path.c_str(), R_OK) == 0) return;
  throw BadConfig("cannot read " + std::string(option) + " " + path + ": " +
                  std::generic_category().message(errno));
}

}  // namespace

Options::Options(const Context& context)
    : url(context.string("url").value_or("")),
      receiver(check_url(url)),
      allow_private(context.boolean("allow_private")),
      ca_file(context.string("ca_file").value_or("")),
      client_cert(context.string("client_cert").value_or("")),
      client_key(context.string("client_key").value_or("")),
      client_key_password(context.string("client_key_password").value_or("")),
      batch_rows(static_cast<std::size_t>(number(context, "batch_rows", 1, 100'000))),
      batch_bytes(static_cast<std::size_t>(number(context, "batch_bytes", 1, 1 << 30))),
      batch_time(duration(context, "batch_time", 0)),
      concurrency(static_cast<std::size_t>(number(context, "concurrency", 1, 64))),
      connect_timeout(duration(context, "connect_timeout", 1)),
      send_timeout(duration(context, "send_timeout", 1)),
      timeout(duration(context, "timeout", 1)) {
  for (const std::string& secret : context.list("secrets")) {
    secrets.push_back(decode_secret(secret));
    confidential.push_back(secret);
  }
  add_headers(*this, context);
  add_credentials(*this, context);
  if (client_cert.empty() != client_key.empty())
    throw BadConfig("client_cert and client_key go together; set both");
  const std::string compression = context.string("compression").value_or("none");
  if (compression != "none" && compression != "gzip")
    throw BadConfig("compression is \"" + compression + "\"; it can be \"none\" or \"gzip\"");
  gzip = compression == "gzip";
  if (batch_time.count() != 0 && !batched())
    throw BadConfig(
        "batch_time gathers events of several transactions into one request; set "
        "batch_rows to more than 1");
}

void Options::check_files() const {
  check_readable("ca_file", ca_file);
  check_readable("client_cert", client_cert);
  check_readable("client_key", client_key);
}

}  // namespace walspout::webhook
