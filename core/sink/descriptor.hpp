// The check of what a plugin says about itself, before any of its callbacks is called.
#pragma once

#include <walspout/abi.h>

#include <optional>
#include <string>
#include <string_view>

namespace walspout::sink {

// Nothing if the descriptor may be used. Afterwards every field of ABI 1.0 may be read (later ones
// behind WALSPOUT_HAS), the names and texts are not NULL, the option table is sound, and only
// abort, check and reader may be NULL. Otherwise what is wrong, as the rest of a sentence that
// starts with the file. expected_name: what the configuration called the plugin; empty if it gave a
// path.
//
// A newer minor version is fine: its structs are longer and its enumerators unknown here. A shorter
// struct of the same major version is fine too if it reaches over all callbacks that are required.
std::optional<std::string> check_descriptor(const walspout_plugin* plugin,
                                            std::string_view expected_name);

}  // namespace walspout::sink
