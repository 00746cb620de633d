// What happens to files between two runs and by rotation: found again, cut back, repaired, renamed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <walspout/context.hpp>

#include "output.hpp"
#include "position_store.hpp"

namespace walspout::file {

// Opens path as the record left it: cut back to the recorded offset, or repaired if it is another
// file (README.md lists the cases). Says in the log what it did. Throws what Output does.
Output recover(const std::string& path, const std::optional<Record>& record, const Log& log);

// Opens path, whose content the sink does not know: NUL bytes at its end are cut off and a last
// line without its newline gets one.
Output open_foreign(const std::string& path, const Log& log);

// Cuts off a last line without its newline.
void cut_torn_line(Output& output, const Log& log);

// path -> path.1 -> path.2 ...: by renames into free names only. Throws walspout::Retry.
void shift_names(const std::string& path);

// Removes path.N for each N above keep. Failures are logged: the data is not at stake.
void remove_old(const std::string& path, std::uint64_t keep, const Log& log);

}  // namespace walspout::file
