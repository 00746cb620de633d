// SIGTERM and SIGINT become a StopSignal; SIGPIPE is ignored, so that a closed terminal or socket
// is an error of the write and not the end of the process.
#pragma once

#include "pipeline/pipeline.hpp"

namespace walspout::cli {

// For the process, from any thread's view at once. The first SIGTERM or SIGINT asks for a graceful
// stop, the second for one at once, the third ends the process. SIGHUP says that there is no reload
// yet, unless it was ignored at the start (nohup). `stop` must live as long as the process.
void install_signal_handlers(StopSignal& stop);

}  // namespace walspout::cli
