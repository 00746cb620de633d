#include "cli/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace walspout::cli {
namespace {

// A handler has no argument of its own, so these two are the process's.
std::atomic<StopSignal*> stop_signal{nullptr};
std::atomic<int> stop_count{0};

void on_stop(int) {
  const int saved = errno;
  constexpr int kImpatient = 3;
  if (++stop_count >= kImpatient) _exit(kFailed);
  if (StopSignal* stop = stop_signal.load()) stop->request_stop();
  errno = saved;
}

void on_hangup(int) {
  const int saved = errno;
  constexpr char kText[] =
      "walspout: SIGHUP is ignored: a reload is not available in this version; restart instead\n";
  // Nothing can be done about a standard error that is gone.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText, sizeof kText - 1);
  errno = saved;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void install_signal_handlers(StopSignal& stop) {
  stop_signal = &stop;
  handle(SIGPIPE, SIG_IGN);
  handle(SIGTERM, on_stop);
  handle(SIGINT, on_stop);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) handle(SIGHUP, on_hangup);
}

}  // namespace walspout::cli
