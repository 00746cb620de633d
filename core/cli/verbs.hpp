// The command line's verbs, one file each. Each returns the exit status, prints errors itself in
// one line each on standard error, and lets no exception out but std::bad_alloc and what main()
// turns into a line.
#pragma once

#include <string>

#include "cli/arguments.hpp"
#include "pipeline/pipeline.hpp"

namespace walspout::cli {

int run(const Arguments& arguments, StopSignal& stop);
int check(const Arguments& arguments, StopSignal& stop);
int setup(const Arguments& arguments, StopSignal& stop);
int teardown(const Arguments& arguments, StopSignal& stop);
int status(const Arguments& arguments, StopSignal& stop);
int tail(const Arguments& arguments, StopSignal& stop);
int resync(const Arguments& arguments, StopSignal& stop);
int pause(const Arguments& arguments, StopSignal& stop);
int resume(const Arguments& arguments, StopSignal& stop);
int verify(const Arguments& arguments, StopSignal& stop);
int plugins(const Arguments& arguments);
int version();

}  // namespace walspout::cli
