// A request to the host of a configuration, which may be away, or about to come or to go.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "postgres/interrupt.hpp"

namespace walspout::cli {

// Sends the words (control/protocol.hpp) and prints the answer. Where no host listens, without_host
// does instead what can be done; it returns nothing when a host has the state directory after all:
// then both are tried again for some seconds. Returns the exit status.
int ask_host(const config::Config& config, const std::vector<std::string>& words,
             const postgres::Interrupt& interrupt,
             const std::function<std::optional<int>()>& without_host);

}  // namespace walspout::cli
