// A connection string taken apart, for this folder: which servers it names, and what of it may be
// shown.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace walspout::postgres {

using Settings = std::vector<std::pair<std::string, std::string>>;  // libpq's keywords

// Throws Refused for a url that url_problem() objects to.
Settings parse_url(const std::string& url);

// Null when not set, or empty.
const std::string* find_setting(const Settings& settings, const std::string& key);
void set_setting(Settings& settings, const std::string& key, const std::string& value);

// One set of settings per host of the list, in order. What names no host stays one set, as libpq
// finds it in a service file or in the environment.
std::vector<Settings> per_host(const Settings& settings);

// "host a port 1, database d, user u", with libpq's defaults for what is not set.
std::string describe(const Settings& settings);

}  // namespace walspout::postgres
