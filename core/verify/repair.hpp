// How differing rows are mended: by the host that runs, which is asked to read each of them again.
#pragma once

#include <filesystem>
#include <string>

#include "verify/verify.hpp"

namespace walspout::verify {

// Row by row; else the table is copied anew: it has no key, or more differs than was listed.
bool mends_rows(const TableResult& result);

// Asks for all that the result found. What the host refuses is noted and stays different. Throws
// std::runtime_error when no host runs, or it does not answer.
void send_repairs(const std::filesystem::path& state_directory, const std::string& sink,
                  const TableResult& result, Listener& listener);

}  // namespace walspout::verify
