// What the tree of a configuration file means: fills a Config and collects what is wrong.
#pragma once

#include "base/raw_option.hpp"
#include "config/config.hpp"
#include "config/tree.hpp"

namespace walspout::config {

// `config` brings file, directory and host.name's default; the rest is set here. Problems may be in
// any order.
void interpret(const Node& root, Config& config, base::Problems& problems,
               base::Problems& warnings);

}  // namespace walspout::config
