#include "postgres/url.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "postgres/connection.hpp"

namespace walspout::postgres {

namespace {

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

Settings to_settings(const PQconninfoOption* options) {
  Settings settings;
  for (auto* option = options; option != nullptr && option->keyword != nullptr; ++option) {
    if (option->val != nullptr) settings.emplace_back(option->keyword, option->val);
  }
  return settings;
}

// Nothing when libpq cannot read it. libpq's own message quotes parts of the text, so that it may
// show a password: it is dropped.
std::optional<Settings> try_parse(const std::string& url) {
  char* message = nullptr;
  const Options options(PQconninfoParse(url.c_str(), &message));
  if (message != nullptr) PQfreemem(message);
  if (!options) return std::nullopt;
  return to_settings(options.get());
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char c : list) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool is_number_list(const std::string& list) {
  return std::all_of(list.begin(), list.end(),
                     [](char c) { return (c >= '0' && c <= '9') || c == ',' || c == ' '; });
}

}  // namespace

std::optional<std::string> url_problem(const std::string& url) {
  if (url.find('\0') != std::string::npos) return "the url contains a NUL character";
  const auto settings = try_parse(url);
  if (!settings) {
    return "the url cannot be read (its text is not shown as it may hold a password): write "
           "postgresql://USER@HOST:PORT/DATABASE?KEY=VALUE or KEY=VALUE pairs, and percent-encode "
           "'@', ':', '/', '%' and blanks inside the parts of a URI";
  }
  // A password with a bare '@' or ':' ends up as host and port, which messages would show.
  const std::string* host = find_setting(*settings, "host");
  const std::string* port = find_setting(*settings, "port");
  if ((host != nullptr && host->front() != '@' && host->find('@') != std::string::npos) ||
      (port != nullptr && !is_number_list(*port))) {
    return "the url's host or port is none: a password with '@', ':' or '/' must be "
           "percent-encoded (%40, %3A, %2F), or stand elsewhere (passfile, PGPASSWORD)";
  }
  const auto count = [](const std::string* list) { return list ? split(*list).size() : 0; };
  const auto hosts = std::max(count(host), count(find_setting(*settings, "hostaddr")));
  const auto ports = count(port);
  if (ports > 1 && ports != hosts) {
    return fmt::format("the url names {} ports for {} hosts: give one port, or one per host", ports,
                       hosts);
  }
  const auto addresses = count(find_setting(*settings, "hostaddr"));
  if (host != nullptr && addresses != 0 && addresses != count(host)) {
    return "the url's hostaddr and host have different numbers of entries";
  }
  return std::nullopt;
}

Settings parse_url(const std::string& url) {
  if (const auto problem = url_problem(url)) throw Refused("source url: " + *problem);
  return *try_parse(url);
}

const std::string* find_setting(const Settings& settings, const std::string& key) {
  for (const auto& [name, value] : settings) {
    if (name == key) return value.empty() ? nullptr : &value;
  }
  return nullptr;
}

void set_setting(Settings& settings, const std::string& key, const std::string& value) {
  for (auto& setting : settings) {
    if (setting.first == key) {
      setting.second = value;
      return;
    }
  }
  settings.emplace_back(key, value);
}

std::vector<Settings> per_host(const Settings& settings) {
  const std::string* host = find_setting(settings, "host");
  const std::string* address = find_setting(settings, "hostaddr");
  const std::string* port = find_setting(settings, "port");
  if (host == nullptr && address == nullptr) return {settings};
  const auto hosts = host != nullptr ? split(*host) : std::vector<std::string>();
  const auto addresses = address != nullptr ? split(*address) : std::vector<std::string>();
  const auto ports = port != nullptr ? split(*port) : std::vector<std::string>();
  std::vector<Settings> all;
  for (std::size_t i = 0; i < std::max(hosts.size(), addresses.size()); ++i) {
    Settings one = settings;
    if (i < hosts.size()) set_setting(one, "host", hosts[i]);
    if (i < addresses.size()) set_setting(one, "hostaddr", addresses[i]);
    if (!ports.empty()) set_setting(one, "port", ports.size() == 1 ? ports[0] : ports[i]);
    all.push_back(std::move(one));
  }
  return all;
}

std::string describe(const Settings& settings) {
  const Options options(PQconndefaults());
  const Settings defaults = to_settings(options.get());
  const auto value = [&](const char* key) -> std::string {
    if (const auto* own = find_setting(settings, key)) return *own;
    if (const auto* usual = find_setting(defaults, key)) return *usual;
    return "";
  };
  std::string host = value("host");
  if (host.empty()) host = value("hostaddr");
  if (host.empty()) host = "(local socket)";
  const std::string user = value("user");
  std::string database = value("dbname");
  if (database.empty()) database = user;  // the server's own default
  return fmt::format("host {} port {}, database {}, user {}", host, value("port"), database, user);
}

std::string describe_url(const std::string& url) {
  const auto settings = try_parse(url);
  if (!settings || url_problem(url)) return "(unreadable url)";
  return describe(*settings);
}

}  // namespace walspout::postgres
