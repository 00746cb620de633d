#include "config/redact.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "config/keys.hpp"

namespace walspout::config {
namespace {

constexpr std::string_view kHidden = "***";
// PostgreSQL documentation, "Parameter Key Words".
constexpr std::array<std::string_view, 5> kSecretKeys = {
    "password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"};

bool secret_key(std::string_view key) {
  // A key may be percent-encoded in a URI.
  if (key.find('%') != std::string_view::npos) return true;
  return std::any_of(kSecretKeys.begin(), kSecretKeys.end(),
                     [&](std::string_view known) { return equal_ignoring_case(known, key); });
}

std::string redact_parameters(std::string_view parameters, bool all) {
  std::string out;
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find('&'), parameters.size());
    const std::string_view parameter = parameters.substr(0, end);
    const std::size_t equals = parameter.find('=');
    if (equals == std::string_view::npos) {
      out += all ? kHidden : parameter;
    } else if (all || secret_key(parameter.substr(0, equals))) {
      out.append(parameter.substr(0, equals + 1)).append(kHidden);
    } else {
      out += parameter;
    }
    if (end == parameters.size()) break;
    out += '&';
    parameters.remove_prefix(end + 1);
  }
  return out;
}

std::string redact_uri(std::string_view url, std::size_t scheme_end) {
  const std::string_view scheme = url.substr(0, scheme_end);
  const bool libpq = scheme == "postgresql://" || scheme == "postgres://";
  std::string out(scheme);
  std::string_view rest = url.substr(scheme_end);
  // A password that was not percent-encoded may hold any of / ? @, so that the last @ counts.
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view user = rest.substr(0, at);
    const std::size_t colon = user.find(':');
    if (colon == std::string_view::npos) {
      const std::size_t query = user.find('?');
      if (query != std::string_view::npos) {  // the @ is in a parameter
        out.append(user.substr(0, query + 1));
        out += redact_parameters(rest.substr(query + 1), !libpq);
        return out;
      }
      out.append(user).append("@");
    } else {
      out.append(user.substr(0, colon + 1)).append(kHidden).append("@");
    }
    rest.remove_prefix(at + 1);
  }
  const std::size_t query = rest.find('?');
  out += rest.substr(0, query);
  if (query != std::string_view::npos) {
    out += '?';
    out += redact_parameters(rest.substr(query + 1), !libpq);
  }
  return out;
}

// PostgreSQL documentation, "Keyword/Value Connection Strings": values may be in single quotes,
// with \' and \\ inside.
std::string redact_keywords(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  const auto space = [&] {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  };
  for (space(); at < text.size(); space()) {
    const std::size_t equals = text.find('=', at);
    if (equals == std::string_view::npos) return std::string(kHidden);
    std::string_view key = text.substr(at, equals - at);
    while (!key.empty() && std::isspace(static_cast<unsigned char>(key.back())) != 0) {
      key.remove_suffix(1);
    }
    if (std::any_of(key.begin(), key.end(), [](char c) {
          return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_';
        })) {
      return std::string(kHidden);
    }
    at = equals + 1;
    space();
    const std::size_t start = at;
    bool quoted = at < text.size() && text[at] == '\'';
    if (quoted) ++at;
    while (at < text.size()) {
      const char c = text[at];
      if (c == '\\' && at + 1 < text.size()) {
        at += 2;
        continue;
      }
      if (quoted ? c == '\'' : std::isspace(static_cast<unsigned char>(c)) != 0) break;
      ++at;
    }
    if (quoted) {
      if (at >= text.size()) return std::string(kHidden);  // the quote is never closed
      ++at;
    }
    if (!out.empty()) out += ' ';
    out.append(key).append("=");
    out.append(secret_key(key) ? kHidden : text.substr(start, at - start));
  }
  return out;
}

}  // namespace

std::string redact_url(std::string_view url) {
  const std::size_t colon = url.find("://");
  const bool is_uri =
      colon != std::string_view::npos && colon > 0 &&
      std::all_of(url.begin(), url.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
      });
  return is_uri ? redact_uri(url, colon + 3) : redact_keywords(url);
}

}  // namespace walspout::config
