// One change as a line for eyes; README.md shows what it looks like.
#pragma once

#include <walspout/abi.h>
#include <string>

namespace walspout::stdout_sink {

// Appends the line without its end; false, and nothing is appended, for COPY_BEGIN, COPY_END and
// COPY_FAILED. Nothing of the data reaches a terminal as a control sequence. Threads: any.
bool append_text(std::string& out, const walspout_txn& txn, const walspout_change& change,
                 bool colours);

}  // namespace walspout::stdout_sink
