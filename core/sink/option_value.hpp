// One value of an option, whoever wrote it: the user in TOML, or the plugin as a default. Internal
// to descriptor, settings and describe.
#pragma once

#include <walspout/abi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/raw_option.hpp"

namespace walspout::sink {

// True for the types of ABI 1.0 (WALSPOUT_STRING to WALSPOUT_PATH).
bool is_known_type(std::uint32_t type);

// "string", "path", "duration", ...; of a known type.
std::string_view type_name(std::uint32_t type);

// What a user has to write for a known type, to follow "must be ": "a string in quotes".
std::string_view type_form(std::uint32_t type);

struct Scalar {
  std::int64_t integer = 0;  // as walspout_setting has it
  double number = 0;
  std::string text;  // as written
};

// The value as the option's type has it; nothing if it is of another type or shape.
std::optional<Scalar> to_scalar(const base::RawOption& value, std::uint32_t type);

// The default of an option (which has one) as if the user had written it; nothing if it is not a
// value of TOML: a string with or without its quotes, a number, true or false, a list of these in
// brackets, or {}. Types are not compared.
std::optional<base::RawOption> parse_default(const walspout_option& option);

// Nothing if the default fits the option's type and flags, or if there is none.
std::optional<std::string> check_default(const walspout_option& option);

// As TOML has it: "text", with quotes and what needs escaping escaped.
std::string toml_string(std::string_view text);

}  // namespace walspout::sink
