#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "cli/signals.hpp"
#include "cli/verbs.hpp"
#include "pipeline/pipeline.hpp"
#include "postgres/error.hpp"
#include "postgres/interrupt.hpp"

namespace walspout::cli {
namespace {

int dispatch(const Arguments& arguments, StopSignal& stop) {
  switch (arguments.verb) {
    case Verb::kRun:
      return run(arguments, stop);
    case Verb::kCheck:
      return check(arguments, stop);
    case Verb::kSetup:
      return setup(arguments, stop);
    case Verb::kTeardown:
      return teardown(arguments, stop);
    case Verb::kStatus:
      return status(arguments, stop);
    case Verb::kTail:
      return tail(arguments, stop);
    case Verb::kResync:
      return resync(arguments, stop);
    case Verb::kPause:
      return pause(arguments, stop);
    case Verb::kResume:
      return resume(arguments, stop);
    case Verb::kVerify:
      return verify(arguments, stop);
    case Verb::kPlugins:
      return plugins(arguments);
    case Verb::kVersion:
      return version();
    case Verb::kNone:
      break;
  }
  return arguments.exit_status;
}

// Rights: classes 28 (authorization) and state 42501 (PostgreSQL documentation, appendix A).
bool lacks_rights(const postgres::SqlError& error) {
  return error.sqlstate == "42501" || error.sqlstate.starts_with("28");
}

int guarded(const Arguments& arguments, StopSignal& stop) {
  try {
    return dispatch(arguments, stop);
  } catch (const postgres::Refused& error) {
    print_error(error.what());
    return kSourceRefuses;
  } catch (const postgres::SqlError& error) {
    print_error(error.what());
    return lacks_rights(error) ? kSourceRefuses : kFailed;
  } catch (const postgres::Interrupted&) {
    print_error("interrupted before it was done; start it again");
    return kFailed;
  } catch (const std::exception& error) {
    print_error(error.what());
    return kFailed;
  }
}

}  // namespace
}  // namespace walspout::cli

int main(int argc, char** argv) {
  namespace cli = walspout::cli;
  const cli::Arguments arguments = cli::parse_arguments(argc, argv);
  cli::hide_secrets(argc, argv);
  if (arguments.verb == cli::Verb::kNone) return arguments.exit_status;

  walspout::StopSignal stop;
  cli::install_signal_handlers(stop);
  const int status = cli::guarded(arguments, stop);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    if (errno != EPIPE) cli::print_error(std::string("cannot write: ") + std::strerror(errno));
    return status == walspout::kDone ? walspout::kFailed : status;
  }
  return status;
}
